import { sql } from "drizzle-orm";
import type { FailureCode } from "../core/failures.ts";
import { SECOND } from "../core/time.ts";
import { type Db, writeTogether } from "../db/client.ts";
import { isUnsettled, type JournalSteps, resultOf } from "./journal-steps.ts";
import { ACT_LIMIT_MS, type Lease } from "./lease.ts";
import { type GaveUp, Later, type Once, type OnceOutcome } from "./once.ts";
import { afterAbsent, firstLookAfter, isHopeless } from "./patience.ts";
import type { JobStep } from "./store.ts";
import { jobStepsTable } from "./table.ts";

/**
 * How a step acts outside at most once:
 *
 *   (none) ──intent stored──▶ begun ──answer──▶ done
 *                               │ no answer ──▶ unsure, duplicate ──find──▶ done, or begun again (patience.ts)
 */

/** What the delivery that has the job acts with. */
export interface Acting {
  readonly db: Db;
  readonly lease: Lease;
  readonly steps: JournalSteps;
}

/** What `Journal.once` promises. */
export async function actOnce<T, F>(acting: Acting, name: string, plan: Once<T, F>): Promise<OnceOutcome<T, F>> {
  const { lease, steps } = acting;
  const known = steps.find(name);
  if (known?.state === "done") return { kind: "done", value: plan.schema.parse(resultOf(known)) };
  const step = known && isUnsettled(known) ? known : undefined;
  if (step?.gaveUp && !plan.isPatient) return gaveUp(step, plan, step.gaveUp);
  await lease.checkpoint();
  if (step) {
    const found = await look(steps, step, plan);
    if (found.kind !== "act") return found;
  }
  const begun = await begin(acting, name, known, plan);
  if (!begun) return { kind: "forbidden" };
  // A delivery that stalled here could act while another one has the job already: it must not act any more.
  lease.require();
  const acted = await lease.during(plan.limitMs ?? ACT_LIMIT_MS, (signal) => plan.act(signal));
  switch (acted.kind) {
    case "done":
      await steps.save({ ...begun, state: "done", result: JSON.stringify(acted.value) }, plan.settles?.(acted.value));
      return acted;
    case "refused":
      // This act did nothing; what an earlier one may have done is as open as it was.
      await steps.save(step ?? { ...begun, state: "waiting" });
      return acted;
    case "unsure":
    case "duplicate": {
      const unsettled = { ...begun, state: acted.kind, result: JSON.stringify(acted.message), tries: 0 } as const;
      const cause = { code: doubtOf(unsettled, plan), message: acted.message };
      throw new Later(firstLookAfter(0), cause, [steps.upsert(unsettled)]);
    }
  }
}

/** What a look says: found, given up, or `act` again. */
async function look<T, F>(
  steps: JournalSteps,
  step: JobStep,
  plan: Once<T, F>,
): Promise<{ readonly kind: "done"; readonly value: T } | GaveUp | { readonly kind: "act" }> {
  const now = Date.now();
  if (step.state === "begun") {
    // Its delivery may not be dead but slow, and the call still under way.
    const patience = step.actedAt + (plan.limitMs ?? ACT_LIMIT_MS) - now;
    if (patience > 0) {
      const message = "Waiting until an interrupted call is surely over.";
      throw new Later(Math.ceil(patience / SECOND), { code: doubtOf(step, plan), message });
    }
  }
  const found = await plan.find(step.begunAt);
  switch (found.kind) {
    case "found":
      await steps.save({ ...step, state: "done", result: JSON.stringify(found.value) }, plan.settles?.(found.value));
      return { kind: "done", value: found.value };
    case "unreadable":
      return giveUp(steps, step, plan, found.message);
    case "unclear":
    case "failed": {
      const seen = { isUnclear: found.kind === "unclear", isRefused: found.kind === "failed" && found.isRefused };
      if (isHopeless(step, seen, plan, step.tries + 1, Date.now())) return giveUp(steps, step, plan, found.message);
      const retryAfterSeconds = found.kind === "failed" ? found.retryAfterSeconds : undefined;
      const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
      const code = found.kind === "failed" ? found.code : doubtOf(step, plan);
      return steps.putOff(step.name, { code, message: found.message }, wait);
    }
    case "absent": {
      const state = step.state === "begun" ? "unsure" : step.state;
      const looked: JobStep = { ...step, state, looks: step.looks + 1 };
      const verdict = afterAbsent({ ...looked, result: resultOf(looked) }, plan, Date.now());
      if (verdict.kind === "act") return verdict;
      if (verdict.kind === "give_up") return giveUp(steps, looked, plan, verdict.reason);
      const cause = { code: doubtOf(looked, plan), message: verdict.reason };
      throw new Later(verdict.seconds, cause, [steps.upsert(looked)]);
    }
  }
}

async function giveUp(steps: JournalSteps, step: JobStep, plan: Doubtful, reason: string): Promise<GaveUp> {
  await steps.save({ ...step, gaveUp: reason });
  return gaveUp(step, plan, reason);
}

/** Stores the intent; null when `unless` forbids it. */
async function begin<T, F>(
  { db, lease, steps }: Acting,
  name: string,
  earlier: JobStep | undefined,
  plan: Once<T, F>,
): Promise<JobStep | null> {
  const now = Date.now();
  const past = earlier && isUnsettled(earlier) ? earlier : undefined;
  const step: JobStep = {
    ...steps.blank(name),
    state: "begun",
    // The last unclear answer stays, for the sentence at the end.
    result: past?.result ?? null,
    begunAt: past?.begunAt ?? now,
    actedAt: now,
    acts: (past?.acts ?? 0) + 1,
    tries: earlier?.tries ?? 0,
  };
  const intended = sql`EXISTS (SELECT 1 FROM job_steps WHERE job_key = ${step.jobKey} AND name = ${name} AND state = 'begun') AND ${lease.held}`;
  const intent = steps.upsert(step, plan.unless).returning({ name: jobStepsTable.name });
  const { stored } = await writeTogether(db, { stored: intent, begun: plan.begins?.(intended) ?? [] });
  if (stored.length > 0) {
    steps.noteStored(step);
    return step;
  }
  // Either the lease is gone or `unless` holds: the lease tells which.
  await lease.renew();
  return null;
}

type Doubtful = Pick<Once<unknown, unknown>, "doubt">;

/** A duplicate that follows an act of ours is what that act did. */
function doubtOf({ state, acts }: Pick<JobStep, "state" | "acts">, { doubt }: Doubtful): FailureCode {
  return state === "duplicate" && acts === 1 ? doubt.duplicate : doubt.unsure;
}

function gaveUp(step: JobStep, plan: Doubtful, message: string): GaveUp {
  return { kind: "gave_up", cause: { code: doubtOf(step, plan), message } };
}
