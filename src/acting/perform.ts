import { type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Statement } from "../db/client.ts";
import type { ActResult, FindResult, OncePlan } from "../jobs/outcomes.ts";
import { visibilityLag } from "../jobs/recheck-policy.ts";
import type { SetBack } from "../jobs/set-back.ts";
import type { AccountContext, Duplicate, Failure, Unknown, Unprepared, Unreadable } from "../platforms/context.ts";
import { weighRefusal } from "../platforms/outcomes.ts";
import type { PlannedAct } from "../usage/billing.ts";
import { type ActingAs, failedLookUp, handleFailure } from "./acting.ts";
import { callPlatform } from "./call-platform.ts";
import { isBegun, prepareAgain } from "./prepared.ts";
import { checkRateLimits } from "./rate-limits.ts";
import { confirmRefusal, readRefused } from "./refused.ts";

/**
 * Performs external acts as a channel, for every feature:
 *
 *   rate limits ──▶ intent stored ──▶ act ──▶ result stored, with what settles it
 *                                      │ refusal ──▶ checked by a look-up, then handled
 *                                      │ no clear answer ──▶ find, in a later delivery
 *
 * Before: prepared.ts uploads what the act needs. After: refused.ts has the second look-up of a refusal, and
 * `handleFailure` in acting.ts turns a refusal into a wait or the job's failure. jobs/act-once.ts stores the
 * states of an act.
 */
export interface Act<T> {
  /** The step of the job's journal that keeps the intent and the result. */
  readonly step: string;
  readonly schema: z.ZodType<T>;
  readonly evidence: Evidence;
  readonly intent?: ActIntent;
  readonly suspect?: Suspicion | null;
  /** For the project's usage and its ceiling; left out: the act is not counted. */
  readonly cost?: PlannedAct;
  /** The longest that `act` may take, in milliseconds. */
  readonly limitMs?: number;
  /** Written with the result, in its transaction. */
  settles(value: T): readonly Statement[];
  /** Whether the result may be stored with the job's next intent, because nothing else happens before it. */
  isSettledWithNext?(value: T): boolean;
  act(context: AccountContext): Promise<ActOutcome<T>>;
  /** Looks up what an act since then may have done. Only reads. */
  find(context: AccountContext, since: number): Promise<LookUp<T>>;
  /** For platforms that reject duplicates: called if the same content existed before any act of this job. */
  repeated?(): Promise<T | null>;
}

/** The act may have been done in a time that the database has lost: it is looked up before it is done. */
export interface Suspicion extends SetBack {
  /** Stored before the look-up. */
  also?(): readonly Statement[];
}

/** What shows whether an act was done. */
interface Evidence {
  /** How late the platform may show what it has accepted. Nothing is sent again before that. */
  readonly lagSeconds: number;
  /** Whether the platform itself refuses to do it a second time. */
  readonly refusesRepeat?: boolean;
  /** Whether an unconfirmed act is checked until the deadline; left out: if the job is patient. */
  readonly checksUntilDeadline?: boolean;
  /**
   * When a refusal is believed: at once, after one look-up, or after a second look-up this many seconds
   * later. By then the platform should show an act that it carried out despite the refusal.
   */
  readonly believes: "at_once" | "after_look_up" | { readonly afterSeconds: number };
}

/** The transaction that stores the intent of an act. */
export interface ActIntent {
  /** Must not hold in it, e.g. "the post is deleted". */
  readonly unless: SQL;
  /** Written in it. */
  begins?(intended: SQL): readonly Statement[];
  /** Called if `unless` held: ends the delivery, unless the act is no longer wanted. */
  wait?(): Promise<void>;
  /** Called before a refusal is handled: the act did nothing. */
  undo?(): Promise<void>;
}

export type ActOutcome<T> = { readonly kind: "done"; readonly value: T } | Unprepared | Unknown | Duplicate | Failure;

type LookUp<T> =
  /** `adopt` checks whether the found object is ours; left out: it is. */
  | { readonly kind: "found"; readonly value: T; adopt?(): Promise<FindResult<T>> }
  /** Does not exist, as far as the platform shows now. */
  | { readonly kind: "absent" }
  | Unknown
  | Unreadable
  | Failure;

type Refusal = Failure | Unprepared | { readonly kind: "repeated" };

