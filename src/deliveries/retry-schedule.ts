import { DAY, HOUR, MINUTE, SECOND } from "../core/time.ts";
import type { Try } from "./stored.ts";
import type { DisabledReason } from "./table.ts";

/** When a failed message is sent again, and when an address is disabled. Pure. */

/** The delays between attempts, in milliseconds; the first attempt is made at once. */
const RETRY_AFTER_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR] as const;

/** The total time for all attempts, with slack for an outage of our service. */
export const MESSAGE_LIFE_MS = 3 * DAY;

const FAILING_MS = 5 * DAY;

/** When the next attempt is due after `attempts` attempts, in epoch milliseconds; null after the last one. */
export function nextAttemptAt(attempts: number, now: number): number | null {
  const afterMs = RETRY_AFTER_MS[attempts - 1];
  return afterMs === undefined ? null : now + afterMs;
}

/**
 * Why a webhook is disabled after a failed attempt; null if it stays enabled. `failingSince`: the value
 * before this attempt.
 */
export function disableReasonAfter(
  { status, at }: Try,
  failingSince: number | null,
): Exclude<DisabledReason, "on_request"> | null {
  if (status === 410) return "gone";
  return failingSince !== null && at - failingSince >= FAILING_MS ? "failing" : null;
}
