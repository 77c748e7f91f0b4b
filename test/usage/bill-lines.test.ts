import { describe, expect, test } from "vitest";
import { billOf, MONTHS, type Month, totalOf } from "../../scripts/support/bill.ts";

describe("a bill", () => {
  const nothing: Month = {
    posts: 0,
    links: 0,
    onX: 1,
    bots: 0,
    answers: 0,
    insights: 0,
    channels: 0,
    directMessages: 0,
    fits: 0,
  };

  test("of a month without posts is the plan", () => {
    expect(totalOf(billOf(nothing))).toBe(5);
  });

  test("has X's prices for posts with and without a link", () => {
    const lines = billOf({ ...nothing, posts: 1_000, links: 0.25 }).filter(({ group }) => group === "X");
    expect(lines.map(({ amount, usd }) => [amount, usd])).toEqual([
      [750, 11.25],
      [250, 50],
    ]);
  });

  test("has X's prices for a message, its sender and its answer, and none for other platforms", () => {
    const lines = billOf({ ...nothing, directMessages: 1_000, onX: 0.5 }).filter(({ group }) => group === "X");
    expect(lines.map(({ title, usd }) => [title, usd])).toEqual([
      ["a direct message", 7.5],
      ["an account that is read", 5],
      ["a direct message that is read", 5],
    ]);
  });

  test("has Cloudflare's price for pictures that are made to fit, beyond those of the month", () => {
    const lines = billOf({ ...nothing, posts: 100_000, onX: 0, fits: 0.1 });
    expect(lines.find(({ title }) => title === "pictures made to fit")).toMatchObject({ amount: 10_000, usd: 2.5 });
  });

  test("grows with posts, links, bots and answers", () => {
    const total = (month: Partial<Month>) => totalOf(billOf({ ...MONTHS.large, ...month }));
    expect(total({})).toBeGreaterThan(total({ posts: 9_000_000 }));
    expect(total({})).toBeGreaterThan(total({ links: 0.1 }));
    expect(total({})).toBeGreaterThan(total({ bots: 0 }));
    expect(total({})).toBeGreaterThan(total({ answers: 50 }));
    expect(total({})).toBeGreaterThan(total({ onX: 0.5 }));
    expect(total({ insights: 0.5 })).toBeGreaterThan(total({}));
    expect(total({})).toBeGreaterThan(total({ channels: 0 }));
    expect(total({ directMessages: 100_000, onX: 0 })).toBeGreaterThan(total({ onX: 0 }));
  });
});
