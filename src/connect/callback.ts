import { ellipsis } from "../core/text.ts";
import { sha256Hex } from "../core/tokens.ts";
import { textsIn } from "../pages/texts.ts";
import type { Failure } from "../platforms/context.ts";
import type { OAuth } from "../platforms/login.ts";
import { maskQuote } from "../platforms/masking.ts";
import type { Deps } from "../service/deps.ts";
import { Billing } from "../usage/billing.ts";
import { withinCeiling } from "../usage/ceiling.ts";
import { connectAccounts, isUsable, offerChoices } from "./accounts.ts";
import { connectAdditionalLogin } from "./additional-login.ts";
import { connectable, LoginSecrets, loginContext } from "./begin.ts";
import type { CallbackQuery } from "./forms.ts";
import { type LoginProblem, problemSentence } from "./login-problem.ts";
import { callbackUrl, type Login, type LoginName } from "./logins.ts";
import { type FoundSession, findSession, type Session } from "./session.ts";
import { judgeState } from "./state.ts";
import { isStateMoving, markFailed, type Progress, takeState } from "./store.ts";

/**
 * Handles the callback of a login. Its state is verified by signature and browser cookie before any look-up,
 * then used up; only then is anything believed. A state that was used, or belongs to another browser, changes
 * nothing. Everything after that moves the session on, or makes it `failed` with the reason.
 */
export interface Callback {
  readonly login: Login;
  readonly origin: string;
  readonly browserHash: string;
  readonly query: CallbackQuery;
}

export type CallbackOutcome =
  | { readonly kind: "unrecognised" }
  | { readonly kind: "foreign" }
  /** Its project is being moved to another database: the same address works in a minute. */
  | { readonly kind: "moving" }
  /** Its session has expired. */
  | { readonly kind: "over" }
  /** The session cannot continue: it expired or cannot be found. */
  | { readonly kind: "closed"; readonly found: Exclude<FoundSession, { kind: "open" }> }
  /** Completed meanwhile in another tab. */
  | { readonly kind: "finished"; readonly session: Session; readonly progress: Progress }
  | {
      readonly kind: "failed";
      readonly session: Session;
      readonly progress: Progress | null;
      readonly status: 400 | 403 | 503;
      readonly problem: LoginProblem;
      /** The problem as the API says it. */
      readonly message: string;
    }
  | { readonly kind: "choose"; readonly session: Session }
  | { readonly kind: "connected"; readonly session: Session; readonly progress: Progress | null };

export async function receiveCallback(named: Deps, callback: Callback): Promise<CallbackOutcome> {
  const { browserHash, query } = callback;
  const { name } = callback.login;
  const state = query.state ?? "";
  const owner = await judgeState(named.config.signingKey, state, { name, browserHash }, Date.now());
  if (owner !== "own") return { kind: owner === "unknown" ? "unrecognised" : owner };
  const stateHash = await sha256Hex(state);
  const taken = await takeStateAnywhere(named, stateHash, name, browserHash);
  if (taken === "moving") return { kind: "moving" };
  const { deps, sealed } = taken;
  const plain = sealed === null ? null : await deps.sealer.open(sealed, loginContext(stateHash));
  if (plain === null) return { kind: "unrecognised" };
  const { connectToken, ...secrets } = LoginSecrets.parse(JSON.parse(plain));
  const found = await findSession(deps, connectToken);
  if (found.kind !== "open") return { kind: "closed", found };
  if (found.progress?.status === "success")
    return { kind: "finished", session: found.session, progress: found.progress };
  return useLogin(deps, found, callback, secrets);
}

/**
 * Takes the state from the database that it names. If its project has moved since, it is in one with a higher
 * number.
 */
async function takeStateAnywhere(named: Deps, stateHash: string, name: LoginName, browserHash: string) {
  for (let database = named.database; database < named.databases; database++) {
    const deps = named.in(database);
    const sealed = await takeState(deps, stateHash, name, browserHash);
    if (sealed !== null) return { deps, sealed };
    if (named.databases > 1 && (await isStateMoving(deps.db, stateHash))) return "moving";
  }
  return { deps: named, sealed: null };
}

