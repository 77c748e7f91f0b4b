import { env } from "cloudflare:workers";
import { test } from "vitest";
import { sweep } from "../../src/entry/dispatch.ts";
import { costsOf } from "../support/costs.ts";
import { queuesIdle } from "../support/queue.ts";
import { createPost, projectWith } from "../support/world.ts";

test("an idle sweep takes one D1 call, whatever was published and is scheduled", async ({ expect }) => {
  const { project, channel } = await projectWith("facebook");
  await createPost(project, channel, { caption_text: "Live" });
  const later = {
    publish_mode: "scheduled",
    schedule_time: `${new Date().getUTCFullYear() + 3}-03-05 10:00`,
    time_zone: "UTC",
  };
  await createPost(project, channel, { caption_text: "Much later", ...later });
  await queuesIdle();
  // Sends what the publication has left.
  await costsOf(sweep);
  await queuesIdle();
  const idle = await costsOf(sweep);
  expect(idle.d1Calls).toBe(1);
  expect(idle.queueSends).toBe(0);
  expect(idle.d1RowsWritten).toBe(0);
});

test("a sweep reads no events because of a file that will be deleted", async ({ expect }) => {
  const { project } = await projectWith("facebook");
  const projects = env.DB.prepare("SELECT id FROM projects WHERE name = ?").bind(project.name);
  const id = await projects.first<number>("id");
  const now = Date.now();
  const file = `INSERT INTO files (project_id, name, bytes, is_copy, created_at, forget_at) VALUES (?, 'kept', 1, 0, 1, ?)`;
  const events = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO events (id, project_id, subject, subject_id, type, message, detail, created_at)
    SELECT i, ?1, 'post', -1, 'post.published', 'x', '{}', ?2 FROM n`;
  await env.DB.batch([env.DB.prepare(file).bind(id, now + 86_400_000), env.DB.prepare(events).bind(id, now)]);
  await costsOf(sweep);
  const { d1RowsRead } = await costsOf(sweep);
  await env.DB.prepare("DELETE FROM events WHERE subject_id = -1").run();
  expect(d1RowsRead).toBeLessThan(500);
});
