/** One page of a list. */
export interface PageOf<T> {
  readonly items: readonly T[];
  readonly total: number;
  /** Whether there are more rows than `total`. */
  readonly isCapped?: boolean;
  /** The cursor after this page; needed only if the next page is too far from both ends. */
  readonly nextCursor?: string | null;
  /** From 1. */
  readonly page: number;
  readonly limit: number;
}

/** A numbered page, as a request names it. */
export interface Numbered {
  readonly page: number;
  readonly limit: number;
}

/** A page that waits before it skips this many rows or more (http/paced-page.ts). */
export interface Paced extends Numbered {
  readonly turn: (rows: number) => Promise<void>;
}

/** Numbered pages are served within this many rows of either end; the cursor has no such limit. */
export const REACH = 10_000;
/** Up to this many rows, a page is read from the start without pacing. */
const NEAR = 1_000;
/**
 * Up to this many rows, the page and the total take one call. Beyond, the total is read first, because it
 * shows which end is nearer.
 */
const TOGETHER = 100;

/** Rows of a list, counted from its nearer end. */
export interface Window {
  readonly isFromEnd: boolean;
  /** The number of rows before it, from that end. */
  readonly skip: number;
  readonly take: number;
}

export interface Total {
  readonly total: number;
  readonly isCapped: boolean;
}

export function isNear({ page, limit }: Numbered): boolean {
  return (page - 1) * limit <= NEAR;
}

function fromStart({ page, limit }: Numbered): Window {
  return { isFromEnd: false, skip: (page - 1) * limit, take: limit };
}

/**
 * Where to read the page. Null if it is too far from both ends. A page past the end takes no rows; if the
 * total is capped, the end is unknown.
 */
function windowOf({ page, limit }: Numbered, { total, isCapped }: Total): Window | null {
  const skip = (page - 1) * limit;
  const take = Math.max(0, Math.min(limit, total - skip));
  if (take === 0) return isCapped ? null : { isFromEnd: false, skip: 0, take: 0 };
  const behind = total - skip - take;
  if (!isCapped && behind < skip && behind < REACH) return { isFromEnd: true, skip: behind, take };
  return skip < REACH ? { isFromEnd: false, skip, take: limit } : null;
}

/** Whether the page exists and can be requested by its number. */
export function isReachable(wanted: Numbered, total: Total): boolean {
  return (windowOf(wanted, total)?.take ?? 0) > 0;
}

/** How the pages of a list are read. */
export interface PagedList<T> {
  /** The rows with the total: one call. */
  readonly together: (window: Window) => Promise<Total & { readonly items: readonly T[] }>;
  readonly total: () => Promise<Total>;
  readonly rows: (window: Window) => Promise<readonly T[]>;
}

/**
 * Reads a numbered page: one call in the first rows, two elsewhere. Null for a page too far from both ends.
 */
export async function readNumbered<T>(wanted: Paced, list: PagedList<T>): Promise<PageOf<T> | null> {
  const { page, limit, turn } = wanted;
  if ((page - 1) * limit <= TOGETHER) return { page, limit, ...(await list.together(fromStart(wanted))) };
  const total = await list.total();
  const window = windowOf(wanted, total);
  if (!window) return null;
  if (window.skip > NEAR) await turn(window.skip);
  return { page, limit, ...total, items: window.take === 0 ? [] : await list.rows(window) };
}
