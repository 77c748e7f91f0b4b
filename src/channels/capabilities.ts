import type { Capability, PlatformName } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Deps } from "../service/deps.ts";

/**
 * Whether a login to this service can grant the scopes that a capability needs. The operator may have no app
 * for it, or an app that requests fewer scopes. If no login can, no reconnection is requested.
 */
export function isCapabilityOffered(
  { config }: Pick<Deps, "config">,
  { isTest }: { readonly isTest: boolean },
  platform: PlatformName,
  capability: Capability,
): boolean {
  const adapter = findPlatform(platform);
  const rules = adapter?.capabilities[capability];
  const grant = rules && adapter.grants[rules.grant];
  const app = grant && config.appCredentials(grant.app, isTest);
  if (!adapter || !rules || !app) return false;
  const login = [adapter.oauth, ...(adapter.additionalLogins ?? []).map(({ oauth }) => oauth)].find(
    (oauth) => oauth.app === grant.app,
  );
  const wanted = login?.scopesWith?.(app.options) ?? login?.scopes ?? [];
  // Scopes that imply others are requested under other names; only the ads scopes are the operator's choice.
  return capability !== "ads" || rules.scopes.every((scope) => wanted.includes(scope));
}
