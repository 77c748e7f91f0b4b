import { addDays, localDate, parseLocalTime, weekdayOf } from "../../core/time.ts";

/** The days that the calendar shows: a month in whole weeks, a week, or thirty days as a list. */

export const VIEWS = ["month", "week", "list"] as const;
export type View = (typeof VIEWS)[number];
const LIST_DAYS = 30;

export interface Shown {
  readonly view: View;
  /** The day that was asked for, `YYYY-MM-DD`. */
  readonly date: string;
  readonly days: readonly string[];
  readonly earlier: string;
  readonly later: string;
}

/** Unknown views and dates mean the month of today. */
export function shownDays(query: Readonly<Record<string, string>>, zone: string, now: number): Shown {
  const view = VIEWS.find((one) => one === query.view) ?? "month";
  const asked = query.date ?? "";
  const isDate = /^20\d\d-\d\d-\d\d$/.test(asked) && parseLocalTime(`${asked} 12:00`, "UTC").kind === "instant";
  const date = isDate ? asked : localDate(now, zone);
  if (view === "list") {
    return { view, date, days: daysFrom(date, LIST_DAYS), ...around(date, LIST_DAYS) };
  }
  if (view === "week") return { view, date, days: daysFrom(mondayOf(date), 7), ...around(date, 7) };
  const first = `${date.slice(0, 7)}-01`;
  const next = firstOfNext(first);
  const days = daysFrom(mondayOf(first), 42);
  const weeks = days.slice(0, 35).includes(addDays(next, -1)) ? days.slice(0, 35) : days;
  return { view, date, days: weeks, earlier: `${addDays(first, -1).slice(0, 7)}-01`, later: next };
}

const mondayOf = (date: string): string => addDays(date, 1 - weekdayOf(date));
const firstOfNext = (first: string): string => `${addDays(first, 31).slice(0, 7)}-01`;
const around = (date: string, days: number) => ({ earlier: addDays(date, -days), later: addDays(date, days) });

function daysFrom(first: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => addDays(first, index));
}

/** The first instant of the days and the first after them: days of 23 and 25 hours included. */
export function spanOf(days: readonly string[], zone: string): { readonly from: number; readonly to: number } {
  const [first = ""] = days;
  return { from: startOf(first, zone), to: startOf(addDays(days.at(-1) ?? first, 1), zone) };
}

function startOf(date: string, zone: string): number {
  const start = parseLocalTime(`${date} 00:00`, zone);
  if (start.kind !== "instant") throw new Error(`${date} is no day.`);
  return start.at;
}
