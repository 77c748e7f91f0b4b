import { alertOperators } from "../alerts/alert-operators.ts";
import { accountContext, openGrant, type Unusable } from "../channels/credentials.ts";
import { type GrantVersion, markStopped } from "../channels/grant-store.ts";
import { capabilityRules, healthOf, reconnectSentence } from "../channels/health.ts";
import { recordRateLimit, toActiveLimit } from "../channels/rate-limits.ts";
import { loginOf } from "../channels/reconnections.ts";
import {
  DISCONNECTED,
  grantOf,
  grantRules,
  type Renewed,
  renewEnding,
  renewRefused,
  stopGrant,
} from "../channels/renewal.ts";
import { type Actor, type Channel, findActor } from "../channels/store.ts";
import type { Act } from "../channels/table.ts";
import type { Cause, RawAnswer } from "../core/failures.ts";
import type { PostId } from "../core/ids.ts";
import { SECOND } from "../core/time.ts";
import type { Journal } from "../jobs/journal.ts";
import { type FindResult, JobFailed, RetryLater } from "../jobs/outcomes.ts";
import type { AccountContext, Failure, FailureReason } from "../platforms/context.ts";
import type { Capability } from "../platforms/names.ts";
import { codeOf } from "../platforms/outcomes.ts";
import { showingAnswers } from "../platforms/raw-answer.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Deps } from "../service/deps.ts";
import { Billing } from "../usage/billing.ts";
import { type RateLimits, rateLimitsOf, shareElsewhere } from "./rate-limits.ts";

/**
 * Acting as a channel from a job. This is the only place that turns the state of credentials and refusals
 * into a decision: wait, renew, stop or fail.
 *
 * A *patient* job waits for a channel that only the account owner can fix, until the job's own deadline.
 * Other jobs fail with the reason, which the account owner sees.
 */
export interface Acting {
  readonly deps: Deps;
  readonly journal: Journal;
  readonly isPatient: boolean;
  /** The act whose rate limits apply, if not those of the capability. */
  readonly act?: Act;
  /** The post that the calls are for, if they are for one. */
  readonly postId?: PostId;
}

/** A job that may act as its channel now. */
export interface ActingAs extends Acting {
  readonly channel: Channel;
  readonly capability: Capability;
  /** The credentials in use: refusals are recorded against this version. */
  readonly grant: GrantVersion;
  readonly context: AccountContext;
  readonly limits: RateLimits;
  readonly billing: Billing;
}

/** With the backoff of core/backoff.ts this is most of a day. */
const DOWN_TRIES = 20;
const BLOCKED_SECONDS = 15 * 60;
/** PACE_FACTOR never shortens waits below 5 s. */
const SHORT_SECONDS = 5;
/** The wait before a retry if the platform does not say when the limit resets. */
const DEFAULT_LIMIT_SECONDS = 15 * 60;
/** How often a patient job checks whether the channel works again; a reconnection wakes it at once. */
const RECONNECT_SECONDS = 10 * 60;
/** Credentials this close to their expiry are renewed before use. */
const TOO_NEAR_MS = 30 * SECOND;

/** The channel with credentials that are valid for at least half a minute; else ends the delivery. */
export async function actAs(acting: Acting, actor: Actor | null, capability: Capability): Promise<ActingAs> {
  if (!actor) return failOrWait(acting, null, DISCONNECTED);
  if (!capabilityRules(actor.channel.platform, capability)) {
    throw new JobFailed("unsupported_by_platform", `This service cannot do that on ${actor.channel.platform}.`);
  }
  const access = await accessChannel(acting.deps, actor, capability, { postId: acting.postId ?? null });
  if (access.kind !== "ready") return failOrWait(acting, actor.channel, access);
  const { channel, grant, context, billing } = access;
  const limits = rateLimitsOf(acting.deps, actor, acting.act ?? capability, context.send);
  const { accessToken, refreshToken } = context.credentials;
  const send = showingAnswers(limits.send, [accessToken, refreshToken ?? "", context.app.secret]);
  return { ...acting, channel, capability, grant, context: { ...context, send }, limits, billing };
}

/**
 * Decides how to handle a refusal of an act called `at`: retry later, renew the credentials, stop the
 * capability, or fail.
 */
