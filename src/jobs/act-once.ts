import { sql } from "drizzle-orm";
import type { Cause, FailureCode, RawAnswer } from "../core/failures.ts";
import { SECOND } from "../core/time.ts";
import { type Db, writeTogether } from "../db/client.ts";
import { isUnconfirmed, type JournalSteps, resultOf } from "./journal-steps.ts";
import { ACT_LIMIT_MS, type Lease } from "./lease.ts";
import { JobFailed, type OncePlan, RetryLater } from "./outcomes.ts";
import { decideAfterAbsent, secondsToRecheck, shouldStopChecking } from "./recheck-policy.ts";
import type { JobStep } from "./store.ts";
import { jobStepsTable } from "./table.ts";

/**
 * The states of a step that acts outside at most once:
 *
 *   (none) ──intent stored──▶ begun ──answer──▶ done
 *                               │ refusal ──▶ as before the act
 *                               │ no answer ──▶ unknown, duplicate ──find──▶ done, or begun again (recheck-policy.ts)
 */

/** What the delivery that holds the job uses to act. */
export interface ActContext {
  readonly db: Db;
  readonly lease: Lease;
  readonly steps: JournalSteps;
}

/** Implements `Journal.once`, with its guarantees. */
export async function actOnce<T, F>(acting: ActContext, name: string, plan: OncePlan<T, F>): Promise<T | null> {
  const { lease, steps } = acting;
  const known = steps.find(name);
  if (known?.state === "done") return plan.schema.parse(resultOf(known));
  const step = known && isUnconfirmed(known) ? known : undefined;
  if (step?.unresolvedReason && !plan.checksUntilDeadline) throw unresolved(step, plan, step.unresolvedReason);
  await lease.checkpoint();
  if (step) {
    const found = await check(steps, step, plan);
    if (found.kind === "found") return found.value;
  }
  const begun = await begin(acting, name, known, plan);
  if (!begun) return null;
  // A delivery that stalled here may have lost the job to another delivery: it must not act any more.
  lease.require();
  const acted = await lease.during(plan.limitMs ?? ACT_LIMIT_MS, (signal) => plan.act(signal));
  switch (acted.kind) {
    case "done":
      await settle(steps, begun, plan, acted.value);
      return acted.value;
    case "refused":
      // This act did nothing; the result of an earlier act is as unconfirmed as before.
      await steps.save(step ?? { ...begun, state: "waiting" });
      return plan.refused(acted.failure);
    case "unknown":
    case "duplicate": {
      const unconfirmed = { ...begun, state: acted.kind, result: JSON.stringify(acted.message), retries: 0 } as const;
      const { message, answer } = acted;
      const cause = { code: unconfirmedCode(unconfirmed, plan), message, answer };
      throw new RetryLater(secondsToRecheck(0), cause, [steps.upsert(unconfirmed)]);
    }
  }
}

/** Stores the result, now or with the next intent. */
async function settle<T, F>(steps: JournalSteps, begun: JobStep, plan: OncePlan<T, F>, value: T): Promise<void> {
  const done: JobStep = { ...begun, state: "done", result: JSON.stringify(value) };
  const also = plan.settles?.(value);
  if (plan.isSettledWithNext?.(value)) steps.saveWithNext(done, also);
  else await steps.save(done, also);
}

/**
 * Checks for the result of an earlier act: found, or `act` again. Throws to wait, and when checking stops.
 */
