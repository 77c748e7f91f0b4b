import { facts as bluesky } from "./bluesky/facts.ts";
import { facts as facebook } from "./facebook/facts.ts";
import { facts as instagram } from "./instagram/facts.ts";
import { facts as linkedin } from "./linkedin/facts.ts";
import type { PlatformName } from "./names.ts";
import type { PlatformFacts } from "./platform-facts.ts";
import { facts as threads } from "./threads/facts.ts";
import { facts as tiktok } from "./tiktok/facts.ts";
import { facts as twitter } from "./twitter/facts.ts";
import { facts as youtube } from "./youtube/facts.ts";

/** The facts of all platforms, without their adapters. */
export const PLATFORM_FACTS: Readonly<Record<PlatformName, PlatformFacts>> = {
  facebook,
  instagram,
  youtube,
  linkedin,
  tiktok,
  threads,
  twitter,
  bluesky,
};

const KNOWN: Readonly<Partial<Record<string, PlatformFacts>>> = PLATFORM_FACTS;

/** The facts of a platform that a row names: a later or earlier version may have had others than this one. */
export function factsOf(name: PlatformName): PlatformFacts {
  const none = { postTypes: [], declarations: {}, options: {}, apps: {} };
  return KNOWN[name] ?? { title: name, offers: name, sign: name.slice(0, 1).toUpperCase(), color: "#666", ...none };
}

/** The display names of the platforms whose posts take documents. */
export const documentPlatforms: readonly string[] = Object.values(PLATFORM_FACTS).flatMap(
  ({ title, takesDocuments }) => (takesDocuments ? [title] : []),
);

/** Whether a person confirms each of its posts on a page of its own, so that no form for several has it. */
export const hasOwnForm = (name: PlatformName): boolean => factsOf(name).hasOwnForm ?? false;

/** The display name of the platform. */
export const platformTitle = (name: PlatformName): string => factsOf(name).title;
