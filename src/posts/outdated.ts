import { isChangedSince, isUniqueViolation } from "../db/client.ts";

/**
 * Whether a batch failed because the post, its queue or the timetable is not as it was read, or the slot is
 * another post's.
 */
export function isOutdated(error: unknown): boolean {
  return isChangedSince(error) || isUniqueViolation(error, "posts");
}