export async function handleFailure(acting: ActingAs, refusal: Failure, at: string): Promise<never> {
  const { deps, journal, isPatient, channel } = acting;
  const failure = withScaledWait(deps, refusal);
  const retry = failure.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: failure.retryAfterSeconds };
  const { message, answer } = failure;
  const cause = { code: codeOf(failure), message, answer };
  switch (failure.reason) {
    case "rejected":
      throw new JobFailed(cause.code, message, answer);
    case "throttled":
      return waitForAllowance(acting, failure, at);
    case "down":
      return journal.retryWithBackoff(at, cause, isPatient ? retry : { ...retry, maxRetries: DOWN_TRIES });
    case "blocked":
      deps.log.audit("platform_blocked", { platform: channel.platform, channelId: channel.id });
      await alertOperators(deps, "platform_blocked", channel.platform);
      return waitForOperator(acting, failure, cause);
    case "disconnected":
    case "permission_missing":
    case "token_expired":
      return retryWithNewCredentials(
        acting,
        await settleConnection(deps, acting, { reason: failure.reason, message }),
        answer,
      );
  }
}

/** Waits for the operator, who has to act at the platform. */
function waitForOperator({ deps, journal }: ActingAs, failure: Failure, cause: Cause): never {
  const seconds = failure.retryAfterSeconds ?? scaledSeconds(deps, BLOCKED_SECONDS);
  if (isLimit(failure)) return journal.suspend(seconds, cause);
  throw new RetryLater(seconds, cause);
}

/**
 * Whether a limit of the platform is reached: ours with a plan or credits that are used up, or the account's.
 * The wait for it does not count against the deadline. What the account owner has to lift is no limit.
 */
export function isLimit({ reason, code, limit }: Failure): boolean {
  if (limit) return reason === "throttled" || reason === "blocked";
  return reason === "throttled" && code !== "account_restricted";
}

/** Shortens the wait by `PACE_FACTOR`, which end-to-end tests set; elsewhere unchanged. */
export function withScaledWait(deps: Pick<Deps, "config">, failure: Failure): Failure {
  const { retryAfterSeconds } = failure;
  return retryAfterSeconds === undefined
    ? failure
    : { ...failure, retryAfterSeconds: scaledSeconds(deps, retryAfterSeconds) };
}

function scaledSeconds({ config }: Pick<Deps, "config">, seconds: number): number {
  return Math.min(seconds, Math.max(SHORT_SECONDS, Math.ceil(seconds / config.paceFactor)));
}

/**
 * A failed look-up, in the form that `Journal.once` takes. A refusal of the credentials ends the delivery, as
 * it does for an act.
 */
export async function failedLookUp(acting: ActingAs, refusal: Failure, at = "find"): Promise<FailedLookUp> {
  if (isAboutConnection(refusal)) return handleFailure(acting, refusal, at);
  const { reason, message, answer, retryAfterSeconds } = withScaledWait(acting.deps, refusal);
  const cause = { code: codeOf(refusal), message, answer };
  const failed = { kind: "failed", cause, isRefused: reason === "rejected", isLimit: isLimit(refusal) } as const;
  return retryAfterSeconds === undefined ? failed : { ...failed, retryAfterSeconds };
}

type FailedLookUp = Extract<FindResult<never>, { readonly kind: "failed" }>;

/** Handles a refusal of the credentials, and returns whether new ones exist now. */
export async function settleConnection(
  deps: Deps,
  acting: Pick<ActingAs, "channel" | "grant" | "capability">,
  { reason, message }: { readonly reason: ConnectionReason; readonly message: string },
): Promise<Renewed> {
  switch (reason) {
    case "disconnected":
      return stopGrant(deps, acting.channel, acting.grant, message);
    case "permission_missing":
      return stopCapability(deps, acting, message);
    case "token_expired":
      return renewRefused(deps, acting.grant, message);
  }
}

type ConnectionReason = Extract<FailureReason, "token_expired" | "disconnected" | "permission_missing">;

