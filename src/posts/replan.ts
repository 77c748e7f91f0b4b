import { isChangedSince, isUniqueViolation } from "../db/client.ts";

/**
 * What is decided on rows that were read holds only while they are as they were: else its batch fails, and the decision is
 * made anew, on what others have made of the rows.
 */

const PAUSE_MS = 15;
const LONGEST_PAUSES = 10;

/** Whether a batch failed because the post, its queue or the timetable is not as it was read, or the slot is another post's. */
export function isOutdated(error: unknown): boolean {
  return isChangedSince(error) || isUniqueViolation(error, "posts");
}

/** Before the next attempt: those who met must not meet again, so each waits a moment of its own, longer with every time. */
export function pauseAfter(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS * Math.min(attempt, LONGEST_PAUSES)));
}
