import type { Capability, PlatformName } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Deps } from "../service/deps.ts";

/**
 * Whether a login here can give a channel what a capability needs: the operator may have no app for it, or
 * not have it ask for so much. What nobody can get is nothing to reconnect for.
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
  const asked = login?.scopesWith?.(app.options) ?? login?.scopes ?? [];
  // Scopes that stand for others are asked for under other names: only those of ads are the operator's
  // choice.
  return capability !== "ads" || rules.scopes.every((scope) => asked.includes(scope));
}
