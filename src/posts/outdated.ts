import { isChangedSince, isUniqueViolation } from "../db/client.ts";

/**
 * Whether a batch failed because the post, its queue or its timetable changed since it was read, or another
 * post took the slot.
 */
export function isOutdated(error: unknown): boolean {
  return isChangedSince(error) || isUniqueViolation(error, "posts");
}
