import { DAY, HOUR, localTime, MINUTE, parseLocalTime } from "../../core/time.ts";

/**
 * When the posts of a series are due: a subset of the recurrence rules of RFC 5545, in a time zone. Pure.
 * Dates that do not exist (31 April) are left out; a time that a clock change skips moves forward by the gap,
 * and one that occurs twice means the first.
 */
export interface Rule {
  readonly freq: "DAILY" | "WEEKLY" | "MONTHLY";
  readonly interval: number;
  readonly byDay: readonly WeekdayRule[];
  /** Negative numbers count from the end of the month. */
  readonly byMonthDay: readonly number[];
  readonly byHour: readonly number[];
  readonly byMinute: readonly number[];
  /** Of the occurrences of each period only those at these positions; negative ones count from its end. */
  readonly bySetPos: readonly number[];
  /** The ISO weekday with which weeks begin. */
  readonly weekStart: number;
  readonly count: number | null;
  /** A local date or time, or a time in UTC; inclusive. */
  readonly until: { readonly local: string } | { readonly at: number } | null;
}

/** ISO weekday; in a month, the position of the day among these, or null for all. */
interface WeekdayRule {
  readonly weekday: number;
  readonly position: number | null;
}

/** The first occurrence of a series: it has the time of rules without BYHOUR. */
export interface Start {
  /** `YYYY-MM-DD HH:mm`. */
  readonly local: string;
  readonly timeZone: string;
}

export interface Occurrence {
  /** On the clock, as the rule says it. */
  readonly local: string;
  readonly at: number;
}

const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const MAX_COUNT = 1_000;
export const MAX_RULE = 500;

/** The rule, or a sentence about what is wrong with it. */
export function parseRule(text: string): Rule | { readonly problem: string } {
  if (text.length > MAX_RULE) return wrong(`must have at most ${MAX_RULE} characters`);
  const parts = new Map<string, string>();
  for (const part of text.replace(/^RRULE:/i, "").split(";")) {
    const [name = "", value = ""] = part.toUpperCase().split("=");
    if (!PARTS.includes(name))
      return wrong(`has ${name === "" ? "an empty part" : name}; it takes ${PARTS.join(", ")}`);
    if (parts.has(name)) return wrong(`has ${name} twice`);
    parts.set(name, value);
  }
  const freq = parts.get("FREQ");
  if (freq !== "DAILY" && freq !== "WEEKLY" && freq !== "MONTHLY") return wrong("needs FREQ=DAILY, WEEKLY or MONTHLY");
  const interval = numbersIn(parts.get("INTERVAL") ?? "1", 1, 366);
  const byMonthDay = numbersIn(parts.get("BYMONTHDAY"), -31, 31);
  const byHour = numbersIn(parts.get("BYHOUR"), 0, 23);
  const byMinute = numbersIn(parts.get("BYMINUTE"), 0, 59);
  const count = numbersIn(parts.get("COUNT"), 1, MAX_COUNT);
  if (interval?.length !== 1) return wrong("needs one INTERVAL from 1 to 366");
  if (!byMonthDay || byMonthDay.includes(0)) return wrong("needs days from 1 to 31, or from -1 to -31, in BYMONTHDAY");
  if (!byHour) return wrong("needs hours from 0 to 23 in BYHOUR");
  if (!byMinute) return wrong("needs minutes from 0 to 59 in BYMINUTE");
  if (!count || count.length > 1) return wrong(`needs a COUNT from 1 to ${MAX_COUNT}`);
  const byDay = (parts.get("BYDAY") ?? "")
    .split(",")
    .filter((day) => day !== "")
    .map(weekdayIn);
  if (byDay.some((day) => day === null)) return wrong("needs days such as MO, or 1MO and -1FR in a month, in BYDAY");
  const days = byDay.flatMap((day) => day ?? []);
  if (freq !== "MONTHLY" && days.some(({ position }) => position !== null)) {
    return wrong("takes numbered days such as 1MO only with FREQ=MONTHLY");
  }
  if (freq === "WEEKLY" && byMonthDay.length > 0) return wrong("takes no BYMONTHDAY with FREQ=WEEKLY");
  const bySetPos = numbersIn(parts.get("BYSETPOS"), -366, 366);
  if (!bySetPos || bySetPos.includes(0)) return wrong("needs positions from 1 to 366, or from -1 to -366, in BYSETPOS");
  if (bySetPos.length > 0 && days.length + byMonthDay.length + byHour.length + byMinute.length === 0) {
    return wrong("takes BYSETPOS only with BYDAY, BYMONTHDAY, BYHOUR or BYMINUTE");
  }
  const weekStart = WEEKDAYS.indexOf(parts.get("WKST") ?? "MO") + 1;
  if (weekStart === 0) return wrong("needs a day such as SU in WKST");
  const untilText = parts.get("UNTIL");
  const until = untilText === undefined ? null : untilIn(untilText);
  if (until === undefined) return wrong("needs an UNTIL such as 20300401, 20300401T090000 or 20300401T090000Z");
  if (until && count.length > 0) return wrong("takes COUNT or UNTIL, not both");
  const [every = 1] = interval;
  const times = { byHour, byMinute, bySetPos };
  return { freq, interval: every, byDay: days, byMonthDay, ...times, weekStart, count: count[0] ?? null, until };
}

