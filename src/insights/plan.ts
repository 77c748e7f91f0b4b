import { DAY, HOUR } from "../core/time.ts";
import type { PostType } from "../platforms/names.ts";
import type { StoredDays } from "./stored.ts";

/** When the numbers of a post are read, and which of them are kept. Pure. */

/** Ages at which a post is read; between the last of them and the end, at this interval. */
interface Plan {
  readonly ages: readonly number[];
  readonly everyMs: number;
  readonly untilMs: number;
}

const DAILY = Array.from({ length: 7 }, (_, index) => (index + 1) * DAY);
const USUAL: Plan = {
  ages: [HOUR, 6 * HOUR, ...DAILY, 14 * DAY, 21 * DAY, 30 * DAY, 60 * DAY],
  everyMs: 30 * DAY,
  untilMs: 90 * DAY,
};
/** Each read costs money. The one before thirty days are over still shows what X shows for so long. */
const PAID: Plan = {
  ages: [DAY, 3 * DAY, 7 * DAY, 14 * DAY, 29 * DAY, 60 * DAY],
  everyMs: 30 * DAY,
  untilMs: 90 * DAY,
};
/** A story is there for a day. */
const STORY: Plan = { ages: [], everyMs: HOUR, untilMs: DAY };

export interface Read {
  readonly type: PostType;
  readonly publishedAt: number;
  readonly isPaid: boolean;
}

/** When a post is read next after `now`; null if never again. */
export function nextRead({ type, publishedAt, isPaid }: Read, now: number): number | null {
  const { ages, everyMs, untilMs } = type === "story" ? STORY : isPaid ? PAID : USUAL;
  const age = now - publishedAt;
  if (age >= untilMs) return null;
  const next = ages.find((one) => one > age) ?? (Math.floor(age / everyMs) + 1) * everyMs;
  return publishedAt + Math.min(next, untilMs);
}

/** When a post is read for the first time. */
export const firstRead = (isPaid: boolean): number => (isPaid ? PAID : USUAL).ages[0] ?? HOUR;

/** How many times a post is read in all. */
export function readsOf(type: PostType, isPaid: boolean): number {
  let reads = 0;
  for (let at = nextRead({ type, publishedAt: 0, isPaid }, 0); at !== null; reads++) {
    at = nextRead({ type, publishedAt: 0, isPaid }, at);
  }
  return reads;
}

/** The points with that of a day, in place of an earlier one of the same day. */
export function withDay(days: StoredDays, point: StoredDays[number]): StoredDays {
  return [...days.filter(([day]) => day !== point[0]), point];
}

/** The last point of each week from Monday on, for a post that is not read any more. */
export function byWeeks(days: StoredDays): StoredDays {
  return days.filter(([day], index) => {
    const next = days[index + 1];
    return next === undefined || weekOf(next[0]) !== weekOf(day);
  });
}

// 1970-01-01 was a Thursday.
const weekOf = (day: string): number => Math.floor((Date.parse(day) / DAY + 3) / 7);
