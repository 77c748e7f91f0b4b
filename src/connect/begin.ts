import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from "oauth4webapi";
import { z } from "zod";
import { sha256Hex } from "../core/tokens.ts";
import type { Deps } from "../deps.ts";
import type { AppCredentials } from "../platforms/context.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { Platform } from "../platforms/platform.ts";
import { findPlatform, platforms } from "../platforms/registry.ts";
import { sandboxAddress } from "../platforms/request.ts";
import type { Session } from "./session.ts";
import { mintState } from "./state.ts";
import { startLogin } from "./store.ts";

/** What a login carries from its beginning to its callback, sealed with its state. */
export const LoginSecrets = z.object({ connectToken: z.string(), verifier: z.string().nullable() });

export const loginContext = (stateHash: string): string => `oauth-state:${stateHash}`;

export function callbackUrl(origin: string, platform: PlatformName): string {
  return `${origin}/connect/callback/${platform}`;
}

/** A platform that this session can connect to. */
export interface Connectable {
  readonly platform: Platform;
  readonly app: AppCredentials;
}

/** Null where the platform has no adapter, or nobody has registered our app there. */
export function connectable(deps: Deps, session: Session, name: PlatformName): Connectable | null {
  const platform = findPlatform(name);
  const app = platform && deps.config.appCredentials(platform.oauth.app, session.isTest);
  const isReachable = !session.isTest || deps.config.sandboxUrl !== null;
  return platform && app && isReachable ? { platform, app } : null;
}

/** Every platform that has an adapter, and whether this session can connect to it. */
export function offeredPlatforms(deps: Deps, session: Session) {
  return Object.values(platforms).map(({ name }) => ({ name, isAvailable: connectable(deps, session, name) !== null }));
}

/**
 * Begins a login at the first of the platforms and tells where to send the browser. Its `state` works once, in this
 * browser, for as long as the session. Null when the first platform cannot be connected to.
 */
export async function beginLogin(
  deps: Deps,
  session: Session,
  platforms: readonly [PlatformName, ...PlatformName[]],
  { origin, browserHash }: { readonly origin: string; readonly browserHash: string },
): Promise<URL | null> {
  const target = connectable(deps, session, platforms[0]);
  if (!target) return null;
  const { oauth, name } = target.platform;
  const login = { platform: name, browserHash };
  const state = await mintState(deps.config.signingKey, login, session.token.expiresAt);
  const stateHash = await sha256Hex(state);
  const verifier = oauth.pkce ? generateRandomCodeVerifier() : null;
  const secrets: z.input<typeof LoginSecrets> = { connectToken: session.token.text, verifier };
  const sealed = await deps.sealer.seal(JSON.stringify(secrets), loginContext(stateHash));
  await startLogin(deps.db, session.token, { stateHash, browserHash, sealed, platforms }, Date.now());
  const url = oauth.authorizeUrl(target.app, {
    redirectUri: callbackUrl(origin, name),
    state,
    codeChallenge: verifier === null ? null : await calculatePKCECodeChallenge(verifier),
  });
  return session.isTest && deps.config.sandboxUrl !== null ? sandboxAddress(url, deps.config.sandboxUrl) : url;
}