const PARTS = ["FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYHOUR", "BYMINUTE", "BYSETPOS", "WKST", "COUNT", "UNTIL"];
const wrong = (what: string) => ({ problem: `rule ${what}.` });

function numbersIn(text: string | undefined, min: number, max: number): readonly number[] | null {
  if (text === undefined) return [];
  const numbers = text.split(",").map((part) => (/^[+-]?\d{1,4}$/.test(part) ? Number(part) : Number.NaN));
  return numbers.every((number) => number >= min && number <= max) ? [...new Set(numbers)] : null;
}

function weekdayIn(text: string): WeekdayRule | null {
  const match = /^([+-]?[1-5])?(MO|TU|WE|TH|FR|SA|SU)$/.exec(text);
  if (!match) return null;
  const [, position, day = ""] = match;
  return { weekday: WEEKDAYS.indexOf(day) + 1, position: position === undefined ? null : Number(position) };
}

function untilIn(text: string): Rule["until"] | undefined {
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{2}(Z)?)?$/.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour = "23", minute = "59", zulu] = match;
  const local = `${year}-${month}-${day} ${hour}:${minute}`;
  const read = parseLocalTime(local, "UTC");
  if (read.kind === "not_a_date") return undefined;
  return zulu ? { at: read.at } : { local };
}

/** Longer gaps than this between two occurrences end a series: its rule has no further date. */
const MAX_EMPTY_PERIODS = 1_500;

/**
 * The first occurrence after the instant; null if there is none. COUNT is not regarded: the caller counts.
 */
export function nextOccurrence(rule: Rule, start: Start, after: number): Occurrence | null {
  const [startDate = ""] = start.local.split(" ");
  const first = dayOf(startDate);
  // A local day begins at most 14 hours before, and ends at most 12 hours after, the day in UTC.
  const from = Math.max(first, Math.floor(after / DAY) - 2);
  const times = timesOf(rule, start);
  const notBefore = passedLocally(after, start.timeZone);
  let period = periodOf(rule, first, from);
  for (let empty = 0; empty < MAX_EMPTY_PERIODS; empty++, period++) {
    for (const local of placed(rule, daysOf(rule, first, period), times)) {
      if (local < start.local || local <= notBefore) continue;
      if (rule.until && "local" in rule.until && local > rule.until.local) return null;
      const read = parseLocalTime(local, start.timeZone);
      if (read.kind !== "instant" || read.at <= after) continue;
      if (rule.until && "at" in rule.until && read.at > rule.until.at) return null;
      return { local, at: read.at };
    }
  }
  return null;
}

/**
 * The latest time on the clock that has passed at the instant, `YYYY-MM-DD HH:mm`: all earlier ones have too.
 * A rule has up to 1,440 times a day, and reading one in its zone is expensive. A time that a clock change
 * skips means a later one, so after a change the length of the gap is taken off.
 */
function passedLocally(after: number, timeZone: string): string {
  const shown = wallClock(after, timeZone);
  const gap = Math.max(0, shown - wallClock(after - DAY - HOUR, timeZone) - DAY - HOUR);
  return new Date(shown - gap - MINUTE).toISOString().slice(0, 16).replace("T", " ");
}

/** The time on the clock, as if it were in UTC. */
function wallClock(at: number, timeZone: string): number {
  return Date.parse(`${localTime(at, timeZone).replace(" ", "T")}:00Z`);
}

