import { expect, test } from "vitest";
import type { JobHandler } from "../../src/jobs/handler.ts";
import { runJob } from "../../src/jobs/runner.ts";
import { createDeps, type Deps } from "../../src/service/deps.ts";
import { advance } from "../support/clock.ts";
import { newJob, rowOf } from "../support/engine.ts";
import { bindings } from "../support/queue.ts";

/** Which waits of a job its timeline shows. */

/** So many seconds, for this reason. */
type Wait = readonly [seconds: number, reason: string];

/** Has a job wait so, one after the other; returns the waits that were shown. */
async function shownOf(waits: readonly Wait[]): Promise<Wait[]> {
  const deps = createDeps(bindings, { cron: true });
  const key = await newJob();
  const shown: Wait[] = [];
  for (const [seconds, reason] of waits) {
    const handler: JobHandler<Deps> = {
      kind: "engine",
      queues: ["publish"],
      version: 1,
      isLasting: () => false,
      limitMs: () => 3_600_000,
      run: async (_, journal) => journal.retryLater(seconds, reason, "platform_down"),
      waiting(_db, { message }) {
        shown.push([seconds, message]);
        return [];
      },
    };
    await runJob(deps, key, null, () => handler);
    expect(await rowOf(key)).toMatchObject({ waiting_for: reason, waiting_code: "platform_down" });
    await advance(seconds * 1_000);
  }
  return shown;
}

const DOWN = "The platform is down.";
const MORE = "There is more to do.";

test("a wait of a second is not shown, a longer one is, once for its reason", async () => {
  expect(
    await shownOf([
      [1, DOWN],
      [2, DOWN],
      [4, DOWN],
      [8, DOWN],
    ]),
  ).toEqual([[2, DOWN]]);
});

test("a short wait for another reason in between does not show the first reason again", async () => {
  expect(
    await shownOf([
      [30, DOWN],
      [0, MORE],
      [30, DOWN],
    ]),
  ).toEqual([[30, DOWN]]);
});

test("a reason that comes back after another one is reported again", async () => {
  expect(
    await shownOf([
      [30, DOWN],
      [30, MORE],
      [30, DOWN],
    ]),
  ).toEqual([
    [30, DOWN],
    [30, MORE],
    [30, DOWN],
  ]);
});
