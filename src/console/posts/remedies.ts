import { FAILURES, type FailureCode } from "../../core/failures.ts";

/**
 * What the console offers for a failed post, by its code. `again`: post it again. `edit`: copy it to a
 * draft, because the same content would fail again. `connect`: connect the channel again, then post again.
 * `delete`: delete the live items. An action that could publish something twice asks for a check first.
 */
export type Remedy = "again" | "edit" | "connect" | "delete";

const REMEDIES: Readonly<Record<FailureCode, Remedy>> = {
  platform_rejected: "edit",
  content_refused: "edit",
  content_invalid: "edit",
  unsupported_by_platform: "edit",
  media_invalid: "edit",
  media_unreachable: "again",
  duplicate: "edit",
  reconnect_needed: "connect",
  permission_missing: "connect",
  channel_disconnected: "connect",
  account_restricted: "again",
  rate_limited: "again",
  cost_ceiling: "again",
  platform_down: "again",
  operator_action: "again",
  may_be_published: "again",
  partly_published: "delete",
  model_not_configured: "again",
  model_refused: "edit",
  model_over_quota: "again",
  model_unusable: "edit",
  model_failed: "again",
  deadline_passed: "again",
  unexpected: "again",
};

export const remedyOf = (code: FailureCode | null): Remedy => REMEDIES[code ?? "unexpected"];

/** Whether the post, or a part of it, may be live. */
export const needsCheck = (code: FailureCode | null): boolean => FAILURES[code ?? "unexpected"].retry === "look_first";
