import { invalid } from "../core/errors.ts";

/**
 * Cursors of lists that are ordered by several numbers: the numbers of the last row. They name a place and
 * nothing else, so a forged one shows nothing that the caller may not read.
 */
export const writeCursor = (numbers: readonly number[]): string => numbers.join(".");

/** Null for an empty cursor: from the start. Throws `invalid_request` for one that no list returned. */
export function readCursor(cursor: string, count: number): readonly number[] | null {
  if (cursor === "") return null;
  const numbers = cursor.split(".").map((part) => (/^\d{1,15}$/.test(part) ? Number(part) : Number.NaN));
  if (numbers.length === count && numbers.every(Number.isSafeInteger)) return numbers;
  throw invalid({ cursor: ["cursor must be a next_cursor of this list, or empty to start."] });
}
