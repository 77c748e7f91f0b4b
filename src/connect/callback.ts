import { ellipsis } from "../core/text.ts";
import { sha256Hex } from "../core/tokens.ts";
import type { Failure } from "../platforms/context.ts";
import { platformTitle } from "../platforms/facts.ts";
import type { AdditionalLogin, OAuth } from "../platforms/login.ts";
import type { Deps } from "../service/deps.ts";
import { Billing } from "../usage/billing.ts";
import { CostCeilingReached } from "../usage/ceiling.ts";
import { connectAccounts, isUsable, offerChoices } from "./accounts.ts";
import { connectAdditionalLogin } from "./additional-login.ts";
import { connectable, LoginSecrets, loginContext } from "./begin.ts";
import type { CallbackQuery } from "./forms.ts";
import { callbackUrl, type Login, type LoginName, loginTitle } from "./logins.ts";
import { type FoundSession, findSession, type Session } from "./session.ts";
import { judgeState } from "./state.ts";
import { markFailed, type Progress, takeState } from "./store.ts";

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
      readonly message: string;
    }
  | { readonly kind: "choose"; readonly session: Session }
  | { readonly kind: "connected"; readonly session: Session; readonly progress: Progress | null };

export async function receiveCallback(deps: Deps, callback: Callback): Promise<CallbackOutcome> {
  const { browserHash, query } = callback;
  const { name } = callback.login;
  const state = query.state ?? "";
  const owner = await judgeState(deps.config.signingKey, state, { name, browserHash }, Date.now());
  if (owner !== "own") return { kind: owner === "unknown" ? "unrecognised" : owner };
  const stateHash = await sha256Hex(state);
  const sealed = await takeState(deps.db, stateHash, name, browserHash);
  const plain = sealed === null ? null : await deps.sealer.open(sealed, loginContext(stateHash));
  if (plain === null) return { kind: "unrecognised" };
  const { connectToken, verifier } = LoginSecrets.parse(JSON.parse(plain));
  const found = await findSession(deps, connectToken);
  if (found.kind !== "open") return { kind: "closed", found };
  if (found.progress?.status === "success")
    return { kind: "finished", session: found.session, progress: found.progress };
  return useLogin(deps, found, callback, verifier);
}

async function useLogin(
  deps: Deps,
  { session, progress: before }: Extract<FoundSession, { kind: "open" }>,
  { login: { name, platform, further, oauth }, query, origin, browserHash }: Callback,
  codeVerifier: string | null,
): Promise<CallbackOutcome> {
  const title = platformTitle(platform.name);
  const target = connectable(deps, session, name);
  if (!target)
    return fail(deps, session, name, {
      status: 503,
      message: `${loginTitle(name)}: no longer set up here. Contact the operator of this service.`,
    });
  if (query.error || query.error_code)
    return fail(deps, session, name, refusal({ title, further }, query, oauth.loginErrors));
  const code = query[oauth.codeParameter ?? "code"];
  if (!code) {
    const message = `${title} returned no permission. Try again.`;
    return fail(deps, session, name, { status: 400, message });
  }
  const payer = { projectId: session.token.projectId, platform: platform.name, postId: null };
  const billing = new Billing(deps, payer, platform.pricing);
  const granted = await withinCeiling(() =>
    oauth.exchange(
      { send: billing.over(deps.sendFor(session)), app: target.app, now: Date.now() },
      { code, redirectUri: callbackUrl(origin, name), codeVerifier },
    ),
  );
  if (granted.kind === "failed") {
    return fail(deps, session, name, { status: statusOf(granted), message: granted.message });
  }

  const usable = granted.accounts.filter(isUsable);
  if (usable.length === 0) {
    const unusableReason = granted.accounts.find((account) => account.unusableReason !== null)?.unusableReason;
    const message = unusableReason ?? `This login has no account at ${title} that can be published to.`;
    return fail(deps, session, name, { status: 403, message });
  }
  if (further) {
    const outcome = await connectAdditionalLogin(deps, session, before, { platform, further, accounts: usable });
    if (outcome.kind === "mismatch") {
      return fail(deps, session, name, { status: 403, message: outcome.message });
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
  readonly message: string;
}

/** The platform's own words are shown only if nothing else is known. */
function refusal(
  { title, further }: { readonly title: string; readonly further: AdditionalLogin | null },
  query: CallbackQuery,
  known: OAuth["loginErrors"] = {},
): Refused {
  const meant = query.error === "access_denied" ? "declined" : known[query.error ?? ""];
  if (meant === "declined") {
    const lacks = further
      ? `its ${further.title} are not connected. Existing connections stay`
      : "no account was connected";
    return { status: 403, message: `Access was not allowed at ${title}, so ${lacks}.` };
  }
  if (meant) return { status: 400, message: meant.message };
  const words = ellipsis(query.error_description || query.error_message || query.error || "no reason was given.", 200);
  return { status: 400, message: `${title} did not connect the account: ${words}` };
}

function statusOf({ reason }: Failure): 400 | 503 {
  return reason === "throttled" || reason === "down" || reason === "blocked" ? 503 : 400;
}

async function fail(
  deps: Deps,
  session: Session,
  login: LoginName,
  { status, message }: Refused,
): Promise<CallbackOutcome> {
  const { hash, projectId } = session.token;
  const progress = await markFailed(deps.db, hash, login, message);
  deps.log.event("connect_failed", { platform: login, project: projectId, status });
  return { kind: "failed", session, progress, status, message };
}

/** A login reads the account, which some platforms charge for. */
async function withinCeiling(exchange: () => ReturnType<OAuth["exchange"]>): ReturnType<OAuth["exchange"]> {
  try {
    return await exchange();
  } catch (error) {
    if (!(error instanceof CostCeilingReached)) throw error;
    return { kind: "failed", reason: "blocked", message: error.message };
  }
}