async function check<T, F>(
  steps: JournalSteps,
  step: JobStep,
  plan: OncePlan<T, F>,
): Promise<{ readonly kind: "found"; readonly value: T } | { readonly kind: "act" }> {
  const now = Date.now();
  if (step.state === "begun") {
    // The earlier delivery may be slow, not dead, and its call still running.
    const patience = step.attemptedAt + (plan.limitMs ?? ACT_LIMIT_MS) - now;
    if (patience > 0) {
      const message = "Waiting until an interrupted call has certainly ended.";
      throw new RetryLater(Math.ceil(patience / SECOND), { code: unconfirmedCode(step, plan), message });
    }
  }
  const found = await plan.find(step.begunAt);
  switch (found.kind) {
    case "found":
      await steps.save({ ...step, state: "done", result: JSON.stringify(found.value) }, plan.settles?.(found.value));
      return found;
    case "unreadable":
      return stopChecking(steps, step, plan, found);
    case "unclear":
    case "failed": {
      const isUnclear = found.kind === "unclear";
      const { message, answer } = isUnclear ? found : found.cause;
      const seen = { isUnclear, isRefused: !isUnclear && found.isRefused, retries: step.retries + 1 };
      if (shouldStopChecking(step, seen, plan, Date.now())) {
        return stopChecking(steps, step, plan, { message, answer });
      }
      const retryAfterSeconds = isUnclear ? undefined : found.retryAfterSeconds;
      const code = isUnclear ? unconfirmedCode(step, plan) : found.cause.code;
      const isLimit = !isUnclear && found.isLimit === true;
      const wait = { isLimit, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
      return steps.retryWithBackoff(step.name, { code, message, answer }, wait);
    }
    case "absent": {
      const state = step.state === "begun" ? "unknown" : step.state;
      const checked: JobStep = { ...step, state, checks: step.checks + 1 };
      const next = decideAfterAbsent({ ...checked, result: resultOf(checked) }, plan, Date.now());
      if (next.kind === "act") return next;
      if (next.kind === "give_up") return stopChecking(steps, checked, plan, { message: next.reason });
      const cause = { code: unconfirmedCode(checked, plan), message: next.reason };
      throw new RetryLater(next.seconds, cause, [steps.upsert(checked)]);
    }
  }
}

/** The result cannot be determined: the act stays unconfirmed, and fails with that reason. */
async function stopChecking(
  steps: JournalSteps,
  step: JobStep,
  plan: WithCodes,
  { message, answer }: Pick<Cause, "message" | "answer">,
): Promise<never> {
  await steps.save({ ...step, unresolvedReason: message });
  throw unresolved(step, plan, message, answer);
}

/** Stores the intent. Null if `unless` forbids it. */
async function begin<T, F>(
  { db, lease, steps }: ActContext,
  name: string,
  earlier: JobStep | undefined,
  plan: OncePlan<T, F>,
): Promise<JobStep | null> {
  const now = Date.now();
  const past = earlier && isUnconfirmed(earlier) ? earlier : undefined;
  const step: JobStep = {
    ...steps.blank(name),
    state: "begun",
    // Keeps the last unclear answer for the final failure message.
    result: past?.result ?? null,
    begunAt: past?.begunAt ?? now,
    attemptedAt: now,
    attempts: (past?.attempts ?? 0) + 1,
    retries: earlier?.retries ?? 0,
  };
  // An earlier intent may still be stored where this one was forbidden: only the time distinguishes them.
  const own = sql`job_key = ${step.jobKey} AND name = ${name} AND state = 'begun' AND attempted_at = ${now} AND attempts = ${step.attempts}`;
  const intended = sql`EXISTS (SELECT 1 FROM job_steps WHERE ${own}) AND ${lease.hasLease}`;
  const intent = steps.upsert(step, plan.unless).returning({ name: jobStepsTable.name });
  const { stored } = await writeTogether(db, {
    before: steps.unstored(),
    stored: intent,
    begun: plan.begins?.(intended) ?? [],
  });
  steps.noteAllStored();
  if (stored.length > 0) {
    steps.noteStored(step);
    return step;
  }
  // Either the lease is lost or `unless` holds: renewing the lease shows which.
  await lease.renew();
  return null;
}

type WithCodes = Pick<OncePlan<unknown, unknown>, "codes">;

/** A duplicate that follows an act of our own is the result of that act. */
function unconfirmedCode({ state, attempts }: Pick<JobStep, "state" | "attempts">, { codes }: WithCodes): FailureCode {
  return state === "duplicate" && attempts === 1 ? codes.duplicate : codes.unknown;
}

function unresolved(step: JobStep, plan: WithCodes, message: string, answer?: RawAnswer): JobFailed {
  return new JobFailed(unconfirmedCode(step, plan), message, answer);
}
