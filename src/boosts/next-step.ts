import type { CampaignGoal } from "./table.ts";

/** Decides the next step of a campaign's job by its goal, its existing objects, and the last read. Pure. */

/** The known state of a campaign. */
export interface Situation {
  readonly goal: CampaignGoal;
  /** The goal was reached: nothing is live. */
  readonly isEnded: boolean;
  /** After the end: whether the figures are final. */
  readonly isCounted: boolean;
  /** Whether the terms of this generation are fixed. */
  readonly hasBegun: boolean;
  /** Whether an object of this generation exists, or may exist. */
  readonly hasObjects: boolean;
  /** The first object of this generation that does not exist; null if all exist. */
  readonly missing: string | null;
  readonly isActivated: boolean;
  /** The effect of the wanted terms: no change, a change of the objects, or new objects. */
  readonly change: "none" | "apply" | "replace";
  /** The removal of this generation has begun, for a change that may have been reverted since. */
  readonly isBeingReplaced: boolean;
  /** An act waits for the platform; until then, only reads are done. */
  readonly isBlocked: boolean;
  /** The result of this delivery's read; null before it. */
  readonly observed: "over" | "not_over" | null;
}

export type NextStep =
  /** Fixes the terms and the start of a generation. */
  | { readonly kind: "begin" }
  | { readonly kind: "create"; readonly object: string }
  | { readonly kind: "change" }
  /** Ends this generation, so that another one replaces it. */
  | { readonly kind: "replace" }
  | { readonly kind: "activate" }
  | { readonly kind: "read" }
  /** The campaign was over before the platform accepted its change. */
  | { readonly kind: "refuse_change" }
  | { readonly kind: "complete" }
  /** Deletes all objects, and reports that. */
  | { readonly kind: "end" }
  /** Pauses a completed campaign, and reports that. */
  | { readonly kind: "switch_off" }
  /** Reads the figures again after the end. */
  | { readonly kind: "count" }
  | { readonly kind: "wait" }
  | { readonly kind: "finish" };

export function nextStep(now: Situation): NextStep {
  if (now.isEnded) {
    if (now.isCounted) return { kind: "finish" };
    return now.observed === null ? { kind: "count" } : { kind: "wait" };
  }
  switch (now.goal) {
    case "failed":
    case "deleted":
      return { kind: "end" };
    case "completed":
      return { kind: "switch_off" };
    case "running":
      return towardsRunning(now);
  }
}

function towardsRunning(now: Situation): NextStep {
  if (now.isBeingReplaced) return { kind: "replace" };
  if (!now.hasBegun || (!now.hasObjects && now.change !== "none")) return { kind: "begin" };
  if (!now.isBlocked) {
    if (now.change === "replace") return { kind: "replace" };
    if (now.missing !== null) return { kind: "create", object: now.missing };
    if (now.change === "apply") return { kind: "change" };
    if (!now.isActivated) return { kind: "activate" };
  }
  switch (now.observed) {
    case null:
      return { kind: "read" };
    case "over":
      return now.change === "none" ? { kind: "complete" } : { kind: "refuse_change" };
    case "not_over":
      return { kind: "wait" };
  }
}
