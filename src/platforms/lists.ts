import type { Failure, Unknown } from "./context.ts";

/** Reading the lists of a platform page by page, and finding in them what a lost call of ours may have made. */

/** By how much the clocks of both sides may differ: a post dated this long before our call may still be its result. */
export const CLOCK_SLACK_MS = 60_000;

export interface Page<T> {
  readonly kind: "page";
  /** May be few, or none, while more follow. */
  readonly items: readonly T[];
  /** Where the list ends. */
  readonly isLast: boolean;
  /** What to ask for the next page with; null where that is not told. */
  readonly next: string | null;
}

export interface Listed<T> {
  readonly kind: "ok";
  readonly items: readonly T[];
  /** False when the list goes on where we stopped. */
  readonly isWhole: boolean;
}

/** Reads a list to its end, or `maxPages` pages of it; what is no page ends the reading. */
export async function readList<T, F extends Failure | Unknown>(
  maxPages: number,
  readPage: (cursor: string | undefined) => Promise<Page<T> | F>,
): Promise<Listed<T> | F> {
  const items: T[] = [];
  let cursor: string | undefined;
  for (let count = 0; count < maxPages; count += 1) {
    const page = await readPage(cursor);
    if (page.kind !== "page") return page;
    items.push(...page.items);
    if (page.isLast) return { kind: "ok", items, isWhole: true };
    // Without a new cursor there is no way on.
    if (page.next === null || page.next === cursor) break;
    cursor = page.next;
  }
  return { kind: "ok", items, isWhole: false };
}

/** The item made nearest to a time. One whose own time cannot be read counts as near. */
export function nearestTo<T>(since: number, items: readonly T[], timeOf: (item: T) => number): T | undefined {
  const distance = (item: T) => Math.abs(timeOf(item) - since) || 0;
  return items.toSorted((a, b) => distance(a) - distance(b))[0];
}
