import { z } from "zod";
import { MINUTE } from "../core/time.ts";
import type { Failure, Unknown } from "./context.ts";

/**
 * Reading the lists of a platform page by page, and finding in them what a lost call of ours may have made.
 *
 * - Lists are parsed item by item: one odd item must not blind a look-up. Optional fields are read in
 *   whatever form they come (`shownText`, `shownTime`, `lenient`), so that most odd items are read; what has
 *   no usable id is kept as `odd`.
 * - An odd item counts as "may be ours" only where it shows our text, and neither its time nor its id rules
 *   that out.
 */

/**
 * By how much the clocks of both sides may differ: a post dated this long before our call may still be its
 * result.
 */
export const CLOCK_SLACK_MS = MINUTE;

export interface Page<T> {
  readonly kind: "page";
  /** May be few, or none, while more follow. */
  readonly items: readonly T[];
  /** What stands there in no form that could be read. */
  readonly odd?: readonly unknown[];
  /** Where the list ends. */
  readonly isLast: boolean;
  /** What to ask for the next page with; null where that is not told. */
  readonly next: string | null;
}

export interface Listed<T> {
  readonly kind: "ok";
  readonly items: readonly T[];
  readonly odd?: readonly unknown[];
  /** False when the list goes on where we stopped. */
  readonly isWhole: boolean;
}

/** Reads a list to its end, or `maxPages` pages of it; what is no page ends the reading. */
export async function readList<T, F extends Failure | Unknown>(
  maxPages: number,
  readPage: (cursor: string | undefined) => Promise<Page<T> | F>,
): Promise<Listed<T> | F> {
  const items: T[] = [];
  const odd: unknown[] = [];
  let cursor: string | undefined;
  for (let count = 0; count < maxPages; count += 1) {
    const page = await readPage(cursor);
    if (page.kind !== "page") return page;
    items.push(...page.items);
    odd.push(...(page.odd ?? []));
    if (page.isLast) return { kind: "ok", items, odd, isWhole: true };
    // Without a new cursor there is no way on.
    if (page.next === null || page.next === cursor) break;
    cursor = page.next;
  }
  return { kind: "ok", items, odd, isWhole: false };
}

// --- items ------------------------------------------------------------------------------------------------------

/** The items of a list that can be read, and the others. */
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

/** A list without what cannot be read: for answers in which nothing of ours is looked for. */
export function readable<S extends z.ZodType>(item: S) {
  return z.array(z.unknown()).transform((listed) => parseItems(item, listed).items);
}

/** A list within an item, without what cannot be read; undefined where it is no list. */
export function lenientList<S extends z.ZodType>(item: S) {
  return readable(item).optional().catch(undefined);
}

/** A field that may be null, missing, or in another form than is documented: undefined then. */
export function lenient<S extends z.ZodType>(field: S) {
  return field
    .nullish()
    .catch(undefined)
    .transform((value) => value ?? undefined);
}

/**
 * A text as a list shows it: empty where there is none, null where it is in no form that could be compared.
 */
export const shownText = z
  .unknown()
  .optional()
  .transform((value): string | null => {
    if (value === undefined || value === null) return "";
    return typeof value === "string" ? value : typeof value === "number" ? String(value) : null;
  });

/**
 * Epoch milliseconds of a time, written as text, as a number of (milli)seconds, or as such a number in text;
 * else NaN.
 */
export const shownTime = z.unknown().optional().transform(readTime);

/** Numbers below it are seconds: as milliseconds they would be before 1974. */
const LEAST_MILLISECONDS = 1e11;

function readTime(value: unknown): number {
  if (typeof value !== "string" && typeof value !== "number") return Number.NaN;
  const number = typeof value === "string" && value.trim() === "" ? Number.NaN : Number(value);
  if (Number.isFinite(number) && number > 0) return number < LEAST_MILLISECONDS ? number * 1000 : number;
  // Graph writes an offset without a colon, which ISO 8601 parsers may refuse.
  return Date.parse(String(value).replace(/([+-]\d\d)(\d\d)$/, "$1:$2"));
}

/** One item may be out of its order, not all of the last ones. */
const LAST_ITEMS = 10;

/** After when a page that begins with the newest is whole; `next`: where it goes on, null where it ends. */
export function wholeAfter(times: readonly number[], next: string | null): number {
  if (next === null) return Number.NEGATIVE_INFINITY;
  const last = times.filter(Number.isFinite).slice(-LAST_ITEMS);
  return last.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...last);
}

export interface Attempt {
  /** Epoch milliseconds: nothing of ours is older. */
  readonly oldest: number;
  readonly taken: ReadonlySet<string>;
  /** Whether a text may be the one that was sent. */
  isAlike(shown: string): boolean;
}

const TIME_FIELD = /time|created|published/i;

/**
 * Whether one of the items that could not be read may be ours: it shows our text, and neither its id nor its
 * time is another's.
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
 * The texts of an item, those within it too: a comment's stands in a message, a video's title in a snippet.
 */
function textsIn(item: unknown, depth = 3): string[] {
  if (typeof item === "string") return [item];
  if (item === null || typeof item !== "object" || depth === 0) return [];
  return Object.values(item).flatMap((value) => textsIn(value, depth - 1));
}

/** The item made nearest to a time. One whose own time cannot be read counts as near. */
export function nearestTo<T>(since: number, items: readonly T[], timeOf: (item: T) => number): T | undefined {
  const distance = (item: T) => Math.abs(timeOf(item) - since) || 0;
  return items.toSorted((a, b) => distance(a) - distance(b))[0];
}
