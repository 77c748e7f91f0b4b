import { facts as bluesky } from "./bluesky/facts.ts";
import { facts as facebook } from "./facebook/facts.ts";
import { facts as instagram } from "./instagram/facts.ts";
import { facts as linkedin } from "./linkedin/facts.ts";
import { facts as threads } from "./threads/facts.ts";
import { facts as tiktok } from "./tiktok/facts.ts";
import { facts as twitter } from "./twitter/facts.ts";
import { facts as youtube } from "./youtube/facts.ts";

/** Our app registrations at all platforms. */
export const APPS = {
  ...facebook.apps,
  ...instagram.apps,
  ...youtube.apps,
  ...linkedin.apps,
  ...tiktok.apps,
  ...threads.apps,
  ...twitter.apps,
  ...bluesky.apps,
};

export type AppName = keyof typeof APPS;
export const APP_NAMES = Object.keys(APPS).filter((name): name is AppName => Object.hasOwn(APPS, name));