/** A limit that other jobs share is stored in the statement of the wait. */
async function waitForAllowance({ deps, journal, limits }: ActingAs, failure: Failure, at: string): Promise<never> {
  const { message, answer, limit: scope, retryAfterSeconds } = failure;
  const now = Date.now();
  const until = now + (retryAfterSeconds ?? scaledSeconds(deps, DEFAULT_LIMIT_SECONDS)) * SECOND;
  const limit = scope ? toActiveLimit({ scope, until, message }, limits.act, now) : null;
  if (limit) {
    await shareElsewhere(deps, limits.of, limit);
    return recordRateLimit(deps.db, journal, limits.of, { ...limit, answer });
  }
  const cause = { code: codeOf(failure), message, answer };
  if (isLimit(failure)) return journal.suspendWithBackoff(at, cause, retryAfterSeconds);
  return journal.retryWithBackoff(at, cause, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}

/** Whether a refusal is about the credentials, not about the act. */
export function isAboutConnection(failure: Failure): failure is Failure & { readonly reason: ConnectionReason } {
  const { reason } = failure;
  return reason === "token_expired" || reason === "disconnected" || reason === "permission_missing";
}

type Ready = {
  readonly kind: "ready";
  readonly channel: Channel;
  readonly grant: GrantVersion;
  readonly context: AccountContext;
  readonly billing: Billing;
};

/**
 * The channel with credentials for a capability, or why not. For callers that are not jobs and have their own
 * way to wait.
 */
export async function accessAs(deps: Deps, actor: Actor | null, capability: Capability): Promise<Ready | Unusable> {
  return actor ? accessChannel(deps, actor, capability, { postId: null }) : DISCONNECTED;
}

async function accessChannel(
  deps: Deps,
  actor: Actor,
  capability: Capability,
  { postId, isRenewed = false }: AccessRequest,
): Promise<Ready | Unusable> {
  const { channel, grants } = actor;
  const rules = capabilityRules(channel.platform, capability);
  if (!rules || channel.disconnectedAt !== null) return DISCONNECTED;
  const now = Date.now();
  const { health, reason, code } = healthOf(channel, grants, capability, now);
  const grant = grantOf(actor, rules.grant);
  const needs = grantRules(channel.platform, rules.grant);
  if (health === "reconnect_needed" || !grant || !needs) {
    const sentence = reason ?? reconnectSentence(channel, capability);
    return { kind: "reconnect_needed", code: code ?? "reconnect_needed", reason: sentence };
  }
  const opened = await openGrant(deps, channel, grant);
  if (opened.kind !== "open") return opened;
  const { expiresAt } = opened.credentials;
  // Renewed at most once: a token that a platform issues for seconds only is used as it is.
  if (!isRenewed && expiresAt !== null && expiresAt - now < TOO_NEAR_MS) {
    const renewed = await renewEnding(deps, grant);
    if (renewed.kind !== "renewed") return renewed;
    const again = await findActor(deps.db, channel.id);
    return again ? accessChannel(deps, again, capability, { postId, isRenewed: true }) : DISCONNECTED;
  }
  const made = accountContext(deps, actor, needs, opened.credentials);
  if (made.kind !== "ready") return made;
  const { platform, projectId } = channel;
  const billing = new Billing(deps, { projectId, platform, postId }, findPlatform(platform)?.pricing);
  const context = { ...made.context, send: billing.over(made.context.send) };
  return { kind: "ready", channel, grant, context, billing };
}

interface AccessRequest {
  readonly postId: PostId | null;
  readonly isRenewed?: boolean;
}

/** A missing permission stops this capability only: the credentials still serve the others. */
async function stopCapability(
  deps: Deps,
  { channel, grant, capability }: Pick<ActingAs, "channel" | "grant" | "capability">,
  words: string,
): Promise<Renewed> {
  const reason = `${words} ${reconnectSentence(channel, capability)}`;
  const stop = { capability, reason, now: Date.now() };
  if (!(await markStopped(deps.db, channel.projectId, grant, stop))) return { kind: "renewed" };
  deps.log.event("channel_capability_stopped", { channelId: channel.id, platform: channel.platform, capability });
  return { kind: "reconnect_needed", code: "permission_missing", reason };
}

/** Renewed credentials exist: the next delivery uses them. */
function retryWithNewCredentials(acting: ActingAs, outcome: Renewed, answer: RawAnswer | undefined): never {
  if (outcome.kind === "renewed") return acting.journal.retryLater(0, "The channel's credentials were renewed.", null);
  return failOrWait(acting, acting.channel, outcome, answer);
}

function failOrWait(
  { deps, journal, isPatient }: Acting,
  channel: Pick<Channel, "id"> | null,
  unusable: Unusable,
  answer?: RawAnswer,
): never {
  const { code, reason: message } = unusable;
  if (unusable.kind === "later" && code === "rate_limited")
    return journal.suspend(unusable.seconds, { code, message, answer });
  if (unusable.kind === "later") throw new RetryLater(unusable.seconds, { code, message, answer });
  if (!isPatient) throw new JobFailed(unusable.code, message, answer);
  const resumeKey = channel === null ? {} : { resumeKey: loginOf(channel.id) };
  throw new RetryLater(scaledSeconds(deps, RECONNECT_SECONDS), { code, message, answer, ...resumeKey });
}
