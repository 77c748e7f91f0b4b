import { describe, test } from "vitest";
import { OUTCOMES } from "../../scripts/support/post-outcome.ts";
import { countsOf, holds, proofPage, rowsIn, sumOf } from "../../scripts/support/proof-page.ts";

const plan = { label: "facebook a text", key: "k", items: [], body: {} as never, id: 1 };
const run = (verdicts: readonly (typeof OUTCOMES)[keyof typeof OUTCOMES][], strangers = 0) => ({
  results: verdicts.map((verdict) => ({ plan, post: undefined, verdict, live: [] })),
  strangers,
  kills: 3,
  faults: { injected: 9, met: 7 },
});

describe("the counts of a run of npm run proof", () => {
  test.for(Object.entries(OUTCOMES))("a post that is %s stands in one column", ([name, verdict], { expect }) => {
    const counts = countsOf(run([verdict]));
    const { published, failed, lost, doubled, stuck, wrong } = counts;
    expect(published + failed + lost + doubled + stuck + wrong, name).toBe(1);
    expect(holds(counts)).toBe(verdict.holds);
  });

  test("a live item without a post breaks the promise", ({ expect }) => {
    expect(holds(countsOf(run([OUTCOMES.once], 1)))).toBe(false);
  });
});

test("the page of a proof keeps the rows of earlier runs, and adds them up", ({ expect }) => {
  const about = { date: "2030-03-05", commit: "abc1234+", versions: "24.1.0, 1.2030", seed: 7 };
  const first = { ...about, ...countsOf(run([OUTCOMES.once, OUTCOMES.failed])) };
  const second = { ...about, seed: 8, ...countsOf(run([OUTCOMES.once, OUTCOMES.twice, OUTCOMES.unended])) };
  const page = proofPage([first]);
  expect(rowsIn(page)).toEqual([first]);
  const both = proofPage([...rowsIn(page), second]);
  expect(rowsIn(both)).toEqual([first, second]);
  expect(both).toContain("5 posts: 2 published, 1 failed with a reason; 0 lost, 1 doubled, 1 stuck, 0 wrong;");
  expect(sumOf(rowsIn(both))).toMatchObject({ posts: 5, kills: 6, faults: 14 });
});
