import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import * as fc from "fast-check";
import { describe, test } from "vitest";
import { createMeter } from "../../src/core/meter.ts";
import { runBatch } from "../../src/db/client.ts";
import {
  adaptInterval,
  claimUntil,
  type Recurrence,
  type RecurringHandler,
  runTasks,
  sendClaimed,
  sendDueTasks,
} from "../../src/jobs/recurring.ts";
import { claimNamed, dueKinds, scheduleTask } from "../../src/jobs/recurring-store.ts";
import { createDeps } from "../../src/service/deps.ts";
import { advance } from "../support/clock.ts";
import { db } from "../support/engine.ts";
import { bindings, queue } from "../support/queue.ts";
import { MINUTE } from "../support/times.ts";

/**
 * Recurring work by itself: what is due is claimed in batches, runs once a claim, and is due again when it
 * said.
 */
type Deps = ReturnType<typeof createDeps>;
const newDeps = (): Deps => createDeps(bindings, { test: true }, createMeter());

let ran: string[] = [];
let answer: (subject: string) => Recurrence = () => ({ kind: "again", afterMs: MINUTE });
const handler: RecurringHandler<Deps> = {
  kind: "poll",
  queue: "replies",
  run: async (_, subject) => {
    ran.push(subject);
    return answer(subject);
  },
};
const handlers = new Map([["poll", handler]]);
const handlerOf = (kind: string) => handlers.get(kind) ?? null;

async function schedule(count: number, dueAt: number): Promise<void> {
  await env.DB.prepare("DELETE FROM recurring").run();
  ran = [];
  queue.loseAll();
  const now = Date.now();
  const tasks = Array.from({ length: count }, (_, index) => ({ key: `poll:${index}`, dueAt, intervalMs: MINUTE, now }));
  for (let start = 0; start < count; start += 100)
    await runBatch(
      db,
      tasks.slice(start, start + 100).map((task) => scheduleTask(db, task)),
    );
}

const messages = () => queue.messages.flatMap((message) => (message.type === "recurring" ? [message] : []));
const rows = async () =>
  (await env.DB.prepare("SELECT key, due_at, interval_ms, failures FROM recurring ORDER BY key").all()).results;

describe("a task that is due", () => {
  test("is claimed and sent in a batch, runs once although its message comes twice, and comes back", async ({
    expect,
  }) => {
    await schedule(45, Date.now() - 1);
    await sendDueTasks(newDeps(), handlers);
    expect(messages().map(({ tasks }) => tasks.length)).toEqual([20, 20, 5]);
    // Claimed: an overlapping sweep sends nothing.
    await sendDueTasks(newDeps(), handlers);
    expect(messages()).toHaveLength(3);
    for (const message of messages()) {
      await runTasks(newDeps(), message, handlerOf);
      await runTasks(newDeps(), message, handlerOf);
    }
    expect(ran).toHaveLength(45);
    expect(new Set(ran).size).toBe(45);
    const [first] = await rows();
    expect(Number(first?.due_at) - Date.now()).toBeGreaterThan(MINUTE - 5_000);
  });

  test("stores what it has found with its next time, and the caller learns in that call what holds then", async ({
    expect,
  }) => {
    await schedule(2, Date.now() - 1);
    const found = sql`UPDATE recurring SET failures = 7 WHERE key = 'poll:1'`;
    const isFound = sql`EXISTS (SELECT 1 FROM recurring WHERE key = 'poll:1' AND failures = 7)`;
    const writes = [db.run(found)];
    answer = (subject) => ({ kind: "again", afterMs: MINUTE, ...(subject === "0" ? { writes } : {}) });
    await sendDueTasks(newDeps(), handlers);
    const [message = { tasks: [] }] = messages();
    const [first, last] = message.tasks;
    const run = (task: typeof first) => runTasks(newDeps(), { tasks: task ? [task] : [] }, handlerOf, isFound);
    expect(await run(first)).toBe(true);
    expect(await run(first)).toBe(false);
    // Its own result replaces what the other one wrote.
    expect(await run(last)).toBe(false);
    answer = () => ({ kind: "again", afterMs: MINUTE });
  });

  test("of twelve kinds at once is claimed for each of them", async ({ expect }) => {
    queue.loseAll();
    const kinds = Array.from({ length: 12 }, (_, number) => `kind${number}`);
    const now = Date.now();
    const task = { dueAt: now - 1, intervalMs: MINUTE, now };
    await runBatch(
      db,
      kinds.map((kind) => scheduleTask(db, { key: `${kind}:1`, ...task })),
    );
    await sendDueTasks(newDeps(), new Map(kinds.map((kind) => [kind, { ...handler, kind }])));
    const sent = messages().flatMap(({ tasks }) => tasks.map(({ key }) => key));
    expect(sent.toSorted()).toEqual(kinds.map((kind) => `${kind}:1`).toSorted());
  });

  test("whose message is lost, or whose run dies, is due again when the claim ends", async ({ expect }) => {
    await schedule(1, Date.now() - 1);
    await sendDueTasks(newDeps(), handlers);
    queue.loseAll();
    await advance(9 * MINUTE);
    await sendDueTasks(newDeps(), handlers);
    expect(messages()).toEqual([]);
    await advance(2 * MINUTE);
    await sendDueTasks(newDeps(), handlers);
    expect(messages()).toHaveLength(1);
  });

  test("that is prompt has its next message sent by its own run, which no sweep sends again", async ({ expect }) => {
    await schedule(2, Date.now() - 1);
    answer = (subject) => ({ kind: "again", afterMs: 30_000, isPrompt: subject === "1" });
    await sendDueTasks(newDeps(), handlers);
    const first = queue.takeDue();
    if (first?.type !== "recurring") throw new Error("Nothing was sent.");
    await runTasks(newDeps(), first, handlerOf);
    expect(messages().map(({ tasks }) => tasks.map(({ key }) => key))).toEqual([["poll:1"]]);
    expect(queue.takeDue()).toBeNull();
    await advance(30_000);
    // The sweep that comes now brings only the other.
    await sendDueTasks(newDeps(), handlers);
    expect(messages().map(({ tasks }) => tasks.map(({ key }) => key))).toEqual([["poll:1"], ["poll:0"]]);
    answer = () => ({ kind: "again", afterMs: MINUTE });
    for (const message of messages()) await runTasks(newDeps(), message, handlerOf);
    expect(ran).toEqual(["0", "1", "1", "0"]);
  });

  test("that has stopped is deleted; one that fails runs again later each time", async ({ expect }) => {
    await schedule(2, Date.now() - 1);
    answer = (subject) => {
      if (subject === "1") throw new Error("The platform is down.");
      return { kind: "stop" };
    };
    await sendDueTasks(newDeps(), handlers);
    for (const message of messages()) await runTasks(newDeps(), message, handlerOf);
    answer = () => ({ kind: "again", afterMs: MINUTE });
    expect(await rows()).toMatchObject([{ key: "poll:1", failures: 1, interval_ms: MINUTE }]);
  });

  test("that is moved while it runs keeps the time that it was moved to", async ({ expect }) => {
    await schedule(1, Date.now() - 1);
    await sendDueTasks(newDeps(), handlers);
    const dueAt = Date.now() + 5_000;
    const moving: RecurringHandler<Deps> = {
      ...handler,
      run: async () => {
        await runBatch(db, [scheduleTask(db, { key: "poll:0", dueAt, intervalMs: 1, now: Date.now() })]);
        return { kind: "stop" };
      },
    };
    for (const message of messages()) await runTasks(newDeps(), message, () => moving);
    expect(await rows()).toMatchObject([{ key: "poll:0", due_at: dueAt }]);
  });
});

