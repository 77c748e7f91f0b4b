import { expect, test } from "vitest";
import { extrapolation, rowsIn, scalePage } from "../../scripts/support/scale-page.ts";

const row = {
  date: "2030-03-05",
  commit: "abc1234+",
  versions: "24.1.0, 1.2030",
  seed: 7,
  posts: 1000,
  projects: 200,
  databases: 8,
  days: 10,
  watched: 10,
  calls: 12.5,
  read: 200.1,
  written: 40,
  messages: 3.2,
  taskCalls: 2.5,
  taskRead: 50,
  taskWritten: 5.5,
  taskMessages: 0.4,
  sweepCalls: 4.1,
  sweepRead: 30,
  bytes: 4000,
  lost: 0,
  doubled: 0,
  late: 1,
  mostLateSeconds: 61,
  minutes: 9.5,
};
const meter = { d1Calls: 10, d1RowsRead: 20, d1RowsWritten: 30 };
const home = {
  meters: { requests: meter, jobs: meter, tasks: meter, sweeps: meter },
  sweeps: 4,
  skipped: 2,
  sweepMs: 8,
  longestSweepMs: 5,
  mostBehindMs: 1000,
  bytes: 4096,
};
const used = { now: 0, waiting: 0, requests: 1, messages: { jobs: 1, tasks: 1 }, databases: [home] };

test("the page of npm run scale keeps the rows of earlier runs", () => {
  const page = scalePage([row], { used, answers: 3 });
  expect(rowsIn(page)).toEqual([row]);
  const larger = { ...row, posts: 100_000, commit: "def5678" };
  expect(rowsIn(scalePage([...rowsIn(page), larger], { used, answers: 3 }))).toEqual([row, larger]);
});

test("databases for ten million posts a day follow from calls and bytes", () => {
  const found = Object.fromEntries(extrapolation(row).rows.map(([title, value]) => [title, value]));
  expect(found["D1 calls a second, mean"]).toBe("1,736");
  expect(found["databases for the calls of the peak"]).toBe("14");
  expect(found["databases for 60 days of posts"]).toBe("240");
  expect(found["D1 rows read of sweeps a day"]).toBe("10,368,000");
});
