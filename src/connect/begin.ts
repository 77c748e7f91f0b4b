import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from "oauth4webapi";
import { z } from "zod";
import { sha256Hex } from "../core/tokens.ts";
import type { AppCredentials } from "../platforms/context.ts";
import type { PlatformName } from "../platforms/names.ts";
import { platforms } from "../platforms/registry.ts";
import { sandboxAddress } from "../platforms/request.ts";
import type { Deps } from "../service/deps.ts";
import { callbackUrl, findLogin, type Login, type LoginName, loginsOf } from "./logins.ts";
import type { Session } from "./session.ts";
import { mintState } from "./state.ts";
import { startLogin } from "./store.ts";

/** What a login carries from its start to its callback, sealed with its state. */
export const LoginSecrets = z.object({ connectToken: z.string(), verifier: z.string().nullable() });

export const loginContext = (stateHash: string): string => `oauth-state:${stateHash}`;

/** A login that this session can go through. */
export interface Connectable {
  readonly login: Login;
  readonly app: AppCredentials;
}

/** Null if no adapter has such a login, or we have no registered app for it. */
export function connectable(deps: Deps, session: Pick<Session, "isTest">, name: LoginName): Connectable | null {
  const login = findLogin(name);
  const app = login && deps.config.appCredentials(login.oauth.app, session.isTest);
  const isReachable = !session.isTest || deps.config.sandboxUrl !== null;
  return login && app && isReachable ? { login, app } : null;
}

export interface Offered {
  readonly name: PlatformName;
  readonly isAvailable: boolean;
  /** The available ones. */
  readonly further: readonly OfferedAdditionalLogin[];
}

export interface OfferedAdditionalLogin {
  readonly name: LoginName;
  readonly offer: string;
  readonly needs: string;
}

/** Every platform that has an adapter, with its availability and additional logins for this session. */
export function offeredPlatforms(deps: Deps, session: Pick<Session, "isTest">): Offered[] {
  const isAvailable = ({ name }: Login) => connectable(deps, session, name) !== null;
  return Object.values(platforms).map((platform) => {
    const [own, ...others] = loginsOf(platform);
    const further = isAvailable(own) ? others.filter(isAvailable) : [];
    return {
      name: platform.name,
      isAvailable: isAvailable(own),
      further: further.flatMap(({ name, further: what }) =>
        what ? [{ name, offer: what.offer, needs: what.needs }] : [],
      ),
    };
  });
}

/**
 * Starts the first of the logins, and returns the address for the browser. Its `state` works once, in this
 * browser, as long as the session. Null if the first login is not available.
 */
export async function beginLogin(
  deps: Deps,
  session: Session,
  logins: readonly [LoginName, ...LoginName[]],
  { origin, browserHash }: { readonly origin: string; readonly browserHash: string },
): Promise<URL | null> {
  const target = connectable(deps, session, logins[0]);
  if (!target) return null;
  const { oauth, name } = target.login;
  const state = await mintState(deps.config.signingKey, { name, browserHash }, session.token.expiresAt);
  const stateHash = await sha256Hex(state);
  const verifier = oauth.pkce ? generateRandomCodeVerifier() : null;
  const secrets: z.input<typeof LoginSecrets> = { connectToken: session.token.text, verifier };
  const sealed = await deps.sealer.seal(JSON.stringify(secrets), loginContext(stateHash));
  await startLogin(deps.db, session.token, { stateHash, browserHash, sealed, logins }, Date.now());
  const url = oauth.authorizeUrl(target.app, {
    redirectUri: callbackUrl(origin, name),
    state,
    codeChallenge: verifier === null ? null : await calculatePKCECodeChallenge(verifier),
  });
  return session.isTest && deps.config.sandboxUrl !== null ? sandboxAddress(url, deps.config.sandboxUrl) : url;
}
