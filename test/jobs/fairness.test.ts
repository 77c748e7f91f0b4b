import { env } from "cloudflare:workers";
import { beforeEach, describe, test } from "vitest";
import { createMeter } from "../../src/core/meter.ts";
import { connectDb } from "../../src/db/client.ts";
import { MAX_IN_FLIGHT } from "../../src/jobs/capacity.ts";
import type { JobHandler } from "../../src/jobs/handler.ts";
import { resumeWaiting } from "../../src/jobs/resume-waiting.ts";
import { runJob } from "../../src/jobs/runner.ts";
import { sendDueJobs } from "../../src/jobs/sweep.ts";
import {
  findQueueProgress,
  listSharesInFlight,
  listThrottledShares,
  takeAbandonedJobs,
} from "../../src/jobs/sweep-store.ts";
import { createDeps, type Deps } from "../../src/service/deps.ts";
import { advance, advanceTo, atOnce } from "../support/clock.ts";
import { claim, newJob, rowOf } from "../support/engine.ts";
import { bindings, cron, queue, queuesIdle } from "../support/queue.ts";
import { MINUTE, wallClock } from "../support/times.ts";
import { createPost, findPost, HANDLES, PAGES, projectWith } from "../support/world.ts";

/** A project has a bounded number of jobs in flight: a flood delays only that project. */
beforeEach(async () => {
  queue.loseAll();
  await env.DB.prepare("DELETE FROM jobs").run();
});

const messagesOf = (ids: readonly number[]) =>
  queue.messages.filter((message) => message.type === "job" && ids.includes(Number(message.key.split(":")[1])));

describe("sixty posts at once", () => {
  test("have twenty in flight, the others wait their turn with a reason, and all are published in order", async ({
    expect,
  }) => {
    const flood = await projectWith("twitter", HANDLES.harbour);
    const ids: number[] = [];
    for (let n = 0; n < 60; n++) {
      ids.push(await createPost(flood.project, flood.channel, { caption_text: `flood ${n} ${crypto.randomUUID()}` }));
      if (n % 30 === 29) await advance(1_100);
    }
    expect(messagesOf(ids)).toHaveLength(MAX_IN_FLIGHT);
    const last = ids.at(-1) ?? 0;
    const timeline = await flood.project.call("GET", `/social/get-post-events/${last}`);
    expect(JSON.stringify(timeline.body)).toContain("other posts of this project are published");

    const other = await projectWith("facebook", PAGES.bikes);
    const single = await createPost(other.project, other.channel, { caption_text: "one of another project" });
    expect(messagesOf([single])).toHaveLength(1);

    await queuesIdle();
    for (const id of [...ids, single]) {
      const project = id === single ? other.project : flood.project;
      expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
      await advance(20);
    }
  });

  test("due in one minute are sent by the sweep as many as may be in flight, and go on without it", async ({
    expect,
  }) => {
    const { project, channel } = await projectWith("facebook", PAGES.harbour);
    const due = Math.ceil((Date.now() + 5 * MINUTE) / MINUTE) * MINUTE;
    const schedule = { publish_mode: "scheduled", schedule_time: wallClock(due), time_zone: "UTC" };
    const ids: number[] = [];
    for (let n = 0; n < 50; n++) {
      ids.push(await createPost(project, channel, { caption_text: `due ${n} ${crypto.randomUUID()}`, ...schedule }));
      if (n % 25 === 24) await advance(1_100);
    }
    await advanceTo(due - 30_000);
    await cron();
    expect(messagesOf(ids)).toHaveLength(MAX_IN_FLIGHT);
    await advanceTo(due);
    await queuesIdle();
    for (const id of ids) {
      expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
      await advance(20);
    }
  });
});

