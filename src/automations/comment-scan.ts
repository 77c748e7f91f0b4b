import { z } from "zod";
import { DAY, MINUTE } from "../core/time.ts";
import type { CommentPage } from "../platforms/commenting.ts";

/**
 * How far the comments under a post have been read. Pure.
 *
 * A scan reads from the newest comment back to the frontier, before which everything is known; it may take
 * several runs. When it is complete, the frontier moves to the time when the scan began, less an overlap for
 * comments that the platform shows late and comments of the same second. Comments that are read twice are
 * known by their ids. After a scan of several pages the frontier moves only to the time when the scan before
 * it began, because deletions during the scan may have moved a comment past it. Once a day a scan reads a
 * week back, for comments that the platform held back.
 */
const State = z.object({
  /** Epoch milliseconds: older comments have been read. */
  frontier: z.number(),
  /** In progress: when it began, how far back it reads, and where it continues. */
  scan: z
    .object({ begunAt: z.number(), since: z.number(), cursor: z.string(), pages: z.number(), isDeep: z.boolean() })
    .nullable(),
  /**
   * When the last scan of several pages began: older comments have been read once, but perhaps not all of
   * them.
   */
  shakyFrom: z.number().nullable(),
  /** When the last new comment was written. */
  newsAt: z.number(),
  /** When a scan last read a week back. */
  deepAt: z.number(),
});
export type ScanState = z.output<typeof State>;

const OVERLAP_MS = 15 * MINUTE;
const DEEP_MS = 7 * DAY;

/** The state that the last run stored. A new poll does not read comments from before the first automation. */
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
  /** Pages that the scan has read so far. */
  readonly pages: number;
}

/**
 * Where this run begins: it continues the last scan or starts a new one. `oldest`: older comments concern no
 * automation.
 */
export function beginReading(state: ScanState, oldest: number, now: number): Reading {
  if (state.scan) return state.scan;
  const isDeep = now - state.deepAt >= DAY;
  const since = Math.max(oldest, isDeep ? Math.min(state.frontier, now - DEEP_MS) : state.frontier - OVERLAP_MS);
  return { begunAt: now, since, cursor: null, isDeep, pages: 0 };
}

/** Whether the page is the last that this scan needs. */
export function isThrough({ next, comments }: CommentPage, since: number, isNewestFirst: boolean): boolean {
  if (next === null) return true;
  // Every comment must be older: a single comment out of order must not end the scan.
  return isNewestFirst && comments.length > 0 && comments.every(({ createdAt }) => createdAt < since);
}

/** The result of a run. */
export interface Read {
  /** Null if the scan is complete. */
  readonly cursor: string | null;
  /** When the last known comment was written. */
  readonly newsAt: number;
  /** Pages of the whole scan. */
  readonly pages: number;
}

/** The state for the next run. */
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
