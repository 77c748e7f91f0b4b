import { HOUR } from "../../core/time.ts";
import type { Answered, Lost } from "../request.ts";
import { errorOf } from "./errors.ts";

/**
 * How many items of a list one call requests (Graph's `limit`). A list with large items, such as the inbox of
 * a busy account, is refused with code 1, “Please reduce the amount of data you're asking for”. The call is
 * then repeated with half as many items, down to one.
 *
 * What an account's list of a kind took last is remembered in this isolate; another one finds it out with at
 * most seven refused calls. It doubles with each hour without a refusal, so one busy day shortens no page for
 * good.
 */

/** Whether Graph refuses the call because its answer would be too large. */
export function isTooMuchData(answer: Answered | Lost): boolean {
  const error = errorOf(answer);
  return error?.code === 1 && /reduce the amount of data/i.test(error.message ?? "");
}

/** The number of items that is requested after such a refusal; null if one item was too much. */
export const halved = (size: number): number | null => (size > 1 ? Math.floor(size / 2) : null);

interface Known {
  readonly size: number;
  /** When a larger page was refused, epoch milliseconds. */
  readonly at: number;
}

/** By host, account and kind of list. */
const known = new Map<string, Known>();
const MAX_KNOWN = 1_000;
const DOUBLES_AFTER_MS = HOUR;

/** The size with which a list is requested, at most `wanted`. */
export function pageSizeOf(list: string, wanted: number, now: number): number {
  const last = known.get(list);
  if (!last) return wanted;
  const size = last.size * 2 ** Math.floor(Math.max(0, now - last.at) / DOUBLES_AFTER_MS);
  if (size < wanted) return size;
  known.delete(list);
  return wanted;
}

/** Notes that the list takes pages of this size, and none that is twice as large. */
export function keepPageSize(list: string, size: number, now: number): void {
  known.delete(list);
  if (known.size >= MAX_KNOWN) known.delete([...known.keys()][0] ?? "");
  known.set(list, { size, at: now });
}
