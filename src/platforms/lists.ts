import { z } from "zod";
import { MINUTE } from "../core/time.ts";
import type { Failure, Unknown } from "./context.ts";

/**
 * Reads the lists of a platform page by page, and finds in them what our lost call may have created.
 *
 * - Lists are parsed item by item: one malformed item must not break a look-up. Optional fields are read in
 *   any form (`shownText`, `shownTime`, `lenient`), so most malformed items are still read. An item without a
 *   usable id is kept as `odd`.
 * - An odd item counts as "may be ours" only if it shows our text, and neither its time nor its id excludes
 *   that.
 */

/** The tolerated clock difference: a post dated this long before our call may still be its result. */
export const CLOCK_SLACK_MS = MINUTE;

export interface Page<T> {
  readonly kind: "page";
  /** May be few, or none, while more follow. */
  readonly items: readonly T[];
  /** Items in a form that could not be read. */
  readonly odd?: readonly unknown[];
  /** Whether the list ends here. */
  readonly isLast: boolean;
  /** The cursor of the next page; null if the platform gives none. */
  readonly next: string | null;
}

export interface Listed<T> {
  readonly kind: "ok";
  readonly items: readonly T[];
  readonly odd?: readonly unknown[];
  /** False if the list continues after the last page read. */
  readonly isWhole: boolean;
}

/**
 * Reads a list to its end, or up to `maxPages` pages, a number that may change while it reads; an
 * outcome that is not a page stops the reading.
 */
export async function readList<T, F extends Failure | Unknown>(
  maxPages: number | (() => number),
  readPage: (cursor: string | undefined) => Promise<Page<T> | F>,
): Promise<Listed<T> | F> {
  const items: T[] = [];
  const odd: unknown[] = [];
  let cursor: string | undefined;
  const most = typeof maxPages === "number" ? () => maxPages : maxPages;
  for (let count = 0; count < most(); count += 1) {
    const page = await readPage(cursor);
    if (page.kind !== "page") return page;
    items.push(...page.items);
    odd.push(...(page.odd ?? []));
    if (page.isLast) return { kind: "ok", items, odd, isWhole: true };
    // Without a new cursor, reading cannot continue.
    if (page.next === null || page.next === cursor) break;
    cursor = page.next;
  }
  return { kind: "ok", items, odd, isWhole: false };
}

/** Splits the items of a list into readable and unreadable ones. */
export function parseItems<S extends z.ZodType>(
  item: S,
  listed: readonly unknown[],
): { readonly items: readonly z.output<S>[]; readonly odd: readonly unknown[] } {
  const items: z.output<S>[] = [];
  const odd: unknown[] = [];
  for (const one of listed) {
    const parsed = item.safeParse(one);
    if (parsed.success) items.push(parsed.data);
    else odd.push(one);
  }
  return { items, odd };
}

/** A list without its unreadable items: for answers in which no item of the service is looked up. */
export function readable<S extends z.ZodType>(item: S) {
  return z.array(z.unknown()).transform((listed) => parseItems(item, listed).items);
}

/** A list within an item, without unreadable entries; undefined if it is not a list. */
export function lenientList<S extends z.ZodType>(item: S) {
  return readable(item).optional().catch(undefined);
}

/** A field that may be null, missing, or in an undocumented form: it becomes undefined. */
export function lenient<S extends z.ZodType>(field: S) {
  return field
    .nullish()
    .catch(undefined)
    .transform((value) => value ?? undefined);
}

/** A text as a list shows it: empty if there is none, null if its form cannot be compared. */
export const shownText = z
  .unknown()
  .optional()
  .transform((value): string | null => {
    if (value === undefined || value === null) return "";
    return typeof value === "string" ? value : typeof value === "number" ? String(value) : null;
  });

/**
 * Epoch milliseconds of a time, given as text, as a number of (milli)seconds, or as such a number in text.
 * NaN for any other form.
 */
export const shownTime = z.unknown().optional().transform(readTime);

/** Smaller numbers are seconds: as milliseconds they would be before 1974. */
const LEAST_MILLISECONDS = 1e11;

function readTime(value: unknown): number {
  if (typeof value !== "string" && typeof value !== "number") return Number.NaN;
  const number = typeof value === "string" && value.trim() === "" ? Number.NaN : Number(value);
  if (Number.isFinite(number) && number > 0) return number < LEAST_MILLISECONDS ? number * 1000 : number;
  // Graph writes an offset without a colon, which ISO 8601 parsers may refuse.
  return Date.parse(String(value).replace(/([+-]\d\d)(\d\d)$/, "$1:$2"));
}

/** One item may be out of order, but not all of the last ones. */
const LAST_ITEMS = 10;

/** The time after which a newest-first page is complete; `next`: the cursor, null at the end of the list. */
export function wholeAfter(times: readonly number[], next: string | null): number {
  if (next === null) return Number.NEGATIVE_INFINITY;
  const last = times.filter(Number.isFinite).slice(-LAST_ITEMS);
  return last.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...last);
}

export interface Attempt {
  /** Epoch milliseconds: none of our items is older. */
  readonly oldest: number;
  readonly taken: ReadonlySet<string>;
  /** Whether a text may be the one that was sent. */
  isAlike(shown: string): boolean;
}

const TIME_FIELD = /time|created|published/i;

/**
 * Whether an unreadable item may be ours: it shows our text, and neither its id nor its time belongs to
 * another.
 */
export function hasPerhapsOurs(odd: readonly unknown[] = [], { oldest, taken, isAlike }: Attempt): boolean {
  return odd.some((item) => {
    if (item === null || typeof item !== "object" || Array.isArray(item)) return false;
    const fields = Object.entries(item);
    const isOld = fields.some(([name, value]) => TIME_FIELD.test(name) && readTime(value) < oldest);
    if (isOld || fields.some(([name, value]) => /^id$/i.test(name) && taken.has(String(value)))) return false;
    return textsIn(item).some((text) => text !== "" && isAlike(text));
  });
}

/**
 * The texts of an item, including nested ones: a comment's text is in a message, a video's title in a
 * snippet.
 */
function textsIn(item: unknown, depth = 3): string[] {
  if (typeof item === "string") return [item];
  if (item === null || typeof item !== "object" || depth === 0) return [];
  return Object.values(item).flatMap((value) => textsIn(value, depth - 1));
}

/** The item created nearest to a time. An item with an unreadable time counts as near. */
export function nearestTo<T>(since: number, items: readonly T[], timeOf: (item: T) => number): T | undefined {
  const distance = (item: T) => Math.abs(timeOf(item) - since) || 0;
  return items.toSorted((a, b) => distance(a) - distance(b))[0];
}
