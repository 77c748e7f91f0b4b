import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, test } from "vitest";
import { nextOccurrence, parseRule, type Rule, type Start } from "../../../src/posts/series/rule.ts";

/** Zones whose clocks change: on both halves of the earth, by half an hour, and before midnight. */
const ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Pacific/Auckland"];

function ruleOf(text: string): Rule {
  const rule = parseRule(text);
  if ("problem" in rule) throw new Error(rule.problem);
  return rule;
}

function locals(text: string, start: Start, count: number): readonly string[] {
  const found: string[] = [];
  let after = 0;
  while (found.length < count) {
    const next = nextOccurrence(ruleOf(text), start, after);
    if (!next) break;
    found.push(next.local);
    after = next.at;
  }
  return found;
}

const at = (local: string, timeZone = "UTC"): Start => ({ local, timeZone });

test.for([
  ["FREQ=DAILY;INTERVAL=3", "2030-03-04 09:00", ["2030-03-04 09:00", "2030-03-07 09:00", "2030-03-10 09:00"]],
  ["FREQ=WEEKLY;BYDAY=MO,TH", "2030-03-05 09:00", ["2030-03-07 09:00", "2030-03-11 09:00", "2030-03-14 09:00"]],
  ["FREQ=WEEKLY;INTERVAL=2", "2030-03-05 09:00", ["2030-03-05 09:00", "2030-03-19 09:00", "2030-04-02 09:00"]],
  ["FREQ=MONTHLY", "2030-01-31 09:00", ["2030-01-31 09:00", "2030-03-31 09:00", "2030-05-31 09:00"]],
  ["FREQ=MONTHLY;BYMONTHDAY=-1", "2030-01-05 09:00", ["2030-01-31 09:00", "2030-02-28 09:00", "2030-03-31 09:00"]],
  ["FREQ=MONTHLY;BYDAY=-1FR", "2030-01-01 09:00", ["2030-01-25 09:00", "2030-02-22 09:00", "2030-03-29 09:00"]],
  ["FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "2030-01-01 09:00", ["2030-09-13 09:00", "2030-12-13 09:00"]],
  ["FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=29", "2028-02-01 09:00", ["2028-02-29 09:00", "2032-02-29 09:00"]],
  ["FREQ=DAILY;BYHOUR=8,18;BYMINUTE=30", "2030-03-04 09:00", ["2030-03-04 18:30", "2030-03-05 08:30"]],
] as const)("%s from %s", ([rule, start, expected]) => {
  expect(locals(rule, at(start), expected.length)).toEqual(expected);
});

describe("an end", () => {
  test("UNTIL is inclusive, as a day, as a local time and in UTC; a rule without a date ends", () => {
    const start = at("2030-03-04 09:00", "Europe/Berlin");
    expect(locals("FREQ=DAILY;UNTIL=20300306", start, 9)).toHaveLength(3);
    expect(locals("FREQ=DAILY;UNTIL=20300306T085900", start, 9)).toHaveLength(2);
    expect(locals("FREQ=DAILY;UNTIL=20300306T080000Z", start, 9)).toHaveLength(3);
    expect(locals("FREQ=DAILY;UNTIL=20300306T075900Z", start, 9)).toHaveLength(2);
    expect(locals("FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=30", at("2030-02-01 09:00"), 1)).toEqual([]);
  });
});

test.for([
  "",
  "FREQ=YEARLY",
  "FREQ=DAILY;INTERVAL=0",
  "FREQ=DAILY;FREQ=DAILY",
  "FREQ=DAILY;BYHOUR=24",
  "FREQ=WEEKLY;BYDAY=1MO",
  "FREQ=WEEKLY;BYMONTHDAY=3",
  "FREQ=MONTHLY;BYMONTHDAY=0",
  "FREQ=DAILY;COUNT=3;UNTIL=20300101",
  "FREQ=DAILY;UNTIL=20301301",
  "FREQ=DAILY;BYSETPOS=1",
])("%s is refused with a sentence", (text) => {
  expect(parseRule(text)).toEqual({ problem: expect.stringMatching(/^rule .+\.$/) });
});

/** What RFC 5545 says, day by day: slow, and independent of the search. */
function expectedFrom(rule: Rule, start: Start, days: number): readonly number[] {
  const first = Temporal.PlainDateTime.from(start.local.replace(" ", "T"));
  const found = new Set<number>();
  for (let index = 0; index < days; index++) {
    const date = first.toPlainDate().add({ days: index });
    if (!isOn(rule, first.toPlainDate(), date)) continue;
    for (const hour of rule.byHour.length > 0 ? rule.byHour : [first.hour]) {
      for (const minute of rule.byMinute.length > 0 ? rule.byMinute : [first.minute]) {
        const local = date.toPlainDateTime({ hour, minute });
        if (Temporal.PlainDateTime.compare(local, first) < 0) continue;
        found.add(local.toZonedDateTime(start.timeZone, { disambiguation: "compatible" }).epochMilliseconds);
      }
    }
  }
  return [...found].sort((a, b) => a - b);
}

function isOn({ freq, interval, byDay, byMonthDay }: Rule, first: Temporal.PlainDate, date: Temporal.PlainDate) {
  const monday = (of: Temporal.PlainDate) => of.subtract({ days: of.dayOfWeek - 1 });
  const months = (date.year - first.year) * 12 + date.month - first.month;
  const weeks = monday(first).until(monday(date), { largestUnit: "day" }).days / 7;
  const period = { DAILY: first.until(date, { largestUnit: "day" }).days, WEEKLY: weeks, MONTHLY: months }[freq];
  if (period % interval !== 0) return false;
  const fromEnd = date.day - date.daysInMonth - 1;
  if (byMonthDay.length > 0 && !byMonthDay.some((day) => day === date.day || day === fromEnd)) return false;
  if (byDay.length > 0) {
    return byDay.some(({ weekday, position }) => {
      const isNth = position === null || position === Math.ceil(date.day / 7) || position === -Math.ceil(-fromEnd / 7);
      return weekday === date.dayOfWeek && isNth;
    });
  }
  if (freq === "WEEKLY") return date.dayOfWeek === first.dayOfWeek;
  return freq !== "MONTHLY" || byMonthDay.length > 0 || date.day === first.day;
}

/** Days around the clock changes, the ends of months and leap days of some years. */
const someStart = fc
  .record({
    date: fc.constantFrom("2028-02-27", "2029-03-20", "2029-10-20", "2030-01-29", "2031-04-01", "2031-09-01"),
    add: fc.integer({ min: 0, max: 12 }),
    hour: fc.constantFrom(0, 1, 2, 3, 23),
    minute: fc.constantFrom(0, 15, 30),
    timeZone: fc.constantFrom(...ZONES),
  })
  .map(({ date, add, hour, minute, timeZone }): Start => {
    const local = Temporal.PlainDate.from(date).add({ days: add }).toPlainDateTime({ hour, minute });
    return { local: local.toString({ smallestUnit: "minute" }).replace("T", " "), timeZone };
  });

const someRule = fc
  .record({
    freq: fc.constantFrom("DAILY", "WEEKLY", "MONTHLY"),
    interval: fc.integer({ min: 1, max: 3 }),
    days: fc.subarray(["MO", "WE", "SA", "SU"]),
    monthDays: fc.subarray(["1", "29", "30", "31", "-1", "-2"]),
    isNumbered: fc.boolean(),
    hours: fc.subarray(["0", "2", "3", "23"]),
    minutes: fc.subarray(["0", "30"]),
  })
  .map(({ freq, interval, days, monthDays, isNumbered, hours, minutes }) => {
    const part = (name: string, values: readonly string[]) => (values.length > 0 ? [`${name}=${values.join()}`] : []);
    const named = freq === "MONTHLY" && isNumbered ? days.map((day, index) => `${index % 2 ? -1 : 2}${day}`) : days;
    const ofMonth = freq === "WEEKLY" ? [] : monthDays;
    const all = [part("BYDAY", named), part("BYMONTHDAY", ofMonth), part("BYHOUR", hours), part("BYMINUTE", minutes)];
    return [`FREQ=${freq}`, `INTERVAL=${interval}`, ...all.flat()].join(";");
  });

test("the search finds what the rule says, over clock changes, ends of months and leap days, from anywhere", () => {
  fc.assert(
    fc.property(someRule, someStart, fc.nat({ max: 100 * 86_400_000 }), (text, start, offset) => {
      const rule = ruleOf(text);
      const expected = expectedFrom(rule, start, 120);
      const [first = 0] = expected;
      const found: number[] = [];
      for (let after = 0, next = nextOccurrence(rule, start, after); next && found.length < expected.length; ) {
        found.push(next.at);
        after = next.at;
        next = nextOccurrence(rule, start, after);
      }
      expect([text, start, found]).toEqual([text, start, expected]);
      const later = expected.find((at) => at > first + offset);
      if (later !== undefined) expect(nextOccurrence(rule, start, first + offset)?.at).toBe(later);
    }),
    { numRuns: 150 },
  );
});

test.for(ZONES)("every day at a time that the clocks of %s skip or repeat has one post", (timeZone) => {
  const start: Start = { local: "2029-01-01 02:30", timeZone };
  let [after, days] = [0, 0];
  for (let next = nextOccurrence(ruleOf("FREQ=DAILY"), start, after); next && days < 730; days++) {
    const date = Temporal.PlainDate.from("2029-01-01").add({ days }).toString();
    expect(next.local).toBe(`${date} 02:30`);
    expect(next.at).toBeGreaterThan(after);
    after = next.at;
    next = nextOccurrence(ruleOf("FREQ=DAILY"), start, after);
  }
  expect(days).toBe(730);
});
