import { answered } from "../core/failures.ts";
import { isoUtc, SECOND } from "../core/time.ts";
import type { ShownWait } from "./handler.ts";
import type { WaitCause } from "./outcomes.ts";
import type { Job } from "./store.ts";

/** Which waits of a job its timeline shows, and as what. Pure. */

export function shownWait(
  { projectId, subjectId }: Job,
  { code, message, limit, answer }: WaitCause,
  until: number,
): ShownWait {
  const platform = { ...(limit === undefined ? {} : { limit }), ...answered({ code, answer }) };
  const detail = { until: isoUtc(until), error_code: code };
  return { projectId, subjectId, message, detail, platform, at: Date.now() };
}

/** Waits of at least this length are shown. */
const SHOWN_WAIT_MS = 2 * SECOND;

/** The reference for a platform's support differs in each of its answers. */
const withoutReferences = (message: string): string => message.replaceAll(/\breference [\w+/=-]{1,100}/g, "reference");

/**
 * Whether a wait is shown after the last one that was. A one-second wait is not, nor is one with the cause
 * that was shown last, unless it counts otherwise (`shown`: the message with that).
 */
export function isShownWait(
  waitMs: number,
  last: string | null,
  { message, shown }: { readonly message: string; readonly shown: string },
): boolean {
  if (waitMs < SHOWN_WAIT_MS) return false;
  const [before, cause, now] = [last ?? "", message, shown].map(withoutReferences);
  return before !== now && !(cause === now && before?.startsWith(`${cause} `));
}
