import { HOUR, SECOND } from "../core/time.ts";
import type { JobStep } from "./store.ts";

/**
 * What to do after a look that did not find what an act may have done. Pure.
 *
 * - Absent is not yet "not there": the platform may show it late. Nothing is done again before that time is
 *   over, unless the platform itself refuses what it has already.
 * - A refusal as a duplicate says that it is there: it is never done again, only looked for.
 * - The doubt stays in the journal whatever happens here: only finding it, or nothing ever having been acted,
 *   ends it.
 */

/** A platform's lag, or what tests have in its place (`LIST_LAG_SECONDS`). */
export function visibilityLag({ listLagMs }: { readonly listLagMs: number | null }, lagSeconds: number) {
  return listLagMs === null
    ? { lagMs: lagSeconds * SECOND }
    : { lagMs: listLagMs, unclearMs: UNCLEAR_LAGS * listLagMs };
}

/**
 * Seconds before each look; later ones keep the last distance, but one stands at the end of the platform's
 * lag.
 */
const RECHECK_AFTER_SECONDS = [3, 10, 30, 60, 120, 240] as const;
/**
 * Looks before something protected is done again, and before a duplicate that nothing of ours explains is
 * given up.
 */
const MIN_CHECKS = 3;
const MAX_ATTEMPTS = 3;
/** A look-up that the platform refuses will not get better by itself. */
const MAX_REFUSED_CHECKS = 8;
/**
 * How long something is looked for, past the platform's lag, that is there in some form but cannot be told.
 */
const UNCLEAR_LIMIT_MS = 2 * HOUR;
/** The same of a lag that tests of the service as a whole have shortened. */
const UNCLEAR_LAGS = 6;

export interface RecheckPolicy {
  /** How late the platform may show what was done. */
  readonly lagMs: number;
  /** How much longer it is looked for when looks cannot tell; left out: two hours. */
  readonly unclearMs?: number;
  /** Whether the platform refuses to do it a second time. */
  readonly refusesRepeat: boolean;
  /** Whether a look that cannot tell is repeated until the job's deadline, whatever it says. */
  readonly checksUntilDeadline: boolean;
}

export type RecheckDecision =
  | { readonly kind: "act" }
  | { readonly kind: "wait"; readonly seconds: number; readonly reason: string }
  | { readonly kind: "give_up"; readonly reason: string };

/** A step, its result parsed: the last unclear answer. */
type Seen = Pick<JobStep, "state" | "attempts" | "checks" | "attemptedAt"> & { readonly result: unknown };

/** After a look that saw nothing of it; `checks` counts this one. */
export function decideAfterAbsent(step: Seen, certainty: RecheckPolicy, now: number): RecheckDecision {
  const { lagMs, refusesRepeat } = certainty;
  const visibleAt = step.attemptedAt + lagMs;
  const isDuplicate = step.state === "duplicate";
  const hasChecked = step.checks >= MIN_CHECKS;
  const mayAct = !isDuplicate && hasChecked && step.attempts < MAX_ATTEMPTS && (refusesRepeat || now >= visibleAt);
  if (mayAct) return { kind: "act" };
  // Nothing of ours was sent before that refusal: whatever is there, it is hardly this one.
  const isForeign = isDuplicate && step.attempts === 1;
  if (hasChecked && (isForeign || now >= visibleAt)) return { kind: "give_up", reason: stopReason(step, isDuplicate) };
  const next = secondsToRecheck(step.checks);
  const seconds = now < visibleAt ? Math.min(next, Math.max(1, Math.ceil((visibleAt - now) / SECOND))) : next;
  return { kind: "wait", seconds, reason: waitReason(step, certainty) };
}

export function secondsToRecheck(checks: number): number {
  return RECHECK_AFTER_SECONDS[Math.min(checks, RECHECK_AFTER_SECONDS.length - 1)] ?? 3;
}

function waitReason(step: Seen, { lagMs, refusesRepeat }: RecheckPolicy): string {
  if (step.state === "duplicate") {
    return "The platform says that it has this already; looking for it. It is not sent again.";
  }
  const looking = "The platform gave no clear answer; looking whether it is up.";
  if (refusesRepeat || step.attempts >= MAX_ATTEMPTS) return looking;
  const until = new Date(step.attemptedAt + lagMs).toISOString().slice(11, 16);
  return `${looking} It is not sent again before ${until} UTC, because the platform may show it late.`;
}

function stopReason({ attempts, result }: Seen, isDuplicate: boolean): string {
  const said = typeof result === "string" ? result : "";
  if (isDuplicate) return said;
  return `Tried ${attempts === 1 ? "once" : `${attempts} times`}; nothing of it is to be seen on the platform. ${said}`.trim();
}

/** Whether to stop looking after a look that could not tell. `retries` counts this check. */
export function shouldStopChecking(
  step: Seen,
  look: { readonly isRefused: boolean; readonly isUnclear: boolean },
  { lagMs, unclearMs = UNCLEAR_LIMIT_MS, checksUntilDeadline }: RecheckPolicy,
  retries: number,
  now: number,
): boolean {
  if (checksUntilDeadline) return false;
  const visibleAt = step.attemptedAt + lagMs;
  if (look.isRefused) return retries >= MAX_REFUSED_CHECKS && now >= visibleAt;
  return look.isUnclear && now >= visibleAt + unclearMs;
}
