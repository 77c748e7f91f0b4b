import { HOUR } from "../../core/time.ts";
import type { PageSize } from "../context.ts";
import type { Answered, Lost } from "../request.ts";
import { errorOf } from "./errors.ts";

/**
 * How many items of a list one call requests (Graph's `limit`). A list with large items, such as the inbox of
 * a busy account, is refused with code 1, “Please reduce the amount of data you're asking for”. The call is
 * then repeated with half as many items, down to one.
 *
 * The context keeps what an account's list of a kind took last. The size doubles with each hour without a
 * refusal, so one busy day shortens no page for good.
 */

/** Whether Graph refuses the call because its answer would be too large. */
export function isTooMuchData(answer: Answered | Lost): boolean {
  const error = errorOf(answer);
  return error?.code === 1 && /reduce the amount of data/i.test(error.message ?? "");
}

/** The number of items that is requested after such a refusal; null if one item was too much. */
export const halved = (size: number): number | null => (size > 1 ? Math.floor(size / 2) : null);

const DOUBLES_AFTER_MS = HOUR;

/** The size with which a list is requested, at most `wanted`; `last`: what is kept of it. */
export function grownSize(last: PageSize | null, wanted: number, now: number): number {
  if (!last) return wanted;
  return Math.min(wanted, last.size * 2 ** Math.floor(Math.max(0, now - last.at) / DOUBLES_AFTER_MS));
}
