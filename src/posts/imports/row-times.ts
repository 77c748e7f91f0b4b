import { Temporal } from "temporal-polyfill";
import { isTimeZone, localTime, MINUTE, parseLocalTime } from "../../core/time.ts";

/**
 * Times as spreadsheets write them, read as the `schedule_time` of create-post. Only what means one thing is
 * taken: the year first, the name of the month, a number of Excel, or any of these with an offset. Which of
 * two numbers is the day, the file must say. Seconds are dropped. Pure.
 */

export const DATE_ORDERS = ["dmy", "mdy"] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

export type RowTime =
  /** `YYYY-MM-DD HH:mm`, on the clock of the row's time zone. */
  | { readonly kind: "local"; readonly time: string }
  /** Epoch milliseconds. */
  | { readonly kind: "instant"; readonly at: number }
  /** The first or the second number may be the day. */
  | { readonly kind: "ambiguous" }
  | { readonly kind: "unreadable" };

const MAX_LENGTH = 50;
const UNREADABLE = { kind: "unreadable" } as const;

const TIME = String.raw`(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,]\d{1,9})?)?(?: ?([ap])\.?m\.?)?`;
const OFFSET = String.raw`(?: ?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?`;
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:T|,? )${TIME}${OFFSET}$`, "i");
const COMPACT = new RegExp(String.raw`^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(?:\d{2})?${OFFSET}$`, "i");
const YEAR_LAST = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?:T|,? )${TIME}$`, "i");
const DAY_NAMED = new RegExp(String.raw`^(\d{1,2})[- ]([a-z]{3,9})[- ](\d{4}),? ${TIME}${OFFSET}$`, "i");
const MONTH_NAMED = new RegExp(String.raw`^([a-z]{3,9}) (\d{1,2}),? (\d{4}),? ${TIME}${OFFSET}$`, "i");
const SERIAL = /^\d{5}(?:[.,]\d{1,15})?$/;

/** `order`: how the file writes dates without a year in front; null if it does not say. */
export function readRowTime(cell: string, order: DateOrder | null): RowTime {
  const text = cell.trim().replaceAll(/\s+/g, " ");
  if (text.length > MAX_LENGTH) return UNREADABLE;
  if (SERIAL.test(text)) return serialTime(Number(text.replace(",", ".")));
  const yearFirst = YEAR_FIRST.exec(text);
  if (yearFirst) {
    const [, year, , month, day, hour, minute, , noon, offset] = yearFirst;
    return timeOf({ year, month, day, hour, minute, noon, offset });
  }
  const compact = COMPACT.exec(text);
  if (compact) {
    const [, year, month, day, hour, minute, offset] = compact;
    return timeOf({ year, month, day, hour, minute, offset });
  }
  const yearLast = YEAR_LAST.exec(text);
  if (yearLast) {
    const [, first, , second, year, hour, minute, , noon] = yearLast;
    if (order === null) return { kind: "ambiguous" };
    const [day, month] = order === "dmy" ? [first, second] : [second, first];
    return timeOf({ year: year?.length === 2 ? `20${year}` : year, month, day, hour, minute, noon });
  }
  return namedTime(text);
}

function namedTime(text: string): RowTime {
  const dayFirst = DAY_NAMED.exec(text);
  const [, first, second, year, hour, minute, , noon, offset] = dayFirst ?? MONTH_NAMED.exec(text) ?? [];
  const [day, name] = dayFirst ? [first, second] : [second, first];
  const month = name === undefined ? -1 : monthNamed(name.toLowerCase());
  return month < 1 ? UNREADABLE : timeOf({ year, month: `${month}`, day, hour, minute, noon, offset });
}

const MONTHS = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];

/** From 1; 0 for no name of a month. */
const monthNamed = (name: string): number =>
  1 +
  MONTHS.findIndex((month) => month === name || month.slice(0, 3) === name || (name === "sept" && month[0] === "s"));

interface Parts {
  readonly year: string | undefined;
  readonly month: string | undefined;
  readonly day: string | undefined;
  readonly hour: string | undefined;
  readonly minute: string | undefined;
  /** `a` or `p` of a clock of twelve hours. */
  readonly noon?: string | undefined;
  readonly offset?: string | undefined;
}

function timeOf({ year, month, day, hour, minute, noon, offset }: Parts): RowTime {
  const hours = hourOf(Number(hour), noon);
  const parts = { year: Number(year), month: Number(month), day: Number(day), hour: hours, minute: Number(minute) };
  try {
    const local = Temporal.PlainDateTime.from(parts, { overflow: "reject" });
    if (offset === undefined) return { kind: "local", time: shownTime(local) };
    return { kind: "instant", at: local.toZonedDateTime(offsetName(offset)).epochMilliseconds };
  } catch (error) {
    if (error instanceof RangeError) return UNREADABLE;
    throw error;
  }
}

/** -1, which is no hour, for an hour that its clock does not have. */
function hourOf(hour: number, noon: string | undefined): number {
  if (noon === undefined) return hour;
  if (hour < 1 || hour > 12) return -1;
  return (hour % 12) + (noon.toLowerCase() === "p" ? 12 : 0);
}

function offsetName(offset: string): string {
  if (/^[zug]/i.test(offset)) return "UTC";
  const digits = offset.replace(":", "");
  return `${digits.slice(0, 3)}:${digits.slice(3) || "00"}`;
}

const shownTime = (local: Temporal.PlainDateTime): string =>
  local.toString({ smallestUnit: "minute" }).replace("T", " ");

const MINUTES_OF_A_DAY = 24 * 60;

/** Days since 1899-12-30, as Excel and LibreOffice count them. A fraction of few digits is not exact. */
function serialTime(days: number): RowTime {
  const minutes = Math.round(days * MINUTES_OF_A_DAY);
  return { kind: "local", time: shownTime(Temporal.PlainDateTime.from("1899-12-30T00:00").add({ minutes })) };
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The row with its time as create-post reads it; a time that cannot be read stays as it is. An instant is
 * shown on the clock of the row's time zone, or in UTC if that clock shows the time twice.
 */
export function withRowTime(fields: Fields, order: DateOrder | null, projectZone: string): Fields {
  const { schedule_time: cell, time_zone: zone = projectZone } = fields;
  if (typeof cell !== "string") return fields;
  const read = readRowTime(cell, order);
  if (read.kind === "local") return { ...fields, schedule_time: read.time };
  if (read.kind !== "instant") return fields;
  const known = typeof zone === "string" && isTimeZone(zone) ? zone : "UTC";
  const at = Math.floor(read.at / MINUTE) * MINUTE;
  const time = localTime(at, known);
  const shown = parseLocalTime(time, known);
  if (shown.kind === "instant" && shown.at === at) return { time_zone: known, ...fields, schedule_time: time };
  return { ...fields, schedule_time: localTime(at, "UTC"), time_zone: "UTC" };
}
