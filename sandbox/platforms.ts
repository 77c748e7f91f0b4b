// The registry of platforms: one line each.

import { bluesky } from "./bluesky/index";
import { facebook } from "./facebook/index";
import { instagram } from "./instagram/index";
import { linkedin } from "./linkedin/index";
import type { SimulatedPlatform } from "./platform";
import type { Sandbox } from "./sandbox";
import { threads } from "./threads/index";
import { tiktok } from "./tiktok/index";
import { twitter } from "./twitter/index";
import { youtube } from "./youtube/index";

const PLATFORMS = [facebook, instagram, youtube, linkedin, tiktok, threads, twitter, bluesky];

/** Creates every platform on its tables and seeds the empty ones. */
export function installPlatforms(sandbox: Sandbox): readonly SimulatedPlatform[] {
  for (const build of PLATFORMS) {
    const platform = build(sandbox);
    sandbox.db.run(platform.tables);
    if (platform.accounts().length === 0) platform.seed();
    sandbox.platforms.push(platform);
  }
  return sandbox.platforms;
}
