import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Paced, type PageOf, readNumbered, type Window } from "../core/page.ts";

/** Pages of lists ordered by id: by number from the nearer end, or by a cursor, which is an id. */

/** A part of the rows of such a list. */
export interface IdPart {
  /** Only rows after this one; undefined: from the first row. */
  readonly where: SQL | undefined;
  readonly orderBy: SQL;
  readonly limit: number;
  readonly offset: number;
}

export type Direction = "asc" | "desc";

/** A page, and the place of its last row: an id, unless the list has another order. */
export interface WalkOf<T, Place = number> {
  readonly items: readonly T[];
  /** The place to continue after; null at the end. */
  readonly next: Place | null;
}

interface Rows<T> {
  readonly rows: (part: IdPart) => PromiseLike<readonly T[]>;
}

interface CountedRows<T> extends Rows<T> {
  readonly total: () => Promise<number>;
  /** Both in one call. */
  readonly together: (part: IdPart) => Promise<{ readonly items: readonly T[]; readonly total: number }>;
}

interface Order {
  /** The id column. */
  readonly id: SQLWrapper;
  readonly direction: Direction;
}

/** Reads a numbered page; null if it is too far from both ends. */
export async function readIdPage<T extends { readonly id: number }>(
  wanted: Paced,
  order: Order,
  list: CountedRows<T>,
): Promise<PageOf<T> | null> {
  const inOrder = (items: readonly T[], { isFromEnd }: Window) => (isFromEnd ? items.toReversed() : items);
  const found = await readNumbered<T>(wanted, {
    async together(window) {
      const { items, total } = await list.together(partOf(window, order));
      return { items: inOrder(items, window), total, isCapped: false };
    },
    total: async () => ({ total: await list.total(), isCapped: false }),
    rows: async (window) => inOrder(await list.rows(partOf(window, order)), window),
  });
  return found && { ...found, nextCursor: String(found.items.at(-1)?.id ?? "") };
}

/** Reads the rows after an id (null: from the first row), in one call whose cost depends only on `limit`. */
export async function walkIds<T extends { readonly id: number }>(
  { after, limit }: { readonly after: number | null; readonly limit: number },
  { id, direction }: Order,
  { rows }: Rows<T>,
): Promise<WalkOf<T>> {
  const where = after === null ? undefined : direction === "asc" ? sql`${id} > ${after}` : sql`${id} < ${after}`;
  const found = await rows({ where, orderBy: ordered(id, direction), limit: limit + 1, offset: 0 });
  return walkOf(found, limit);
}

/**
 * Makes a page of rows that were read with one more than the page holds: that extra row shows that more
 * follow.
 */
export function walkOf<T extends { readonly id: number }>(rows: readonly T[], limit: number): WalkOf<T> {
  return walkBy(rows, limit, ({ id }) => id);
}

/** The same for a list in another order. */
export function walkBy<T, Place>(rows: readonly T[], limit: number, placeOf: (row: T) => Place): WalkOf<T, Place> {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : placeOf(last) };
}

function partOf({ isFromEnd, skip, take }: Window, { id, direction }: Order): IdPart {
  const isAscending = (direction === "asc") !== isFromEnd;
  return { where: undefined, orderBy: ordered(id, isAscending ? "asc" : "desc"), limit: take, offset: skip };
}

function ordered(id: SQLWrapper, direction: Direction): SQL {
  return direction === "asc" ? sql`${id} ASC` : sql`${id} DESC`;
}