describe("jobs that are held back", () => {
  test("are released by the sweep should the deliveries before them have died", async ({ expect }) => {
    const keys: string[] = [];
    for (let n = 0; n < MAX_IN_FLIGHT + 3; n++) keys.push(await newJob({ projectId: 77 }));
    const held = await env.DB.prepare("SELECT count(*) AS n FROM jobs WHERE throttled_at IS NOT NULL").first<{
      n: number;
    }>();
    expect(held?.n).toBe(3);
    // No delivery owns a throttled job: a stray message does not begin it.
    expect(await claim(keys.at(-1) ?? "")).toBeNull();
    await env.DB.prepare("UPDATE jobs SET state = 'done', finished_at = 1 WHERE throttled_at IS NULL").run();
    queue.loseAll();
    await cron();
    expect(queue.messages.filter((message) => message.type === "job")).toHaveLength(3);
    expect(await claim(keys.at(-1) ?? "")).not.toBeNull();
  });

  test("go at once beside twenty that wait for the next minute, and no more than twenty", async ({ expect }) => {
    const waits: string[] = [];
    for (let n = 0; n < MAX_IN_FLIGHT; n++) waits.push(await newJob({ projectId: 79 }));
    const later = Date.now() + MINUTE;
    // Each was begun and waits, e.g. to check its campaign again.
    await env.DB.prepare("UPDATE jobs SET run_at = ?1, message_at = ?1 WHERE key IN (SELECT value FROM json_each(?2))")
      .bind(later, JSON.stringify(waits))
      .run();
    queue.loseAll();
    const woken: string[] = [];
    for (let n = 0; n < MAX_IN_FLIGHT + 5; n++) woken.push(await newJob({ projectId: 79, runAt: later + MINUTE }));
    await env.DB.prepare("UPDATE jobs SET resume_key = 'login:79' WHERE key IN (SELECT value FROM json_each(?1))")
      .bind(JSON.stringify(woken))
      .run();
    const deps = createDeps(bindings, { cron: "test" }, createMeter());
    expect(await resumeWaiting(deps, "login:79", 100)).toBe(MAX_IN_FLIGHT + 5);
    const sent = () => queue.messages.filter((message) => message.type === "job" && woken.includes(message.key));
    expect(sent()).toHaveLength(MAX_IN_FLIGHT);
    // What is created now waits for those that were woken.
    expect(await claim(await newJob({ projectId: 79 }))).toBeNull();
    await cron();
    expect(sent()).toHaveLength(MAX_IN_FLIGHT);
  });

  test("of one queue do not hold back those of another", async ({ expect }) => {
    for (let n = 0; n < MAX_IN_FLIGHT; n++) await newJob({ projectId: 78, queue: "media" });
    const key = await newJob({ projectId: 78, queue: "publish" });
    expect(await claim(key)).not.toBeNull();
  });
});

test("a throttled job has its turn among jobs that repeat faster than they are delivered", async ({ expect }) => {
  const PER_SECOND = 10;
  const deps = createDeps(bindings, { queue: "test" }, createMeter());
  const delivered = new Map<string, number>();
  const handler: JobHandler<Deps> = {
    kind: "engine",
    queues: ["publish"],
    version: 1,
    isLasting: () => false,
    limitMs: () => 3_600_000,
    isEndless: true,
    async run(_, journal) {
      delivered.set(journal.job.key, (delivered.get(journal.job.key) ?? 0) + 1);
      // A status check every few seconds, or one that keeps its slot.
      return journal.retryLater(journal.job.subjectId % 5 === 0 ? 4 : 6, "Checked again later.", "platform_down");
    },
  };
  const keys: string[] = [];
  for (let n = 0; n < 80; n++) keys.push(await newJob({ projectId: 80 }));
  // Their waits ended together.
  await env.DB.prepare("UPDATE jobs SET message_at = run_at, throttled_at = NULL WHERE project_id = 80").run();
  const late: string[] = [];
  for (let n = 0; n < 3; n++) late.push(await newJob({ projectId: 80 }));
  expect(await rowOf(late[0] ?? "")).toMatchObject({ message_at: null });

  await atOnce(async () => {
    for (let delivery = 1; delivery <= 400; delivery++) {
      const next = await env.DB.prepare(
        "SELECT key FROM jobs WHERE project_id = 80 AND message_at <= ? ORDER BY message_at, key LIMIT 1",
      )
        .bind(Date.now())
        .first<{ key: string }>();
      if (next) await runJob(deps, next.key, null, () => handler);
      if (delivery % PER_SECOND === 0) await advance(1_000);
    }
  });
  const turns = [...keys, ...late].map((key) => delivered.get(key) ?? 0);
  expect(Math.min(...turns)).toBeGreaterThan(1);
  // Their turns are even.
  expect(Math.max(...turns)).toBeLessThan(4 * Math.min(...turns));
});

