import { DAY, HOUR, MINUTE, SECOND } from "../core/time.ts";
import type { Try } from "./stored.ts";
import type { DisabledReason } from "./table.ts";

/** When a message that did not arrive is sent again, and when an address is given up. Pure. */

/** What lies between attempts, milliseconds; the first is made at once. */
export const RETRY_AFTER_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR] as const;

/** All of them, the attempts themselves included, with room for a service that was away meanwhile. */
export const MESSAGE_LIFE_MS = 3 * DAY;

const FAILING_MS = 5 * DAY;

/** When the next attempt is due after so many, epoch milliseconds; null after the last one. */
export function nextAttemptAt(attempts: number, now: number): number | null {
  const afterMs = RETRY_AFTER_MS[attempts - 1];
  return afterMs === undefined ? null : now + afterMs;
}

/**
 * Why a webhook is disabled after an attempt that failed; null while it is not. `failingSince`: before this
 * attempt.
 */
export function disableReasonAfter(
  { status, at }: Try,
  failingSince: number | null,
): Exclude<DisabledReason, "on_request"> | null {
  if (status === 410) return "gone";
  return failingSince !== null && at - failingSince >= FAILING_MS ? "failing" : null;
}
