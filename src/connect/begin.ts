import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from "oauth4webapi";
import { z } from "zod";
import { sha256Hex } from "../core/tokens.ts";
import type { AppCredentials, Failure } from "../platforms/context.ts";
import type { AuthorizeRequest, StartedLogin } from "../platforms/login.ts";
import type { PlatformName } from "../platforms/names.ts";
import { platforms } from "../platforms/registry.ts";
import { sandboxAddress } from "../platforms/request.ts";
import type { Deps } from "../service/deps.ts";
import { Billing } from "../usage/billing.ts";
import { callbackUrl, findLogin, type Login, type LoginName, loginsOf } from "./logins.ts";
import type { Session } from "./session.ts";
import { mintState } from "./state.ts";
import { planLogins, startLogin } from "./store.ts";

/** What a login carries from its start to its callback, sealed with its state. */
export const LoginSecrets = z.object({
  connectToken: z.string(),
  verifier: z.string().nullable(),
  /** What the platform's login keeps for itself. */
  kept: z.json().optional(),
});

export type LoginSecrets = z.output<typeof LoginSecrets>;

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

export type BegunLogin =
  /** The address for the browser. */
  | { readonly kind: "redirect"; readonly url: URL }
  /** The person must first answer the login's question. */
  | { readonly kind: "asks" }
  | { readonly kind: "unavailable" }
  | { readonly kind: "refused"; readonly failure: Failure };

interface Beginning {
  readonly origin: string;
  readonly browserHash: string;
  /** The answer to the login's question; null if the person was not asked. */
  readonly answer: string | null;
}

/**
 * Starts the first of the logins. Its `state` works once, in this browser, as long as the session. A login
 * that asks a question is only planned until the person has answered.
 */
export async function beginLogin(
  deps: Deps,
  session: Session,
  logins: readonly [LoginName, ...LoginName[]],
  { origin, browserHash, answer }: Beginning,
): Promise<BegunLogin> {
  const target = connectable(deps, session, logins[0]);
  if (!target) return { kind: "unavailable" };
  const { oauth, name } = target.login;
  if ("asks" in oauth && answer === null) {
    await planLogins(deps.db, session.token, logins, Date.now());
    return { kind: "asks" };
  }
  const state = await mintState(deps.config.signingKey, { name, browserHash }, session.token);
  const verifier = oauth.pkce ? generateRandomCodeVerifier() : null;
  const codeChallenge = verifier === null ? null : await calculatePKCECodeChallenge(verifier);
  const started = await start(deps, session, target, {
    answer,
    request: { redirectUri: callbackUrl(origin, name), state, codeChallenge },
  });
  if (started.kind === "failed") return { kind: "refused", failure: started };
  const stateHash = await sha256Hex(state);
  const secrets: z.input<typeof LoginSecrets> = {
    connectToken: session.token.text,
    verifier,
    ...(started.kept === null ? {} : { kept: started.kept }),
  };
  const sealed = await deps.sealer.seal(JSON.stringify(secrets), loginContext(stateHash));
  await startLogin(deps.db, session.token, { stateHash, browserHash, sealed, logins }, Date.now());
  const isRewritten = session.isTest && deps.config.sandboxUrl !== null;
  const url = isRewritten ? sandboxAddress(started.url, deps.config.sandboxUrl ?? "") : started.url;
  return { kind: "redirect", url };
}

async function start(
  deps: Deps,
  session: Session,
  { login: { oauth, platform }, app }: Connectable,
  { answer, request }: { readonly answer: string | null; readonly request: AuthorizeRequest },
): Promise<StartedLogin | Failure> {
  if (!("asks" in oauth)) return { kind: "started", url: oauth.authorizeUrl(app, request), kept: null };
  const payer = { projectId: session.token.projectId, platform: platform.name, postId: null };
  const send = new Billing(deps, payer, platform.pricing).over(deps.sendFor(session));
  return oauth.start({ send, app, now: Date.now() }, request, answer ?? "");
}