/** The occurrences of a period, in order; with BYSETPOS, those at its positions. */
function* placed({ bySetPos }: Rule, days: readonly number[], times: readonly string[]): Generator<string> {
  if (bySetPos.length === 0) {
    for (const day of days) for (const time of times) yield `${dateOf(day)} ${time}`;
    return;
  }
  const size = days.length * times.length;
  const places = new Set(bySetPos.map((position) => (position > 0 ? position - 1 : size + position)));
  for (const place of [...places].sort((a, b) => a - b)) {
    const day = days[Math.floor(place / times.length)];
    const time = times[place % times.length];
    if (day !== undefined && time !== undefined) yield `${dateOf(day)} ${time}`;
  }
}

function timesOf({ byHour, byMinute }: Rule, { local }: Start): readonly string[] {
  const [, time = "00:00"] = local.split(" ");
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  const hours = byHour.length > 0 ? byHour : [hour];
  const minutes = byMinute.length > 0 ? byMinute : [minute];
  const times = hours.flatMap((h) => minutes.map((m) => `${two(h)}:${two(m)}`));
  return [...new Set(times)].sort();
}

const two = (number: number): string => String(number).padStart(2, "0");

/** Days since 1970-01-01, a Thursday. */
const dayOf = (date: string): number => Math.floor(Date.parse(`${date}T00:00:00Z`) / DAY);
const dateOf = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10);
const weekdayOf = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;
/** Months since 1970-01. */
function monthOf(day: number): number {
  const date = new Date(day * DAY);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}
const firstOfMonth = (month: number): number => Math.floor(Date.UTC(1970, month, 1) / DAY);

/** The number of the period, from that of the start, in which the day is, or the one before. */
function periodOf({ freq, interval, weekStart }: Rule, first: number, day: number): number {
  if (freq === "MONTHLY") return Math.floor((monthOf(day) - monthOf(first)) / interval);
  if (freq === "WEEKLY") return Math.floor((day - weekOf(first, weekStart)) / 7 / interval);
  return Math.floor((day - first) / interval);
}

/** The first day of the week in which the day is. */
const weekOf = (day: number, weekStart: number): number => day - ((weekdayOf(day) - weekStart + 7) % 7);

/** The days of a period, in order. */
function daysOf(rule: Rule, first: number, period: number): readonly number[] {
  const { freq, interval, byDay, byMonthDay, weekStart } = rule;
  const hasWeekday = (day: number) => byDay.length === 0 || byDay.some(({ weekday }) => weekday === weekdayOf(day));
  if (freq === "DAILY") {
    const day = first + period * interval;
    return hasWeekday(day) && hasMonthDay(byMonthDay, day) ? [day] : [];
  }
  if (freq === "WEEKLY") {
    const begin = weekOf(first, weekStart) + 7 * period * interval;
    const week = Array.from({ length: 7 }, (_, index) => begin + index);
    return byDay.length === 0 ? week.filter((day) => weekdayOf(day) === weekdayOf(first)) : week.filter(hasWeekday);
  }
  const month = monthOf(first) + period * interval;
  const [begin, end] = [firstOfMonth(month), firstOfMonth(month + 1)];
  const days = Array.from({ length: end - begin }, (_, index) => begin + index);
  if (byDay.length === 0 && byMonthDay.length === 0) {
    const date = first - firstOfMonth(monthOf(first));
    return days.slice(date, date + 1);
  }
  const isPlaced = (day: number) => {
    const weekday = weekdayOf(day);
    return byDay.length === 0 || byDay.some((rule) => rule.weekday === weekday && isAt(rule.position, day, begin, end));
  };
  return days.filter((day) => isDateOf(byMonthDay, day, begin, end) && isPlaced(day));
}

/** Whether the day is at this position among those of its weekday in the month. */
function isAt(position: number | null, day: number, begin: number, end: number): boolean {
  if (position === null) return true;
  return position > 0
    ? Math.floor((day - begin) / 7) + 1 === position
    : Math.floor((end - 1 - day) / 7) + 1 === -position;
}

function hasMonthDay(byMonthDay: readonly number[], day: number): boolean {
  if (byMonthDay.length === 0) return true;
  const month = monthOf(day);
  return isDateOf(byMonthDay, day, firstOfMonth(month), firstOfMonth(month + 1));
}

/** In the month from `begin` to before `end`. */
function isDateOf(byMonthDay: readonly number[], day: number, begin: number, end: number): boolean {
  return byMonthDay.length === 0 || byMonthDay.includes(day - begin + 1) || byMonthDay.includes(day - end);
}
