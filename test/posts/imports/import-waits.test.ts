import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { z } from "zod";
import { advance } from "../../support/clock.ts";
import { bindings, cron, queuesIdle } from "../../support/queue.ts";
import { DAY, MINUTE, wallClock } from "../../support/times.ts";
import { API, door, projectWith } from "../../support/world.ts";

/**
 * Rows that create-post refuses for now wait and become posts; those that it refuses for good are all named.
 */

const Import = z.looseObject({
  import_id: z.number(),
  state: z.string(),
  created: z.number(),
  failed: z.number(),
  failed_rows: z.array(z.number()),
  wait_reason: z.string().nullable(),
  problems: z.array(z.unknown()),
});
const ROWS = 250;
const OTHERS = 100;
const small = Object.assign({ ...bindings }, { MAX_WAITING_POSTS: "300" });
const NAMES = "channel_id,caption_text,external_id,publish_mode,schedule_time,time_zone";

async function home() {
  const { project, channel } = await projectWith("facebook");
  const call = (method: string, path: string, body?: string, type = "application/json") =>
    door(
      new Request(`${API}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${project.token}`,
          "Content-Type": type,
          ...(body === undefined ? {} : { "Content-Length": String(new TextEncoder().encode(body).length) }),
        },
        ...(body === undefined ? {} : { body }),
      }),
      small,
    );
  const upload = async (lines: readonly string[]) => {
    const answer = await call("POST", "/social/import-posts", [NAMES, ...lines].join("\n"), "text/csv");
    return z.object({ import: Import }).parse(await answer.json()).import;
  };
  const read = async (id: number) =>
    z.object({ import: Import }).parse(await (await call("GET", `/social/get-import/${id}`)).json()).import;
  return { channel, call, upload, read };
}

async function run(minutes = 1): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    await cron(small);
    await queuesIdle(MINUTE, small);
    await advance(MINUTE);
  }
}

const postsOf = async (label: string): Promise<number> =>
  (await env.DB.prepare("SELECT count(DISTINCT caption) AS n FROM posts WHERE external_id = ?")
    .bind(label)
    .first<number>("n")) ?? 0;

test("an import that meets a full quota waits, and creates the rest when there is room", {
  timeout: 240_000,
}, async () => {
  const { channel, call, upload, read } = await home();
  const label = crypto.randomUUID();
  const line = (n: number) =>
    `${channel.channel_id},Row ${n},${label},scheduled,${wallClock(Date.now() + 10 * DAY)},UTC`;
  const { import_id: id } = await upload(Array.from({ length: ROWS }, (_, n) => line(n)));
  const posts = Array.from({ length: OTHERS }, (_, n) => ({ caption_text: `Other ${n} ${label}` }));
  const times = { schedule_time: wallClock(Date.now() + 2 * DAY), time_zone: "UTC" };
  const defaults = { ...channel, post_type: "post", media_urls: [], publish_mode: "scheduled", ...times };
  expect((await call("POST", "/social/create-posts", JSON.stringify({ defaults, posts }))).status).toBe(200);
  await call("POST", `/social/start-import/${id}`, "{}");
  await run();
  expect(await read(id)).toMatchObject({ state: "importing", created: 200, failed: 0 });
  expect((await read(id)).wait_reason).toContain("posts");
  expect(await postsOf(label)).toBe(200);
  await advance(3 * DAY);
  await run(12);
  expect(await read(id)).toMatchObject({ state: "done", created: ROWS, failed: 0, wait_reason: null });
  expect(await postsOf(label)).toBe(ROWS);
});

test("every row that was refused for good is named, also beyond the problems that are listed", async () => {
  const { channel, call, upload, read } = await home();
  const label = crypto.randomUUID();
  const soon = wallClock(Date.now() + DAY);
  const lines = Array.from({ length: ROWS }, (_, n) => `${channel.channel_id},Row ${n},${label},scheduled,${soon},UTC`);
  const { import_id: id } = await upload(lines);
  // Their time passes before the import begins.
  await advance(2 * DAY);
  await call("POST", `/social/start-import/${id}`, "{}");
  await run();
  const done = await read(id);
  expect(done).toMatchObject({ state: "done", created: 0, failed: ROWS });
  expect(done.problems.length).toBeLessThan(ROWS);
  expect(done.failed_rows).toEqual(Array.from({ length: ROWS }, (_, n) => n + 2));
});