test("those that are named are claimed and sent at once, when they are due and unclaimed", async ({ expect }) => {
  await schedule(2, Date.now() - 1);
  await runBatch(db, [scheduleTask(db, { key: "poll:1", dueAt: Date.now() + MINUTE, intervalMs: 1, now: Date.now() })]);
  for (let times = 0; times < 2; times++) {
    const now = Date.now();
    const rows = await claimNamed(db, ["poll:0", "poll:1", "poll:2"], now, claimUntil(newDeps(), now));
    await sendClaimed(newDeps(), { queue: "replies" }, rows);
  }
  expect(messages().map(({ tasks }) => tasks.map(({ key }) => key))).toEqual([["poll:0"]]);
  for (const message of messages()) await runTasks(newDeps(), message, handlerOf);
  expect(ran).toEqual(["0"]);
});

test("those asleep are not read, however many", async ({ expect }) => {
  await schedule(3, Date.now() - 1);
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
     INSERT INTO recurring (key, kind, due_at, interval_ms, created_at) SELECT 'poll:asleep' || i, 'poll', ?1 + i, 1, 1 FROM n`,
  )
    .bind(Date.now() + 3_600_000)
    .run();
  const deps = newDeps();
  const known = dueKinds([...handlers.keys(), "walk"], Date.now());
  const [due] = await deps.db.select({ known }).from(sql`(SELECT 1)`);
  expect(due?.known).toBe('["poll"]');
  await sendDueTasks(deps, handlers);
  expect(messages().flatMap(({ tasks }) => tasks.map(({ key }) => key))).toHaveLength(3);
  expect(deps.meter.d1Calls).toBe(2);
  expect(deps.meter.d1RowsRead).toBeLessThan(30);
});

test("an interval that adapts stays within its bounds, grows when nothing is new, and falls when something is", ({
  expect,
}) => {
  const bounds = { minMs: MINUTE, maxMs: 360 * MINUTE };
  void fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 ** 9 }), fc.boolean(), (last, hasNews) => {
      const next = adaptInterval(last, hasNews, bounds);
      expect(next).toBeGreaterThanOrEqual(bounds.minMs);
      expect(next).toBeLessThanOrEqual(bounds.maxMs);
      expect(hasNews ? next === bounds.minMs : next >= Math.min(last, bounds.maxMs)).toBe(true);
    }),
  );
});
