import { expect, test } from "vitest";
import { byWeeks, nextRead, readsOf, withDay } from "../../src/insights/plan.ts";
import { DAY, HOUR } from "../support/times.ts";

/** When the numbers of a post are read, and which days of them stay. */

const agesOf = (type: "post" | "story", isPaid: boolean): number[] => {
  const ages: number[] = [];
  const next = (now: number) => nextRead({ type, publishedAt: 0, isPaid }, now);
  for (let at = next(0); at !== null; at = next(at)) ages.push(at);
  return ages;
};

test("a post is read less and less often, and not after ninety days", () => {
  const daily = [1, 2, 3, 4, 5, 6, 7, 14, 21, 30, 60, 90].map((days) => days * DAY);
  expect(agesOf("post", false)).toEqual([HOUR, 6 * HOUR, ...daily]);
  expect(nextRead({ type: "post", publishedAt: 0, isPaid: false }, 91 * DAY)).toBeNull();
});

test("a paid post is read seven times, a story each hour of its day", () => {
  expect(agesOf("post", true)).toEqual([1, 3, 7, 14, 29, 60, 90].map((days) => days * DAY));
  expect(readsOf("post", true)).toBe(7);
  expect(agesOf("story", false)).toHaveLength(24);
});

test("a day has one point, and a week keeps its last one in the end", () => {
  const monday = withDay([["2026-11-23", { likes: 1 }]], ["2026-11-23", { likes: 2 }]);
  expect(monday).toEqual([["2026-11-23", { likes: 2 }]]);
  const days = withDay(withDay(monday, ["2026-11-29", { likes: 3 }]), ["2026-11-30", { likes: 4 }]);
  expect(byWeeks(days).map(([day]) => day)).toEqual(["2026-11-29", "2026-11-30"]);
});
