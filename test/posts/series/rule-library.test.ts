import fc from "fast-check";
import { RRuleTemporal } from "rrule-temporal";
import { Temporal } from "temporal-polyfill";
import { expect, test } from "vitest";
import { nextOccurrence, parseRule } from "../../../src/posts/series/rule.ts";

/** Rules mean the same as in an independent library for RFC 5545. */

const DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;
const some = <T>(values: readonly T[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 4 });
const positions = fc.uniqueArray(fc.constantFrom(1, 2, 3, 4, 5, -1, -2, -3), { minLength: 1, maxLength: 3 });
const part = (name: string, values: fc.Arbitrary<readonly (string | number)[]>) =>
  values.map((list) => `${name}=${list.join(",")}`);
const maybe = (text: fc.Arbitrary<string>) => fc.option(text, { nil: null });

const times = [maybe(part("BYHOUR", some([0, 8, 12, 23]))), maybe(part("BYMINUTE", some([0, 15, 30, 45])))] as const;
const common = [
  fc.integer({ min: 1, max: 4 }).map((n) => `INTERVAL=${n}`),
  maybe(part("BYSETPOS", positions)),
] as const;
const weekStart = maybe(fc.constantFrom(...DAYS).map((day) => `WKST=${day}`));
const rules = fc.oneof(
  fc.tuple(fc.constant("FREQ=WEEKLY"), part("BYDAY", some(DAYS)), weekStart, ...common, ...times),
  fc.tuple(fc.constant("FREQ=MONTHLY"), part("BYDAY", some(DAYS)), ...common, ...times),
  fc.tuple(fc.constant("FREQ=MONTHLY"), part("BYDAY", some(["1MO", "-1FR", "3WE", "2TU"])), ...common, ...times),
  fc.tuple(fc.constant("FREQ=MONTHLY"), part("BYMONTHDAY", some([1, 15, 28, 30, 31, -1, -2])), ...common, ...times),
  fc.tuple(fc.constant("FREQ=DAILY"), part("BYHOUR", some([0, 8, 12, 23])), ...common, times[1]),
);
const starts = fc.tuple(
  fc.integer({ min: 0, max: 800 }).map((days) => Temporal.PlainDate.from("2029-12-20").add({ days })),
  fc.constantFrom("00:00", "09:00", "23:45"),
);

const SHOWN = 12;

function ours(text: string, local: string): readonly string[] {
  const rule = parseRule(text);
  if ("problem" in rule) throw new Error(rule.problem);
  const found: string[] = [];
  let after = 0;
  while (found.length < SHOWN) {
    const next = nextOccurrence(rule, { local, timeZone: "UTC" }, after);
    if (!next) break;
    found.push(next.local);
    after = next.at;
  }
  return found;
}

function theirs(text: string, local: string): readonly string[] {
  const dtstart = Temporal.PlainDateTime.from(local.replace(" ", "T")).toZonedDateTime("UTC");
  const rule = new RRuleTemporal({ rruleString: `RRULE:${text}`, dtstart: dtstart as never });
  const found: string[] = [];
  for (const one of rule.all((_, index) => index < SHOWN)) {
    found.push(one.toPlainDateTime().toString({ smallestUnit: "minute" }).replace("T", " "));
  }
  return found.slice(0, SHOWN);
}

test("BYSETPOS and WKST mean what they mean in rrule-temporal", () => {
  fc.assert(
    fc.property(rules, starts, (parts, [date, time]) => {
      // An end, because a rule may have no occurrence at all.
      const text = [...parts.filter((one) => one !== null), "UNTIL=20340101T000000Z"].join(";");
      const local = `${date} ${time}`;
      expect([text, local, ours(text, local)]).toEqual([text, local, theirs(text, local)]);
    }),
    { numRuns: 150 },
  );
});

test.for([
  // The example of RFC 5545 for WKST, at 09:00.
  ["FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO", ["1997-08-05", "1997-08-10", "1997-08-19", "1997-08-24"]],
  ["FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU", ["1997-08-05", "1997-08-17", "1997-08-19", "1997-08-31"]],
  // The last working day of the month.
  ["FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", ["1997-08-29", "1997-09-30", "1997-10-31", "1997-11-28"]],
] as const)("%s", ([rule, dates]) => {
  expect(ours(rule, "1997-08-05 09:00").slice(0, 4)).toEqual(dates.map((date) => `${date} 09:00`));
});

test.for([
  ["FREQ=DAILY;BYSETPOS=1", "takes BYSETPOS only with"],
  ["FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0", "BYSETPOS"],
  ["FREQ=MONTHLY;BYDAY=MO;BYSETPOS=367", "BYSETPOS"],
  ["FREQ=WEEKLY;WKST=XX", "needs a day such as SU in WKST"],
] as const)("%s is refused", ([rule, words]) => {
  expect(parseRule(rule)).toEqual({ problem: expect.stringContaining(words) });
});
