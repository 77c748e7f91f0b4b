import type { PlatformName } from "../platforms/names.ts";

interface PlatformTitle {
  /** How people call it. */
  readonly name: string;
  /** What they connect there. */
  readonly offers: string;
  /** A letter or two in place of a logo. */
  readonly sign: string;
}

export const PLATFORM_TITLES: Readonly<Record<PlatformName, PlatformTitle>> = {
  facebook: { name: "Facebook", offers: "Pages that you manage", sign: "f" },
  instagram: { name: "Instagram", offers: "Professional accounts", sign: "Ig" },
  youtube: { name: "YouTube", offers: "Your channel", sign: "▶" },
  linkedin: { name: "LinkedIn", offers: "Your profile and organizations", sign: "in" },
  tiktok: { name: "TikTok", offers: "Your account", sign: "♪" },
  threads: { name: "Threads", offers: "Your profile", sign: "@" },
  twitter: { name: "X", offers: "Your account (formerly Twitter)", sign: "𝕏" },
};

export function platformTitle(name: PlatformName): string {
  return PLATFORM_TITLES[name].name;
}
