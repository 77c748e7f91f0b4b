import type { SQL } from "drizzle-orm";
import type { z } from "zod";
import type { Statement } from "../db/client.ts";
import type { ActResult, FindResult } from "../jobs/outcomes.ts";
import { visibilityLag } from "../jobs/recheck-policy.ts";
import type {
  AccountContext,
  Duplicate,
  Failure,
  Json,
  Unknown,
  Unprepared,
  Unreadable,
} from "../platforms/context.ts";
import { weighRefusal } from "../platforms/outcomes.ts";
import { type ActingAs, failedLookUp, handleFailure } from "./acting.ts";
import { callPlatform } from "./call-platform.ts";
import type { Pacing } from "./paced-act.ts";
import { type Preparation, prepare, prepareAgain, readPrepared } from "./prepared.ts";
import { checkRateLimits } from "./rate-limits.ts";
import { confirmRefusal, readRefused } from "./refused.ts";

/**
 * Performs external acts as a channel, for every feature:
 *
 *   prepare ──▶ rate limits ──▶ intent stored ──▶ act ──▶ result stored, with what settles it
 *                                                  │ refusal ──▶ checked by a look-up, then handled
 *                                                  │ no clear answer ──▶ find, in a later delivery
 */
export interface Act<T> {
  /** The step of the job's journal that keeps the intent and the result. */
  readonly step: string;
  readonly schema: z.ZodType<T>;
  /** How late the platform may show what it has accepted. Nothing is sent again before that. */
  readonly lagSeconds: number;
  /** Whether the platform itself refuses to do it a second time. */
  readonly refusesRepeat?: boolean;
  /** Whether an unconfirmed act is checked until the deadline; left out: if the job is patient. */
  readonly checksUntilDeadline?: boolean;
  /** Must not hold in the statement that stores the intent, e.g. "the post is deleted". */
  readonly unless?: SQL;
  /** The turns of an act whose pace is limited. */
  readonly pacing?: Pacing;
  /** The longest that `act` may take, in milliseconds. */
  readonly limitMs?: number;
  /** What the platform needs before the act; may be repeated, and is not visible to others. */
  readonly preparation?: Preparation;
  /** Written with the intent, in its transaction. */
  begins?(intended: SQL): readonly Statement[];
  /** Written with the result, in its transaction. */
  settles(value: T): readonly Statement[];
  /** `progress` is the progress of the preparation. */
  act(context: AccountContext, progress: Json): Promise<ActOutcome<T>>;
  /** Looks up what an act since then may have done. Only reads. */
  find(context: AccountContext, since: number, progress: Json): Promise<LookUp<T>>;
  /** Whether the found object is ours; left out: it is. */
  adopt?(value: T): Promise<FindResult<T>>;
  /**
   * When a refusal is believed: at once, after one look-up, or after a second look-up this many seconds
   * later. By then the platform should show an act that it carried out despite the refusal.
   */
  readonly believes: "at_once" | "after_look_up" | { readonly afterSeconds: number };
  /** Called before a refusal is handled: the act did nothing. */
  refused?(): Promise<void>;
  /** For platforms that reject duplicates: called if the same content existed before any act of this job. */
  repeated?(): Promise<T | null>;
}

export type ActOutcome<T> = { readonly kind: "done"; readonly value: T } | Unprepared | Unknown | Duplicate | Failure;

export type LookUp<T> =
  | { readonly kind: "found"; readonly value: T }
  /** Does not exist, as far as the platform shows now. */
  | { readonly kind: "absent" }
  | Unknown
  | Unreadable
  | Failure;

type Refusal = Failure | Unprepared | { readonly kind: "repeated" };

/** Null if `unless` forbids the act and it certainly was not done. Other outcomes are thrown. */
export async function perform<T>(acting: ActingAs, act: Act<T>): Promise<T | null> {
  const { deps, journal } = acting;
  const { step, schema, limitMs, unless, pacing } = act;
  const mayBeDone = journal.isUnconfirmed(step);
  const progress = await prepareAct(acting, act, mayBeDone || journal.isDone(step));
  const begunAt = journal.begunAt(step);
  const done = await journal.once<T, Refusal>(step, {
    schema,
    codes: { unknown: "may_be_published", duplicate: "duplicate" },
    ...visibilityLag(deps.config, act.lagSeconds),
    get refusesRepeat() {
      return act.refusesRepeat ?? false;
    },
    checksUntilDeadline: act.checksUntilDeadline ?? acting.isPatient,
    ...(unless ? { unless } : {}),
    begins: (intended) => act.begins?.(intended) ?? [],
    ...pacing?.once,
    ...(limitMs === undefined ? {} : { limitMs }),
    settles: (value) => act.settles(value),
    act: async () =>
      toResult(await actAndWeigh(acting, act, begunAt, progress), act.repeated !== undefined && !mayBeDone),
    find: (since) => find(acting, act, since, progress),
    refused: (refusal) => afterRefusal(acting, act, begunAt, refusal),
  });
  if (done === null) await pacing?.wait();
  return done;
}