/** Null if `unless` forbids the act and it certainly was not done. Other outcomes are thrown. */
export async function perform<T>(acting: ActingAs, act: Act<T>): Promise<T | null> {
  const { deps, journal, billing } = acting;
  const { step, schema, evidence, intent, limitMs } = act;
  if (act.suspect && !journal.wasBegun(step)) await journal.suspect(step, act.suspect, act.suspect.also?.() ?? []);
  const mayBeDone = journal.isUnconfirmed(step);
  if (!isBegun(journal, step)) checkRateLimits(acting);
  const begunAt = journal.begunAt(step);
  const cost = billing.plan(act.cost);
  const plan: OncePlan<T, Refusal> = {
    schema,
    codes: { unknown: "may_be_published", duplicate: "duplicate" },
    ...visibilityLag(deps.config, evidence.lagSeconds),
    get refusesRepeat() {
      return evidence.refusesRepeat ?? false;
    },
    checksUntilDeadline: evidence.checksUntilDeadline ?? acting.isPatient,
    get unless() {
      return sql`(${intent?.unless ?? sql`0`} OR ${billing.forbids(cost) ?? sql`0`})`;
    },
    begins: (intended) => [...(intent?.begins?.(intended) ?? []), ...billing.reserveAct(cost, intended)],
    ...(limitMs === undefined ? {} : { limitMs }),
    settles: (value) => act.settles(value),
    isSettledWithNext: (value) => act.isSettledWithNext?.(value) ?? false,
    act: async () => {
      const outcome = await billing.during(() => actAndWeigh(acting, act, begunAt));
      return toResult(outcome, act.repeated !== undefined && !mayBeDone);
    },
    find: (since) => find(acting, act, since),
    refused: (refusal) => afterRefusal(acting, act, begunAt, refusal),
  };
  const done = await onceNotTooOften(acting, step, plan);
  if (done === null) {
    await billing.requireRoom(cost, intent?.unless ?? sql`0`);
    await intent?.wait?.();
  }
  return done;
}

/** Looks up less often near the ceiling of the platform cost. */
async function onceNotTooOften<T>({ journal, billing }: ActingAs, step: string, plan: OncePlan<T, Refusal>) {
  try {
    return await journal.once(step, plan);
  } catch (error) {
    throw billing.slowedDown(error);
  }
}

/** The act itself. A look-up checks a refusal before it is believed. */
async function actAndWeigh<T>(acting: ActingAs, act: Act<T>, begunAt: number): Promise<ActOutcome<T>> {
  const { journal } = acting;
  const { step } = act;
  const { believes } = act.evidence;
  const earlier = typeof believes === "object" ? readRefused(journal, step) : null;
  if (earlier) {
    const weighed = weighRefusal(earlier.failure, await lookUp(acting, act, earlier.since));
    if (weighed.kind === "unknown" || !earlier.isBelieved) return weighed;
  }
  const outcome = await callPlatform(acting, (context) => act.act(context));
  if (outcome.kind !== "failed" || believes === "at_once") return outcome;
  return weighRefusal(outcome, await lookUp(acting, act, begunAt));
}

function lookUp<T>(acting: ActingAs, act: Act<T>, since: number): Promise<LookUp<T>> {
  return callPlatform(acting, (context) => act.find(context, since));
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

async function find<T>(acting: ActingAs, act: Act<T>, since: number): Promise<FindResult<T>> {
  const outcome = await lookUp(acting, act, since);
  switch (outcome.kind) {
    case "found":
      return outcome.adopt?.() ?? outcome;
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
  const { step } = act;
  const { believes } = act.evidence;
  if (refusal.kind === "repeated") return act.repeated?.() ?? null;
  await act.intent?.undo?.();
  if (refusal.kind === "unprepared") return prepareAgain(acting.journal, step, refusal);
  if (typeof believes !== "object") return handleFailure(acting, refusal, step);
  const refused = await confirmRefusal(acting, step, { failure: refusal, begunAt, ...believes });
  return handleFailure(refused, refusal, step);
}

/** An act that may be repeated, such as a deletion. */
export interface RepeatableAct<T> {
  /** The name under which retries are counted. */
  readonly step: string;
  /** Whether it also acts while a rate limit is reached. */
  readonly ignoresLimits?: boolean;
  /** Whether a refused act waits until the deadline; left out: if the job is patient. */
  readonly isPatient?: boolean;
  /** Stores what the act may change, right before it; false: the act is no longer wanted. */
  begins?(): Promise<boolean>;
  act(context: AccountContext): Promise<T | Failure>;
}

/** Null if the act is no longer wanted. Other outcomes are thrown. */
export async function performRepeatable<T extends { readonly kind: string }>(
  acting: ActingAs,
  { step, ignoresLimits, isPatient = acting.isPatient, begins, act }: RepeatableAct<T>,
): Promise<T | null> {
  if (!ignoresLimits) checkRateLimits(acting);
  await acting.journal.checkpoint();
  if (begins) {
    if (!(await begins())) return null;
    acting.journal.requireLease();
  }
  const outcome = await callPlatform<T | Failure>(acting, act);
  return isFailure(outcome) ? handleFailure({ ...acting, isPatient }, outcome, step) : outcome;
}

function isFailure(outcome: { readonly kind: string }): outcome is Failure {
  return outcome.kind === "failed";
}
