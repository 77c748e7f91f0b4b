import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { cron, queue } from "../support/queue.ts";
import { DAY } from "../support/times.ts";
import { Project } from "../support/world.ts";

/** The sweep at the size of a busy minute: it keeps pace, starves nothing, and reads what is due only. */

const JOBS = `
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
INSERT INTO jobs (key, kind, project_id, subject_id, state, run_at, deadline_at, created_at, finished_at)
SELECT ?2 || n, 'publish', 1 + n % ?6, n, ?3, ?4 + n / 1000, ?4 + 86400000, ?4, ?5 FROM numbers`;

test("a hundred thousand posts of many projects due in a minute all get their message, the oldest first, each once", async () => {
  const due = Date.now() - 1_000;
  await env.DB.prepare(JOBS).bind(99_900, "scale:", "open", due, null, 5_000).run();
  // What waits for next year is not even read.
  await env.DB.prepare(JOBS)
    .bind(50_000, "asleep:", "open", due + 400 * DAY, null, 1)
    .run();
  queue.loseAll();
  const perSweep: number[] = [];
  for (let sweep = 0; sweep < 6; sweep++) {
    const before = queue.length;
    await cron();
    perSweep.push(queue.length - before);
  }
  const keys = queue.messages.flatMap((message) => (message.type === "job" ? [message.key] : []));
  expect(keys).toHaveLength(99_900);
  expect(new Set(keys).size).toBe(99_900);
  expect(perSweep[0]).toBeGreaterThanOrEqual(25_000);
  const number = (key: string | undefined) => Number(key?.split(":")[1]);
  // In chunks of 500, some of which are sent at once.
  expect(number(keys[0])).toBeLessThan(2_000);
  expect(number(keys.at(-1))).toBeGreaterThan(98_000);
  queue.loseAll();
}, 120_000);

test("cleaning up keeps pace with ten thousand finished jobs a minute, journals included", async () => {
  const old = Date.now() - 8 * DAY;
  await env.DB.prepare("DELETE FROM jobs").run();
  await env.DB.prepare(JOBS).bind(25_000, "old:", "done", old, old, 1).run();
  await env.DB.prepare(JOBS).bind(1_000, "new:", "done", old, Date.now(), 1).run();
  const steps = `INSERT INTO job_steps (job_key, name, state, begun_at, attempted_at)
    SELECT jobs.key, step.value, 'done', created_at, created_at FROM jobs, json_each('["commit:0","prepared","files"]') step`;
  await env.DB.prepare(steps).run();
  await cron();
  const count = async (table: string) =>
    (await env.DB.prepare(`SELECT count(*) AS count FROM ${table}`).first<{ count: number }>())?.count ?? -1;
  expect(await count("jobs")).toBeLessThanOrEqual(16_000);
  await cron();
  expect([await count("jobs"), await count("job_steps")]).toEqual([1_000, 3_000]);
}, 120_000);

test("events and deleted posts have an end, and what is younger stays", async () => {
  const now = Date.now();
  await Project.create();
  await env.DB.prepare("UPDATE projects SET created_at = ?")
    .bind(now - 200 * DAY)
    .run();
  const event = env.DB.prepare(
    "INSERT INTO events (id, project_id, subject, subject_id, type, message, detail, created_at) VALUES (?2 * 1000, 1, 'post', ?1, 'post.deleted', 'Deleted.', '{}', ?2)",
  );
  await env.DB.batch([event.bind(1, now - 181 * DAY), event.bind(2, now - 179 * DAY), event.bind(3, now)]);
  await cron();
  const { results } = await env.DB.prepare(
    "SELECT subject_id AS id FROM events WHERE type = 'post.deleted' ORDER BY id",
  ).all();
  expect(results).toEqual([{ id: 2 }, { id: 3 }]);
});