/** An act that is done, or must be looked up, needs neither preparation nor room under the rate limits. */
async function prepareAct<T>(acting: ActingAs, { preparation }: Act<T>, isBegun: boolean): Promise<Json> {
  if (isBegun) return preparation ? (readPrepared(acting.journal, preparation.step)?.progress ?? null) : null;
  const progress = preparation ? await prepare(acting, preparation) : null;
  checkRateLimits(acting);
  return progress;
}

/** The act itself. A look-up checks a refusal before it is believed. */
async function actAndWeigh<T>(acting: ActingAs, act: Act<T>, begunAt: number, progress: Json): Promise<ActOutcome<T>> {
  const { journal } = acting;
  const { step, believes } = act;
  const earlier = typeof believes === "object" ? readRefused(journal, step) : null;
  if (earlier) {
    const weighed = weighRefusal(earlier.failure, await lookUp(acting, act, earlier.since, progress));
    if (weighed.kind === "unknown" || !earlier.isBelieved) return weighed;
  }
  const outcome = await callPlatform(acting, (context) => act.act(context, progress));
  if (outcome.kind !== "failed" || believes === "at_once") return outcome;
  return weighRefusal(outcome, await lookUp(acting, act, begunAt, progress));
}

function lookUp<T>(acting: ActingAs, act: Act<T>, since: number, progress: Json): Promise<LookUp<T>> {
  return callPlatform(acting, (context) => act.find(context, since, progress));
}

function toResult<T>(outcome: ActOutcome<T>, isRepeat: boolean): ActResult<T, Refusal> {
  switch (outcome.kind) {
    case "done":
    case "unknown":
      return outcome;
    case "duplicate":
      return isRepeat ? { kind: "refused", failure: { kind: "repeated" } } : outcome;
    case "unprepared":
    case "failed":
      return { kind: "refused", failure: outcome };
  }
}

async function find<T>(acting: ActingAs, act: Act<T>, since: number, progress: Json): Promise<FindResult<T>> {
  const outcome = await lookUp(acting, act, since, progress);
  switch (outcome.kind) {
    case "found":
      return act.adopt?.(outcome.value) ?? outcome;
    case "absent":
    case "unreadable":
      return outcome;
    case "unknown":
      return { ...outcome, kind: "unclear" };
    case "failed":
      return failedLookUp(acting, outcome, `find:${act.step}`);
  }
}

async function afterRefusal<T>(acting: ActingAs, act: Act<T>, begunAt: number, refusal: Refusal): Promise<T | null> {
  const { step, believes } = act;
  if (refusal.kind === "repeated") return act.repeated?.() ?? null;
  await act.refused?.();
  if (refusal.kind === "unprepared") return prepareAgain(acting.journal, step, refusal);
  if (typeof believes !== "object") return handleFailure(acting, refusal, step);
  const refused = await confirmRefusal(acting, step, { failure: refusal, begunAt, ...believes });
  return handleFailure(refused, refusal, step);
}

/** An act that may be repeated, such as a deletion. */
export interface RepeatableAct<T> {
  /** The name under which retries are counted. */
  readonly step: string;
  readonly preparation?: Preparation;
  /** Whether it also acts while a rate limit is used up. */
  readonly ignoresLimits?: boolean;
  /** Whether a refused act waits until the deadline; left out: if the job is patient. */
  readonly isPatient?: boolean;
  /** Stores what the act may change, right before it; false: the act is no longer wanted. */
  begins?(): Promise<boolean>;
  act(context: AccountContext, progress: Json): Promise<T | Failure>;
}

/** Null if the act is no longer wanted. Other outcomes are thrown. */
export async function performRepeatable<T extends { readonly kind: string }>(
  acting: ActingAs,
  { step, preparation, ignoresLimits, isPatient = acting.isPatient, begins, act }: RepeatableAct<T>,
): Promise<T | null> {
  if (!ignoresLimits) checkRateLimits(acting);
  const progress = preparation ? await prepare(acting, preparation) : null;
  await acting.journal.checkpoint();
  if (begins) {
    if (!(await begins())) return null;
    acting.journal.requireLease();
  }
  const outcome = await callPlatform<T | Failure>(acting, (context) => act(context, progress));
  return isFailure(outcome) ? handleFailure({ ...acting, isPatient }, outcome, step) : outcome;
}

function isFailure(outcome: { readonly kind: string }): outcome is Failure {
  return outcome.kind === "failed";
}