async function useLogin(
  deps: Deps,
  { session, progress: before }: Extract<FoundSession, { kind: "open" }>,
  { login: { name, platform, further, oauth }, query, origin, browserHash }: Callback,
  { verifier: codeVerifier, kept }: Pick<LoginSecrets, "verifier" | "kept">,
): Promise<CallbackOutcome> {
  const target = connectable(deps, session, name);
  if (!target) return fail(deps, session, name, { status: 503, problem: { kind: "notSetUp" } });
  if (query.error || query.error_code) return fail(deps, session, name, refusal(query, oauth.loginErrors));
  const code = query[oauth.codeParameter ?? "code"];
  if (!code) return fail(deps, session, name, { status: 400, problem: { kind: "noPermission" } });
  const payer = { projectId: session.token.projectId, platform: platform.name, postId: null };
  const billing = new Billing(deps, payer, platform.pricing);
  // A login reads the account, which some platforms charge for.
  const granted = await withinCeiling(
    () =>
      oauth.exchange(
        { send: billing.over(deps.sendFor(session)), app: target.app, now: Date.now() },
        { code, redirectUri: callbackUrl(origin, name), codeVerifier, issuer: query.iss, kept },
      ),
    ({ message }) => ({ kind: "failed", reason: "blocked", message }) as const,
  );
  if (granted.kind === "failed") {
    const problem: LoginProblem = { kind: "said", sentence: granted.message };
    return fail(deps, session, name, { status: statusOf(granted), problem });
  }

  const usable = granted.accounts.filter(isUsable);
  if (usable.length === 0) {
    const sentence = granted.accounts.find((account) => account.unusableReason !== null)?.unusableReason;
    return fail(deps, session, name, {
      status: 403,
      problem: sentence ? { kind: "said", sentence } : { kind: "noAccount" },
    });
  }
  if (further) {
    const outcome = await connectAdditionalLogin(deps, session, before, { platform, further, accounts: usable });
    if (outcome.kind === "mismatch") {
      return fail(deps, session, name, { status: 403, problem: outcome.problem });
    }
    return { kind: "connected", session, progress: outcome.progress };
  }
  if (granted.accounts.length > 1) {
    await offerChoices(deps, session, platform.name, { browserHash, accounts: granted.accounts });
    return { kind: "choose", session };
  }
  const progress = await connectAccounts(deps, session, {
    platform: platform.name,
    accounts: usable,
    fromChoices: false,
  });
  return { kind: "connected", session, progress };
}

interface Refused {
  readonly status: 400 | 403 | 503;
  readonly problem: LoginProblem;
}

/** The platform's own words are shown only if nothing else is known. */
function refusal(query: CallbackQuery, known: OAuth["loginErrors"] = {}): Refused {
  const meant = query.error === "access_denied" ? "declined" : known[query.error ?? ""];
  if (meant === "declined") return { status: 403, problem: { kind: "declined" } };
  if (meant) return { status: 400, problem: { kind: "said", sentence: meant.message } };
  const words = query.error_description || query.error_message || query.error;
  return { status: 400, problem: { kind: "refused", words: words ? ellipsis(maskQuote(words), 200) : null } };
}

function statusOf({ reason }: Failure): 400 | 503 {
  return reason === "throttled" || reason === "down" || reason === "blocked" ? 503 : 400;
}

async function fail(
  deps: Deps,
  session: Session,
  login: LoginName,
  { status, problem }: Refused,
): Promise<CallbackOutcome> {
  const { hash, projectId } = session.token;
  const message = problemSentence(textsIn("en").connect, login, problem);
  const progress = await markFailed(deps.db, hash, login, message);
  deps.log.event("connect_failed", { platform: login, project: projectId, status });
  return { kind: "failed", session, progress, status, problem, message };
}
