import { facebook } from "./facebook/index.ts";
import type { PlatformName } from "./names.ts";
import type { Platform } from "./platform.ts";
import { twitter } from "./twitter/index.ts";

export const platforms: Readonly<Partial<Record<PlatformName, Platform>>> = { facebook, twitter };

/** Null for a platform of the specification that has no adapter yet. */
export function findPlatform(name: PlatformName): Platform | null {
  return platforms[name] ?? null;
}