test("the sweep's questions go from project to project, and not over what is still to come", async ({ expect }) => {
  const now = Date.now();
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
     INSERT INTO jobs (key, kind, queue, project_id, subject_id, state, run_at, message_at, deadline_at, created_at)
     SELECT 'later:' || i, 'later', 'publish', i % 4, i, 'open', ?1, ?1, ?1 + 1000, 1 FROM n`,
  )
    .bind(now + 3_600_000)
    .run();
  await env.DB.prepare(
    `INSERT INTO jobs (key, kind, queue, project_id, subject_id, state, run_at, message_at, lease_owner, lease_until, deadline_at, created_at)
     VALUES ('dead:1', 'dead', 'media', 2, 1, 'open', 1, 1, 'x', 5, 1, 1), ('missed:1', 'missed', 'media', 3, 1, 'open', 1, 1, NULL, NULL, 1, 1)`,
  ).run();
  const meter = createMeter();
  const counting = connectDb(env.DB, meter);
  const shares = await listSharesInFlight(counting, null, 10);
  expect(shares).toHaveLength(6);
  const standings = await findQueueProgress(counting, shares, { now, before: now - 1_000, since: now - MINUTE });
  expect(standings.filter(({ missed }) => missed > 0)).toMatchObject([{ queue: "media", missed: 1 }]);
  expect((await takeAbandonedJobs(counting, shares, now, 10)).map(({ key }) => key)).toEqual(["dead:1"]);
  expect(await listThrottledShares(counting, null, 10, now)).toEqual([]);
  expect(meter.d1RowsRead).toBeLessThan(100);
});

describe("a backlog", () => {
  const ended = (n: number, name: string, at: number) =>
    env.DB.prepare(
      `INSERT INTO jobs (key, kind, queue, project_id, subject_id, state, run_at, arrived_at, deadline_at, created_at, finished_at)
       VALUES (?1, 'ended', ?2, 1, ?3, 'done', ?4, ?4, ?4, ?4, ?4)`,
    )
      .bind(`ended:${n}`, name, n, at)
      .run();

  test("of one queue is not sent again because another one moves", async ({ expect }) => {
    const keys: string[] = [];
    for (let n = 0; n < 40; n++) keys.push(await newJob({ queue: "generation", projectId: 900 + Math.floor(n / 10) }));
    for (let minute = 0; minute < 4; minute++) {
      await advance(MINUTE);
      await ended(minute, "publish", Date.now());
      await cron();
    }
    expect(queue.messages.filter((message) => message.type === "job" && keys.includes(message.key)).length).toBe(20);
  });

  test("whose queue stands still for hours is probed at growing distances", async ({ expect }) => {
    const keys: string[] = [];
    for (let n = 0; n < 40; n++) keys.push(await newJob({ queue: "replies", projectId: 900 + Math.floor(n / 10) }));
    for (let minute = 0; minute < 50; minute++) {
      await advance(MINUTE);
      await cron();
    }
    const sent = queue.messages.filter((message) => message.type === "job" && keys.includes(message.key)).length;
    expect(sent).toBeLessThanOrEqual(20 * 5);
    expect(sent).toBeGreaterThanOrEqual(40);
  });

  test("of jobs that never end is sent again by what arrives of them", async ({ expect }) => {
    const keys: string[] = [];
    for (let n = 0; n < 40; n++) keys.push(await newJob({ queue: "campaigns", projectId: 950 + Math.floor(n / 20) }));
    const [alive, ...lost] = keys;
    queue.loseAll();
    await advance(MINUTE);
    // It has checked its campaign, and checks again in five minutes.
    await env.DB.prepare("UPDATE jobs SET arrived_at = ?2, run_at = ?3, message_at = ?3 WHERE key = ?1")
      .bind(alive, Date.now(), Date.now() + 5 * MINUTE)
      .run();
    await cron();
    const sent = queue.messages.flatMap((message) => (message.type === "job" ? [message.key] : []));
    expect(lost.filter((key) => sent.includes(key))).toHaveLength(lost.length);
    expect(sent.filter((key) => key !== alive)).toHaveLength(lost.length);
  });

  test("after a few probes is probed at once", async ({ expect }) => {
    const first = await newJob({ queue: "campaigns", projectId: 960 });
    await advance(MINUTE);
    await cron();
    const keys: string[] = [];
    for (let n = 0; n < 40; n++) keys.push(await newJob({ queue: "campaigns", projectId: 961 + Math.floor(n / 20) }));
    queue.loseAll();
    await advance(MINUTE - 10_000);
    await cron();
    const sent = queue.messages.flatMap((message) => (message.type === "job" ? [message.key] : []));
    expect(new Set(sent).size).toBe(20);
    expect(sent).toContain(first);
  });

  test("in each of several queues goes on when its own probes arrive, all of it", async ({ expect }) => {
    const names = ["publish", "media", "replies", "campaigns"] as const;
    const lost: string[] = [];
    for (const name of names) {
      for (let n = 0; n < 30; n++) lost.push(await newJob({ queue: name, projectId: 700 + Math.floor(n / 10) }));
    }
    const arrived = new Set<string>();
    for (let minute = 0; minute < 30 && arrived.size < lost.length; minute++) {
      await advance(MINUTE);
      await cron();
      for (let next = queue.takeDue(); next; next = queue.takeDue()) {
        if (next.type !== "job" || !lost.includes(next.key)) continue;
        arrived.add(next.key);
        const now = Date.now();
        await env.DB.prepare(
          "UPDATE jobs SET state = 'done', message_at = NULL, arrived_at = ?2, finished_at = ?3 WHERE key = ?1 AND state = 'open'",
        )
          .bind(next.key, next.dueAt, now)
          .run();
      }
    }
    expect(arrived.size).toBe(lost.length);
  });
});

describe("hundreds of busy shares", () => {
  /** Each project has twenty jobs in flight and another one throttled. */
  const busy = (projects: number, at: number) => [
    env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 * 21 - 1)
       INSERT INTO jobs (key, kind, queue, project_id, subject_id, state, run_at, message_at, throttled_at, lease_owner, lease_until, deadline_at, created_at)
       SELECT 'busy:' || i, 'busy', 'generation', 10000 + i / 21, i, 'open', ?2,
         CASE WHEN i % 21 < 20 THEN ?2 END, CASE WHEN i % 21 = 20 THEN ?2 END,
         CASE WHEN i % 21 < 20 THEN 'someone' END, CASE WHEN i % 21 < 20 THEN ?2 + 36000000 END, ?2 + 36000000, ?2 FROM n`,
    ).bind(projects, at),
  ];

  const heldOnes = async (names: readonly [string, number][]) => {
    const now = Date.now();
    for (const [name, project] of names) {
      await env.DB.prepare(
        `INSERT INTO jobs (key, kind, queue, project_id, subject_id, state, run_at, throttled_at, deadline_at, created_at)
         VALUES (?1, 'mine', ?2, ?3, ?3, 'open', ?4, ?4, ?4 + 36000000, ?4)`,
      )
        .bind(`mine:${name}:${project}`, name, project, now)
        .run();
    }
  };

  const stillHeld = async () =>
    (
      await env.DB.prepare("SELECT count(*) AS n FROM jobs WHERE kind = 'mine' AND throttled_at IS NOT NULL").first<{
        n: number;
      }>()
    )?.n;

  test("do not keep a held job waiting that has room, before and behind them, in any queue", async ({ expect }) => {
    await env.DB.batch(busy(300, Date.now()));
    await heldOnes([
      ["generation", 5],
      ["generation", 20_000],
      ["campaigns", 7],
      ["replies", 30_000],
    ]);
    await cron();
    expect(await stillHeld()).toBe(0);
  });

  test("beyond what one sweep reads have their turn in the next ones, at a bounded cost", async ({ expect }) => {
    await env.DB.batch(busy(2_500, Date.now()));
    await heldOnes([
      ["generation", 20_000],
      ["replies", 30_000],
    ]);
    const meter = createMeter();
    const deps = createDeps(bindings, { cron: "test" }, meter);
    const sweeps: { readonly calls: number; readonly rows: number }[] = [];
    for (let sweep = 0; sweep < 3; sweep++) {
      const before = { calls: meter.d1Calls, rows: meter.d1RowsRead };
      await sendDueJobs(deps, () => null);
      sweeps.push({ calls: meter.d1Calls - before.calls, rows: meter.d1RowsRead - before.rows });
      await advance(MINUTE);
    }
    expect(await stillHeld()).toBe(0);
    for (const { calls, rows } of sweeps) {
      expect(calls).toBeLessThan(30);
      expect(rows).toBeLessThan(200_000);
    }
  });
});
