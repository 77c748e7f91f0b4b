import { env } from "cloudflare:workers";
import { test } from "vitest";
import { afterRestore } from "../../src/jobs/set-back-notes.ts";
import { cron } from "../support/queue.ts";
import { Project } from "../support/world.ts";

test("after a restoration the first sweep makes all valid tokens known again, once", async ({ expect }) => {
  const projects = [await Project.create(), await Project.create()];
  const { keys } = await env.KV.list({ prefix: "token:" });
  for (const { name } of keys) await env.KV.delete(name);
  const statuses = () =>
    Promise.all(projects.map(async (one) => (await one.call("GET", "/social/get-channels")).status));
  expect(await statuses()).toEqual([401, 401]);
  const now = Date.now();
  for (const statement of afterRestore(now - 60_000, now)
    .split(";\n")
    .filter(Boolean))
    await env.DB.prepare(statement).run();
  await cron();
  expect(await statuses()).toEqual([200, 200]);
  expect(await env.DB.prepare("SELECT value FROM sweep_notes WHERE name = 'restored'").first()).toBeNull();
  const lost = await env.DB.prepare("SELECT value FROM sweep_notes WHERE name = 'set_back'").first<string>("value");
  expect(JSON.parse(lost ?? "")).toEqual({ since: now - 60_000 - 120_000, until: now });
});
