import { describe, expect, test } from "vitest";
import { readRowTime, withRowTime } from "../../../src/posts/imports/row-times.ts";

describe("a time that means one thing", () => {
  test.for([
    ["2030-03-18 09:00", "2030-03-18 09:00"],
    ["2030-03-18T09:00", "2030-03-18 09:00"],
    ["2030-03-18T09:00:00", "2030-03-18 09:00"],
    ["2030-03-18 09:00:59", "2030-03-18 09:00"],
    ["2030-03-18T09:00:00.000", "2030-03-18 09:00"],
    ["2030-03-18 9:00", "2030-03-18 09:00"],
    ["2030-3-8 9:05", "2030-03-08 09:05"],
    ["2030/3/18 9:00", "2030-03-18 09:00"],
    ["2030.03.18 09:00", "2030-03-18 09:00"],
    ["2030-03-18 9:00 PM", "2030-03-18 21:00"],
    ["2030-03-18 12:30 a.m.", "2030-03-18 00:30"],
    ["2030-03-18\u00a009:00\u202f", "2030-03-18 09:00"],
    ["20300318T0900", "2030-03-18 09:00"],
    ["18 Mar 2030 09:00", "2030-03-18 09:00"],
    ["18-Sep-2030 9:00", "2030-09-18 09:00"],
    ["March 18, 2030 9:00 PM", "2030-03-18 21:00"],
    ["47195.375", "2029-03-18 09:00"],
    ["47195,375", "2029-03-18 09:00"],
    ["47195.39583", "2029-03-18 09:30"],
    ["47195.3958333333", "2029-03-18 09:30"],
    ["47195", "2029-03-18 00:00"],
  ] as const)("%s is %s", ([text, time]) => {
    expect(readRowTime(text, null)).toEqual({ kind: "local", time });
  });

  test.for([
    ["2030-03-18T09:00:00+01:00", "2030-03-18T08:00:00Z"],
    ["2030-03-18T09:00Z", "2030-03-18T09:00:00Z"],
    ["2030-03-18 09:00:00 +0530", "2030-03-18T03:30:00Z"],
    ["2030-03-18 09:00 UTC", "2030-03-18T09:00:00Z"],
    ["20300318T090000Z", "2030-03-18T09:00:00Z"],
    ["2030-03-18T09:00:00.000-08", "2030-03-18T17:00:00Z"],
  ] as const)("%s is the instant %s", ([text, instant]) => {
    expect(readRowTime(text, null)).toEqual({ kind: "instant", at: Date.parse(instant) });
  });
});

describe("a time with two numbers before the year", () => {
  const LOCAL = "2030-03-04 09:00";
  test.for([
    ["04.03.2030 09:00", "dmy"],
    ["4.3.2030, 9.00", "dmy"],
    ["04/03/30 9:00", "dmy"],
    ["04-03-2030 09:00:00", "dmy"],
    ["3/4/2030 9:00", "mdy"],
    ["03/04/2030 09:00 AM", "mdy"],
    ["3/4/2030, 9:00:00 AM", "mdy"],
  ] as const)("%s is read with %s, and not without", ([text, order]) => {
    expect(readRowTime(text, order)).toEqual({ kind: "local", time: LOCAL });
    expect(readRowTime(text, null)).toEqual({ kind: "ambiguous" });
  });

  test.for([
    ["3/18/2030 9:00", "dmy"],
    ["18.03.2030 09:00", "mdy"],
  ] as const)("%s is none with %s", ([text, order]) => {
    expect(readRowTime(text, order)).toEqual({ kind: "unreadable" });
  });
});

test.for([
  "",
  "tomorrow",
  "2030-03-18",
  "2030-02-30 09:00",
  "2030-03-18 25:00",
  "2030-03-18 13:00 PM",
  "2030-03-18T09:00+99",
  "18 Foo 2030 09:00",
  "1234567.5",
  "4719.5",
  "09:00",
  `2030-03-18 09:00${" ".repeat(100)}x`,
  "2030-03/18 09:00",
])("%j is no time", (text) => {
  expect(readRowTime(text, "dmy")).toEqual({ kind: "unreadable" });
});

describe("a row", () => {
  test("shows an instant on the clock of its own time zone, else of the project's", () => {
    const row = { schedule_time: "2030-03-18T09:00:00+01:00" };
    expect(withRowTime(row, null, "America/New_York")).toEqual({
      schedule_time: "2030-03-18 04:00",
      time_zone: "America/New_York",
    });
    expect(withRowTime({ ...row, time_zone: "Asia/Kolkata" }, null, "UTC")).toEqual({
      schedule_time: "2030-03-18 13:30",
      time_zone: "Asia/Kolkata",
    });
  });

  test("names an instant of a repeated hour in UTC", () => {
    const row = { schedule_time: "2030-10-27T02:30:00+01:00", time_zone: "Europe/Berlin" };
    expect(withRowTime(row, null, "UTC")).toEqual({ schedule_time: "2030-10-27 01:30", time_zone: "UTC" });
  });

  test("keeps what it cannot read, and a zone that is none", () => {
    const row = { schedule_time: "3/4/2030 9:00", caption_text: "x" };
    expect(withRowTime(row, null, "UTC")).toEqual(row);
    expect(withRowTime({ schedule_time: "2030-03-18T09:00Z", time_zone: "Mars" }, null, "UTC")).toEqual({
      schedule_time: "2030-03-18 09:00",
      time_zone: "Mars",
    });
  });
});
