import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Paced, type PageOf, readNumbered, type Window } from "../core/page.ts";

/** Pages of lists in the order of ids: by numbers from the nearer end, and by a cursor, which is an id. */

/** Rows of such a list. */
export interface IdPart {
  /** Only rows after this one; undefined: from the first on. */
  readonly where: SQL | undefined;
  readonly orderBy: SQL;
  readonly limit: number;
  readonly offset: number;
}

export type Direction = "asc" | "desc";

/** A place of a list, as a request names it: a page, or what comes after an id. */
export type ListQuery = { readonly limit: number } & ({ readonly page: number } | { readonly after: number | null });

export interface WalkOf<T> {
  readonly items: readonly T[];
  /** The id to go on after; null at the end. */
  readonly next: number | null;
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
  /** The column. */
  readonly id: SQLWrapper;
  readonly direction: Direction;
}

/** A numbered page; null for one that is too far from both ends. */
export async function readIdPage<T extends { readonly id: number }>(
  asked: Paced,
  order: Order,
  list: CountedRows<T>,
): Promise<PageOf<T> | null> {
  const inOrder = (items: readonly T[], { isFromEnd }: Window) => (isFromEnd ? items.toReversed() : items);
  const found = await readNumbered<T>(asked, {
    async together(window) {
      const { items, total } = await list.together(partOf(window, order));
      return { items: inOrder(items, window), total, isCapped: false };
    },
    total: async () => ({ total: await list.total(), isCapped: false }),
    rows: async (window) => inOrder(await list.rows(partOf(window, order)), window),
  });
  return found && { ...found, nextCursor: String(found.items.at(-1)?.id ?? "") };
}

/** What comes after an id (null: from the first on), in one call whose cost hangs on `limit` alone. */
export async function walkIds<T extends { readonly id: number }>(
  { after, limit }: { readonly after: number | null; readonly limit: number },
  { id, direction }: Order,
  { rows }: Rows<T>,
): Promise<WalkOf<T>> {
  const where = after === null ? undefined : direction === "asc" ? sql`${id} > ${after}` : sql`${id} < ${after}`;
  const found = await rows({ where, orderBy: ordered(id, direction), limit: limit + 1, offset: 0 });
  return walkOf(found, limit);
}

/** Of rows that were read with one more than the page has: there is more to come where that one is. */
export function walkOf<T extends { readonly id: number }>(rows: readonly T[], limit: number): WalkOf<T> {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

function partOf({ isFromEnd, skip, take }: Window, { id, direction }: Order): IdPart {
  const isAscending = (direction === "asc") !== isFromEnd;
  return { where: undefined, orderBy: ordered(id, isAscending ? "asc" : "desc"), limit: take, offset: skip };
}

function ordered(id: SQLWrapper, direction: Direction): SQL {
  return direction === "asc" ? sql`${id} ASC` : sql`${id} DESC`;
}
