import { z } from "zod";
import type { CommentPage } from "../platforms/commenting.ts";

/**
 * How far comments under a post have been read. Pure.
 *
 * A scan reads from the newest comment back to the frontier, before which everything is known; it may take
 * several runs. When it is through, the frontier moves to where the scan began, less an overlap: for comments
 * that the platform shows late, and those of the same second. What is read twice is known by its id. After a
 * scan of several pages the frontier moves only to where the one before began: while it went on, what was
 * deleted may have moved a comment past it. Once a day a scan goes back a week, for comments that were held
 * back so long.
 */
const State = z.object({
  /** Epoch milliseconds: what is older has been read. */
  frontier: z.number(),
  /** Under way: when it began, how far back it goes, and where it goes on. */
  scan: z
    .object({ begunAt: z.number(), since: z.number(), cursor: z.string(), pages: z.number(), isDeep: z.boolean() })
    .nullable(),
  /**
   * When the last scan began, where that had several pages: what is older has been read once, not surely all
   * of it.
   */
  shakyFrom: z.number().nullable(),
  /** When there was something new last. */
  newsAt: z.number(),
  /** When a scan went back a week last. */
  deepAt: z.number(),
});
export type ScanState = z.output<typeof State>;

const OVERLAP_MS = 15 * 60_000;
const DAY_MS = 86_400_000;
const DEEP_MS = 7 * DAY_MS;

/** What the last run left; of a new watch, what came before the first automation needs no reading. */
export function readState(
  stored: string | null,
  { activeSince, newsAt, now }: { readonly activeSince: number; readonly newsAt: number; readonly now: number },
): ScanState {
  const known = stored === null ? null : State.safeParse(parse(stored)).data;
  return known ?? { frontier: activeSince, scan: null, shakyFrom: null, newsAt, deepAt: now };
}

function parse(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch {
    return null;
  }
}

export interface Reading {
  readonly begunAt: number;
  readonly since: number;
  readonly cursor: string | null;
  readonly isDeep: boolean;
  /** That were read of it so far. */
  readonly pages: number;
}

/**
 * Where this run begins to read: on from the last one, or anew. `oldest`: nothing before concerns any
 * automation.
 */
export function beginReading(state: ScanState, oldest: number, now: number): Reading {
  if (state.scan) return state.scan;
  const isDeep = now - state.deepAt >= DAY_MS;
  const since = Math.max(oldest, isDeep ? Math.min(state.frontier, now - DEEP_MS) : state.frontier - OVERLAP_MS);
  return { begunAt: now, since, cursor: null, isDeep, pages: 0 };
}

/** Whether the page is the last that this scan needs. */
export function isThrough({ next, comments }: CommentPage, since: number, isNewestFirst: boolean): boolean {
  if (next === null) return true;
  // By the newest of the page: one comment that is out of its order must not end the reading.
  return isNewestFirst && comments.length > 0 && comments.every(({ createdAt }) => createdAt < since);
}

/** What a run came to. */
export interface Read {
  /** Null: the scan is through. */
  readonly cursor: string | null;
  /** When the last comment came, as far as is known. */
  readonly newsAt: number;
  /** Of the whole scan. */
  readonly pages: number;
}

/** What the next run is told. */
export function afterReading(
  state: ScanState,
  reading: Reading,
  { cursor, newsAt, pages }: Read,
  now: number,
): ScanState {
  const { begunAt, since, isDeep } = reading;
  const seen = { newsAt, deepAt: isDeep ? now : state.deepAt };
  if (cursor !== null) return { ...state, ...seen, scan: { begunAt, since, cursor, pages, isDeep } };
  if (pages <= 1) return { ...seen, frontier: Math.max(state.frontier, begunAt), scan: null, shakyFrom: null };
  const frontier = Math.max(state.frontier, state.shakyFrom ?? 0);
  return { ...seen, frontier, scan: null, shakyFrom: begunAt };
}
