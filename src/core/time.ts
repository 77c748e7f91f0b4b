import { Temporal } from "temporal-polyfill";

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Known names, as they were written: a call to the runtime is the most expensive part of a small request. */
const knownZones = new Set<string>();
/** More than the number of zone names; a caller who sends every spelling cannot fill the memory. */
const MAX_KNOWN_ZONES = 1_000;

/** Whether the runtime knows this IANA zone name. Fixed offsets such as `+02:00` are not names. */
export function isTimeZone(name: string): boolean {
  if (knownZones.has(name)) return true;
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
  } catch {
    return false;
  }
  if (knownZones.size < MAX_KNOWN_ZONES) knownZones.add(name);
  return true;
}

const spelled = new Map<string, string>();

/**
 * The zone's name in the spelling of IANA: an alias stays (`us/pacific`: `US/Pacific`). Others stay as they
 * are.
 */
export function zoneName(name: string): string {
  const known = spelled.get(name);
  if (known !== undefined) return known;
  if (!isTimeZone(name)) return name;
  const own = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  if (spelled.size < MAX_KNOWN_ZONES) spelled.set(name, own);
  return own;
}

export type LocalTime =
  | {
      readonly kind: "instant";
      readonly at: number;
      /**
       * The time on the clock then, `YYYY-MM-DD HH:mm`, if a clock change skips the requested time; else
       * null.
       */
      readonly movedTo: string | null;
    }
  | { readonly kind: "not_a_date" };

/**
 * Reads `YYYY-MM-DD HH:mm` as wall-clock time in a zone: epoch milliseconds. A time that a clock change skips
 * moves forward by the gap; a time that occurs twice means the first.
 */
export function parseLocalTime(text: string, timeZone: string): LocalTime {
  const match = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2})$/.exec(text);
  if (!match) return { kind: "not_a_date" };
  const [year, month, day, hour, minute] = match.slice(1).map((digits) => Number.parseInt(digits, 10));
  if (year === undefined || month === undefined || day === undefined || hour === undefined || minute === undefined) {
    return { kind: "not_a_date" };
  }
  try {
    const local = Temporal.PlainDateTime.from({ year, month, day, hour, minute }, { overflow: "reject" });
    const zoned = local.toZonedDateTime(timeZone, { disambiguation: "compatible" });
    const shown = zoned.toPlainDateTime();
    const movedTo = shown.equals(local) ? null : shown.toString({ smallestUnit: "minute" }).replace("T", " ");
    return { kind: "instant", at: zoned.epochMilliseconds, movedTo };
  } catch (error) {
    if (error instanceof RangeError) return { kind: "not_a_date" };
    throw error;
  }
}

/**
 * Reads an ISO 8601 instant with seconds and offset (`2030-03-05T10:00:00+01:00`, `…Z`), or a date, which
 * means its first instant in UTC. Returns epoch milliseconds, rounded up; null for anything else.
 */
export function parseInstant(text: string): number | null {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
  if (!isDate && !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:[0-5]\d(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/.test(text)) return null;
  try {
    const instant = Temporal.Instant.from(isDate ? `${text}T00:00:00Z` : text);
    const whole = instant.epochMilliseconds;
    return instant.epochNanoseconds > BigInt(whole) * 1_000_000n ? whole + 1 : whole;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** `YYYY-MM-DD` of the instant in the zone. */
export function localDate(at: number, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDate().toString();
}

/** The next midnight in the zone after the instant: epoch milliseconds. */
export function nextMidnight(at: number, timeZone: string): number {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  return local.toPlainDate().add({ days: 1 }).toZonedDateTime(timeZone).epochMilliseconds;
}

/** ISO weekday, 1 = Monday … 7 = Sunday, of a `YYYY-MM-DD` date. */
export function weekdayOf(date: string): number {
  return Temporal.PlainDate.from(date).dayOfWeek;
}

export function addDays(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** `10AM, 5th of March, 2030` in the zone: the hour alone, as specified (spec 2.5). */
export function humanTime(at: number, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  const hour = local.hour % 12 === 0 ? 12 : local.hour % 12;
  const month = MONTHS[local.month - 1];
  return `${hour}${local.hour < 12 ? "AM" : "PM"}, ${ordinal(local.day)} of ${month}, ${local.year}`;
}

/** `March 5, 2030 9:05 AM` in the zone (spec 2.7). */
export function humanDate(at: number, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  const hour = local.hour % 12 === 0 ? 12 : local.hour % 12;
  const minute = String(local.minute).padStart(2, "0");
  const noon = local.hour < 12 ? "AM" : "PM";
  return `${MONTHS[local.month - 1]} ${local.day}, ${local.year} ${hour}:${minute} ${noon}`;
}

/** Wall-clock time in the zone, in the format of `schedule_time` in create-post: `2030-03-05 10:00`. */
export function localTime(at: number, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDateTime();
  return local.toString({ smallestUnit: "minute" }).replace("T", " ");
}

/**
 * The only form of ISO 8601 times in responses, events and messages: UTC with an explicit offset (spec 4.2).
 */
export function isoUtc(at: number): string {
  return new Date(at).toISOString().replace("Z", "+00:00");
}

export const isoUtcOrNull = (at: number | null): string | null => (at === null ? null : isoUtc(at));

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

function ordinal(day: number): string {
  const teens = day % 100 >= 11 && day % 100 <= 13;
  const suffix = teens ? "th" : (["th", "st", "nd", "rd"][day % 10] ?? "th");
  return `${day}${suffix}`;
}
