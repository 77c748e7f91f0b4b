import { HOUR, SECOND } from "../core/time.ts";
import type { JobStep } from "./store.ts";

/**
 * Decides what to do after a check that did not find the result of an act. Pure.
 *
 * - Absent does not yet mean "does not exist": the platform may show it late. The act is not repeated within
 * that lag, unless the platform itself refuses duplicates.
 * - A refusal as a duplicate says that it exists: the act is never repeated, only checked.
 * - The act stays unconfirmed in the journal in all cases. Only finding the result, or proof that nothing was
 * ever attempted, changes that.
 */

/** A platform's lag, or the lag that tests set instead (`LIST_LAG_SECONDS`). */
export function visibilityLag({ listLagMs }: { readonly listLagMs: number | null }, lagSeconds: number) {
  return listLagMs === null
    ? { lagMs: lagSeconds * SECOND }
    : { lagMs: listLagMs, unclearMs: UNCLEAR_LAGS * listLagMs };
}

/**
 * Seconds before each check; later checks keep the last interval, but one check runs at the end of the
 * platform's lag.
 */
const RECHECK_AFTER_SECONDS = [3, 10, 30, 60, 120, 240] as const;
/**
 * Checks before a protected act is repeated, and before giving up on a duplicate that no act of ours
 * explains.
 */
const MIN_CHECKS = 3;
const MAX_ATTEMPTS = 3;
/** A check that the platform refuses rarely succeeds later. */
const MAX_REFUSED_CHECKS = 8;
/** How long past the platform's lag to keep checking when the answers are ambiguous. */
const UNCLEAR_LIMIT_MS = 2 * HOUR;
/** The same limit as a multiple of the lag, when end-to-end tests have shortened the lag. */
const UNCLEAR_LAGS = 6;

export interface RecheckPolicy {
  /** How late the platform may show the result of an act. */
  readonly lagMs: number;
  /** How much longer ambiguous checks continue. Default: two hours. */
  readonly unclearMs?: number;
  /** Whether the platform refuses a duplicate. */
  readonly refusesRepeat: boolean;
  /** Whether ambiguous checks continue until the job's deadline, whatever they return. */
  readonly checksUntilDeadline: boolean;
}

export type RecheckDecision =
  | { readonly kind: "act" }
  | { readonly kind: "wait"; readonly seconds: number; readonly reason: string }
  | { readonly kind: "give_up"; readonly reason: string };

/** A step with its parsed result: the last unclear answer. */
type Seen = Pick<JobStep, "state" | "attempts" | "checks" | "attemptedAt"> & { readonly result: unknown };

/** Decides after a check that found nothing; `checks` counts this one. */
export function decideAfterAbsent(step: Seen, certainty: RecheckPolicy, now: number): RecheckDecision {
  const { lagMs, refusesRepeat } = certainty;
  const visibleAt = step.attemptedAt + lagMs;
  const isDuplicate = step.state === "duplicate";
  const hasChecked = step.checks >= MIN_CHECKS;
  const mayAct = !isDuplicate && hasChecked && step.attempts < MAX_ATTEMPTS && (refusesRepeat || now >= visibleAt);
  if (mayAct) return { kind: "act" };
  // We sent nothing before that refusal: whatever exists is probably not ours.
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
    return "The platform reports that it already has this post. The service looks it up and does not send it again.";
  }
  const looking = "The platform gave no clear answer. The service checks whether it is live.";
  if (refusesRepeat || step.attempts >= MAX_ATTEMPTS) return looking;
  const until = new Date(step.attemptedAt + lagMs).toISOString().slice(11, 16);
  return `${looking} It is not sent again before ${until} UTC, because the platform may show it late.`;
}

function stopReason({ attempts, result }: Seen, isDuplicate: boolean): string {
  const said = typeof result === "string" ? result : "";
  if (isDuplicate) return said;
  return `Tried ${attempts === 1 ? "once" : `${attempts} times`}; nothing of it is visible on the platform. ${said}`.trim();
}

/** Whether to stop after an ambiguous check. `retries` counts this one. */
export function shouldStopChecking(
  step: Seen,
  check: { readonly isRefused: boolean; readonly isUnclear: boolean; readonly retries: number },
  { lagMs, unclearMs = UNCLEAR_LIMIT_MS, checksUntilDeadline }: RecheckPolicy,
  now: number,
): boolean {
  if (checksUntilDeadline) return false;
  const visibleAt = step.attemptedAt + lagMs;
  if (check.isRefused) return check.retries >= MAX_REFUSED_CHECKS && now >= visibleAt;
  return check.isUnclear && now >= visibleAt + unclearMs;
}
