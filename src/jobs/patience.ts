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
export function lagOf({ listLagMs }: { readonly listLagMs: number | null }, lagSeconds: number) {
  return listLagMs === null
    ? { lagMs: lagSeconds * SECOND }
    : { lagMs: listLagMs, unclearMs: UNCLEAR_LAGS * listLagMs };
}

/**
 * Seconds before each look; later ones keep the last distance, but one stands at the end of the platform's
 * lag.
 */
const LOOK_AFTER_SECONDS = [3, 10, 30, 60, 120, 240] as const;
/**
 * Looks before something protected is done again, and before a duplicate that nothing of ours explains is
 * given up.
 */
const FEWEST_LOOKS = 3;
const MAX_ACTS = 3;
/** A look-up that the platform refuses will not get better by itself. */
const MAX_REFUSED_LOOKS = 8;
/**
 * How long something is looked for, past the platform's lag, that is there in some form but cannot be told.
 */
const UNCLEAR_LIMIT_MS = 2 * HOUR;
/** The same of a lag that tests of the service as a whole have shortened. */
const UNCLEAR_LAGS = 6;

export interface Certainty {
  /** How late the platform may show what was done. */
  readonly lagMs: number;
  /** How much longer it is looked for when looks cannot tell; left out: two hours. */
  readonly unclearMs?: number;
  /** Whether the platform refuses to do it a second time. */
  readonly refusesRepeat: boolean;
  /** Whether a look that cannot tell is repeated until the job's deadline, whatever it says. */
  readonly isPatient: boolean;
}

export type Verdict =
  | { readonly kind: "act" }
  | { readonly kind: "wait"; readonly seconds: number; readonly reason: string }
  | { readonly kind: "give_up"; readonly reason: string };

/** A step, its result parsed: the last unclear answer. */
type Seen = Pick<JobStep, "state" | "acts" | "looks" | "actedAt"> & { readonly result: unknown };

/** After a look that saw nothing of it; `looks` counts this one. */
export function afterAbsent(step: Seen, certainty: Certainty, now: number): Verdict {
  const { lagMs, refusesRepeat } = certainty;
  const visibleAt = step.actedAt + lagMs;
  const isDuplicate = step.state === "duplicate";
  const hasLooked = step.looks >= FEWEST_LOOKS;
  const mayAct = !isDuplicate && hasLooked && step.acts < MAX_ACTS && (refusesRepeat || now >= visibleAt);
  if (mayAct) return { kind: "act" };
  // Nothing of ours was sent before that refusal: whatever is there, it is hardly this one.
  const isForeign = isDuplicate && step.acts === 1;
  if (hasLooked && (isForeign || now >= visibleAt)) return { kind: "give_up", reason: endOf(step, isDuplicate) };
  const next = firstLookAfter(step.looks);
  const seconds = now < visibleAt ? Math.min(next, Math.max(1, Math.ceil((visibleAt - now) / SECOND))) : next;
  return { kind: "wait", seconds, reason: awaited(step, certainty) };
}

export function firstLookAfter(looks: number): number {
  return LOOK_AFTER_SECONDS[Math.min(looks, LOOK_AFTER_SECONDS.length - 1)] ?? 3;
}

function awaited(step: Seen, { lagMs, refusesRepeat }: Certainty): string {
  if (step.state === "duplicate") {
    return "The platform says that it has this already; looking for it. It is not sent again.";
  }
  const looking = "The platform gave no clear answer; looking whether it is up.";
  if (refusesRepeat || step.acts >= MAX_ACTS) return looking;
  const until = new Date(step.actedAt + lagMs).toISOString().slice(11, 16);
  return `${looking} It is not sent again before ${until} UTC, because the platform may show it late.`;
}

function endOf({ acts, result }: Seen, isDuplicate: boolean): string {
  const said = typeof result === "string" ? result : "";
  if (isDuplicate) return said;
  return `Tried ${acts === 1 ? "once" : `${acts} times`}; nothing of it is to be seen on the platform. ${said}`.trim();
}

/** Whether to stop looking after a look that could not tell. `tries` counts it. */
export function isHopeless(
  step: Seen,
  look: { readonly isRefused: boolean; readonly isUnclear: boolean },
  { lagMs, unclearMs = UNCLEAR_LIMIT_MS, isPatient }: Certainty,
  tries: number,
  now: number,
): boolean {
  if (isPatient) return false;
  const visibleAt = step.actedAt + lagMs;
  if (look.isRefused) return tries >= MAX_REFUSED_LOOKS && now >= visibleAt;
  return look.isUnclear && now >= visibleAt + unclearMs;
}
