import fc from "fast-check";
import { describe, test } from "vitest";
import { humanTime, isTimeZone, localTime, nextMidnight, parseLocalTime } from "../../src/core/time.ts";

const ZONES = [
  "America/New_York",
  "Europe/London",
  "America/Los_Angeles",
  "Europe/Berlin",
  "Asia/Dubai",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "Africa/Casablanca",
  "America/St_Johns",
  "UTC",
];

function instant(text: string, zone: string): string {
  const local = parseLocalTime(text, zone);
  return local.kind === "instant" ? new Date(local.at).toISOString() : local.kind;
}

describe("wall-clock times", () => {
  test.for([
    ["2030-03-05 10:00", "America/New_York", "2030-03-05T15:00:00.000Z"],
    ["2030-07-05 10:00", "America/New_York", "2030-07-05T14:00:00.000Z"],
    ["2030-03-05 10:00", "Asia/Kolkata", "2030-03-05T04:30:00.000Z"],
    // The clock jumps from 02:00 to 03:00: the time moves forward by the gap.
    ["2030-03-10 02:30", "America/New_York", "2030-03-10T07:30:00.000Z"],
    ["2030-03-31 02:15", "Europe/Berlin", "2030-03-31T01:15:00.000Z"],
    // It occurs twice: the first is meant.
    ["2030-11-03 01:30", "America/New_York", "2030-11-03T05:30:00.000Z"],
    ["2030-10-27 02:30", "Europe/Berlin", "2030-10-27T00:30:00.000Z"],
    ["2028-02-29 12:00", "UTC", "2028-02-29T12:00:00.000Z"],
  ] as const)("%s in %s is %s", ([text, zone, expected], { expect }) => {
    expect(instant(text, zone)).toBe(expected);
  });

  test.for(["2030-02-30 10:00", "2030-13-01 10:00", "2030-01-01 24:00", "2030-01-01 10:60", "2029-02-29 00:00", "x"])(
    "%s is not a real date",
    (text, { expect }) => {
      expect(instant(text, "UTC")).toBe("not_a_date");
    },
  );

  test("reading what was written gives the same instant, in every zone, away from repeated hours", ({ expect }) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.integer({ min: Date.UTC(2026, 0, 1) / 60_000, max: Date.UTC(2036, 0, 1) / 60_000 }),
        (zone, minute) => {
          const at = minute * 60_000;
          const read = parseLocalTime(localTime(at, zone), zone);
          // The first of two equal wall-clock times may be meant: at most two hours apart.
          expect(read.kind === "instant" && at - read.at >= 0 && at - read.at <= 2 * 3_600_000).toBe(true);
        },
      ),
    );
  });
});

describe("the upcoming format", () => {
  test.for([
    ["2030-03-05T15:00:00Z", "America/New_York", "10AM, 5th of March, 2030"],
    ["2030-03-01T00:15:00Z", "UTC", "12AM, 1st of March, 2030"],
    ["2030-03-02T12:59:00Z", "UTC", "12PM, 2nd of March, 2030"],
    ["2030-12-03T23:00:00Z", "UTC", "11PM, 3rd of December, 2030"],
    ["2030-01-11T13:00:00Z", "UTC", "1PM, 11th of January, 2030"],
    ["2030-01-12T13:00:00Z", "UTC", "1PM, 12th of January, 2030"],
    ["2030-01-13T13:00:00Z", "UTC", "1PM, 13th of January, 2030"],
    ["2030-01-21T13:00:00Z", "UTC", "1PM, 21st of January, 2030"],
    ["2030-01-22T13:00:00Z", "UTC", "1PM, 22nd of January, 2030"],
    ["2030-01-23T13:00:00Z", "UTC", "1PM, 23rd of January, 2030"],
    ["2030-01-31T20:30:00Z", "Asia/Kolkata", "2AM, 1st of February, 2030"],
  ] as const)("%s in %s reads %s", ([at, zone, expected], { expect }) => {
    expect(humanTime(Date.parse(at), zone)).toBe(expected);
  });
});

test.for([
  ["2026-11-20T12:00:00Z", "America/Los_Angeles", "2026-11-21T08:00:00.000Z"],
  ["2026-07-01T06:59:59Z", "America/Los_Angeles", "2026-07-01T07:00:00.000Z"],
  // Midnight itself belongs to the day that it begins.
  ["2026-07-01T07:00:00Z", "America/Los_Angeles", "2026-07-02T07:00:00.000Z"],
  // A day of 25 hours.
  ["2026-11-01T07:00:00Z", "America/Los_Angeles", "2026-11-02T08:00:00.000Z"],
  ["2026-11-20T23:59:00Z", "UTC", "2026-11-21T00:00:00.000Z"],
] as const)("after %s the next day of %s begins at %s", ([at, zone, expected], { expect }) => {
  expect(new Date(nextMidnight(Date.parse(at), zone)).toISOString()).toBe(expected);
});

test("zone names are IANA names, not offsets or garbage", ({ expect }) => {
  expect(ZONES.every(isTimeZone)).toBe(true);
  expect(["+02:00", "", "Mars/Phobos", "Europe", "../etc/passwd", "UTC+1"].some(isTimeZone)).toBe(false);
});
