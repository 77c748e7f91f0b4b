import { expect, test } from "vitest";
import { oldRules } from "../../scripts/support/rule-ages.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { RULE_AGE_DAYS, RULE_SUBJECTS, type RuleSources } from "../../src/platforms/rule-sources.ts";

/** `npm run verify` lists the rules that were not compared with the platforms' pages for 90 days. */

const DAY_MS = 24 * 60 * 60 * 1000;
const sources: readonly RuleSources[] = Object.values(platforms).map((one) => one.sources);
const dates = sources.flatMap(({ of, ofKind = {} }) => [...Object.values(of), ...Object.values(ofKind)]);
const days = dates.map(({ asOf }) => Date.parse(asOf));

test("a rule is listed from the day after its ninetieth", () => {
  const oldest = Math.min(...days);
  expect(oldRules(oldest + RULE_AGE_DAYS * DAY_MS)).toEqual([]);
  const count = days.filter((day) => day === oldest).length;
  expect(oldRules(oldest + (RULE_AGE_DAYS + 1) * DAY_MS)).toHaveLength(count);
});

test("a year later every rule is listed, the oldest first, each with its source", () => {
  const listed = oldRules(Math.max(...days) + 365 * DAY_MS);
  expect(listed).toHaveLength(dates.length);
  expect(listed.length).toBeGreaterThanOrEqual(sources.length * RULE_SUBJECTS.length);
  for (const { source } of dates) expect(listed.join("\n")).toContain(source);
  const ages = listed.map((line) => Number(/\((\d+) days\)/.exec(line)?.[1]));
  expect(ages).toEqual(ages.toSorted((a, b) => b - a));
});

test("every date has come, and every source says where it was read", () => {
  for (const { asOf, source } of dates) {
    expect(asOf).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(Date.parse(asOf)).toBeLessThanOrEqual(Date.now());
    expect(source.length).toBeGreaterThan(10);
  }
});
