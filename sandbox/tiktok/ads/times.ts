// Two time bases: schedules are UTC; days of budgets and reports use the ad account's time zone.

import { z } from "zod";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** `2026-11-21 08:00:00`, in UTC. */
export const toUtcText = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ");

/** Parses such a text to epoch milliseconds. */
export const utcTime = z.string().transform((text, context): number => {
  const at = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? Date.parse(`${text.replace(" ", "T")}Z`) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  context.addIssue({ code: "custom", message: "must be a time like 2026-11-21 08:00:00" });
  return z.NEVER;
});

const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** `2026-11-21 08:00:00`, local time in a zone. */
function toLocalText(at: number, timeZone: string): string {
  const format = FORMATS.get(timeZone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone, ...FIELDS });
  FORMATS.set(timeZone, format);
  return format.format(at);
}
const FIELDS = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
} as const;

export const localDay = (at: number, timeZone: string): string => toLocalText(at, timeZone).slice(0, 10);
export const localHour = (at: number, timeZone: string): string => `${toLocalText(at, timeZone).slice(0, 13)}:00:00`;

/** All supported zones have whole-hour offsets. */
export const hourOf = (at: number): number => Math.floor(at / HOUR_MS) * HOUR_MS;

/** Start of the current local day in a zone, and start of the next one. */
export function localDayAround(at: number, timeZone: string): { from: number; to: number } {
  const day = localDay(at, timeZone);
  let from = hourOf(at);
  while (localDay(from - 1, timeZone) === day) from -= HOUR_MS;
  let to = hourOf(at) + HOUR_MS;
  while (localDay(to, timeZone) === day) to += HOUR_MS;
  return { from, to };
}
