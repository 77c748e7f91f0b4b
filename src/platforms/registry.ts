import { bluesky } from "./bluesky/index.ts";
import { facebook } from "./facebook/index.ts";
import { instagram } from "./instagram/index.ts";
import { linkedin } from "./linkedin/index.ts";
import type { PlatformName } from "./names.ts";
import { withCleanTexts } from "./outgoing.ts";
import type { Platform } from "./platform.ts";
import { threads } from "./threads/index.ts";
import { tiktok } from "./tiktok/index.ts";
import { twitter } from "./twitter/index.ts";
import { youtube } from "./youtube/index.ts";

const adapters: Readonly<Partial<Record<PlatformName, Platform>>> = {
  facebook,
  instagram,
  youtube,
  linkedin,
  tiktok,
  threads,
  twitter,
  bluesky,
};

export const platforms: Readonly<Partial<Record<PlatformName, Platform>>> = Object.fromEntries(
  Object.entries(adapters).map(([name, adapter]) => [name, withCleanTexts(adapter)]),
);

/** Null for a platform of the specification that has no adapter yet. */
export function findPlatform(name: PlatformName): Platform | null {
  return platforms[name] ?? null;
}
