import type { AdditionalLogin, OAuth } from "../platforms/login.ts";
import { GRANT_PURPOSES, type GrantPurpose, PLATFORM_NAMES, type PlatformName } from "../platforms/names.ts";
import type { Platform } from "../platforms/platform.ts";
import { findPlatform } from "../platforms/registry.ts";

/**
 * What a person can sign in to: a platform, or an additional login for one purpose, with its own callback
 * address. The name is used in forms, in the session's list of remaining logins, and in the state.
 */
export type LoginName = PlatformName | `${PlatformName}:${GrantPurpose}`;

export interface Login {
  readonly name: LoginName;
  readonly platform: Platform;
  /** Null for the platform's own login. */
  readonly further: AdditionalLogin | null;
  readonly oauth: OAuth;
}

/** The additional logins of a platform, in its order. */
function additionalLogins(platform: Platform): Login[] {
  return (platform.additionalLogins ?? []).map((further) => {
    return { name: `${platform.name}:${further.purpose}`, platform, further, oauth: further.oauth };
  });
}

/** All logins of a platform, its own first. */
export function loginsOf(platform: Platform): readonly [own: Login, ...further: Login[]] {
  return [{ name: platform.name, platform, further: null, oauth: platform.oauth }, ...additionalLogins(platform)];
}

/** Null if no adapter has a login of this name. */
export function findLogin(name: string): Login | null {
  const platform = asPlatform(name);
  const adapter = platform && findPlatform(platform);
  return (adapter && loginsOf(adapter).find((login) => login.name === name)) ?? null;
}

/** The platform of a login's name; null if there is none. */
function asPlatform(name: string): PlatformName | null {
  const [first] = name.split(":");
  return PLATFORM_NAMES.find((platform) => platform === first) ?? null;
}

export function platformOf(name: LoginName): PlatformName {
  const platform = asPlatform(name);
  if (platform === null) throw new Error(`No platform has the login ${name}.`);
  return platform;
}

/** Whether the first login needs the second one. */
export function isAdditionalLoginOf(name: LoginName, platform: LoginName): boolean {
  return name.startsWith(`${platform}:`);
}

/** The callback address. Those of additional logins end with a slash, because one platform requires it. */
export function callbackUrl(origin: string, name: LoginName): string {
  const [platform, purpose] = name.split(":");
  return `${origin}/connect/callback/${platform}${purpose === undefined ? "" : `/${purpose}/`}`;
}

/** The login with this callback address. */
export function loginAt(platform: string, purpose: string | undefined): Login | null {
  const isPurpose = purpose === undefined || GRANT_PURPOSES.some((known) => known === purpose);
  return isPurpose ? findLogin(purpose === undefined ? platform : `${platform}:${purpose}`) : null;
}
