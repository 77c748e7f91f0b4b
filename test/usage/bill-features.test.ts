import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { sweep } from "../../src/entry/dispatch.ts";
import { type Home, homeOn, plainestOn, send } from "../contract/world.ts";
import { minutes, platformIdOf } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { collect } from "../support/comments.ts";
import { costsOf } from "../support/costs.ts";
import { costOfDelivery, expectCounted, measuredOf, meterOf } from "../support/measured.ts";
import { queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR, MINUTE, wallClock } from "../support/times.ts";
import { API, door } from "../support/world.ts";

/** What imports, series, comments and the best times take: the counts of `npm run bill`. */
let home: Home;
let postId: number;
beforeAll(async () => {
  await startClean();
  home = await homeOn("facebook", undefined, { isWhole: true });
  postId = (await send(home, plainestOn("facebook"))).id;
  await queuesIdle();
});

const ROWS = 100;

test("a row of a file, checked and created", async () => {
  queue.loseAll();
  const rows = Array.from({ length: ROWS }, (_, row) => `${home.channel.channel_id},Row ${row},2029-01-01 10:00`);
  const body = new TextEncoder().encode(["channel_id,caption_text,schedule_time", ...rows].join("\n"));
  const headers = {
    Authorization: `Bearer ${home.project.token}`,
    "Content-Type": "text/csv",
    "Content-Length": String(body.length),
  };
  const sent = await door(new Request(`${API}/social/import-posts`, { method: "POST", headers, body }));
  const checked = { status: sent.status, headers: sent.headers, body: await sent.json() };
  const of = meterOf(checked);
  const { import_id: id } = z.object({ import: z.object({ import_id: z.number() }) }).parse(checked.body).import;
  const started = meterOf(await home.project.call("POST", `/social/start-import/${id}`, { body: {} }));
  const { rowsRead, rowsWritten } = measuredOf([of, started, await costOfDelivery("import")]);
  const ofRow = (count: number) => Math.ceil(count / ROWS);
  expectCounted("imported", { rowsRead: ofRow(rowsRead), rowsWritten: ofRow(rowsWritten), kvReads: 0, objectCalls: 0 });
});

test("a post of a series", async () => {
  const start = Math.ceil((Date.now() + 2 * HOUR) / MINUTE) * MINUTE;
  const content = { ...home.channel, post_type: "post", media_urls: [], caption_text: "Each day" };
  const body = { rule: "FREQ=DAILY", start_time: wallClock(start), time_zone: "UTC", post: content };
  const answer = await home.project.call("POST", "/social/create-series", { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const before = await env.DB.prepare("SELECT count(*) AS n FROM posts").first<number>("n");
  await advance(start - 9 * MINUTE - Date.now());
  queue.loseAll();
  await costsOf(sweep);
  const cost = measuredOf([await costOfDelivery("series")]);
  expect(await env.DB.prepare("SELECT count(*) AS n FROM posts").first<number>("n")).toBe((before ?? 0) + 1);
  expectCounted("occurrence", cost);
});

test("a page of twenty comments", async () => {
  await collect(home);
  await minutes(2);
  const platformId = await platformIdOf(postId);
  for (let n = 0; n < 20; n++) await sandbox.comment("facebook", platformId, `Question ${n}?`, `Person ${n}`);
  await minutes(4);
  const page = await home.project.call("GET", "/social/get-comments?limit=20");
  const { data } = z.object({ comments: z.object({ data: z.array(z.unknown()) }) }).parse(page.body).comments;
  expect(data).toHaveLength(20);
  expectCounted("comments", measuredOf([meterOf(page)]));
});

test("the best times, from a hundred posts", async () => {
  await advance(2 * HOUR);
  await minutes(2);
  const copies = `WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 99)
    INSERT INTO post_insights (post_id, project_id, channel_id, platform, post_type, items, published_at, observed_at, numbers, days)
    SELECT 1000000 + value, project_id, channel_id, platform, post_type, items, published_at, observed_at, numbers, days
    FROM post_insights CROSS JOIN n WHERE post_id = ? AND numbers IS NOT NULL`;
  await env.DB.prepare(copies).bind(postId).run();
  const times = await home.project.call("GET", "/social/get-best-times");
  expect(times.body).toMatchObject({ times: [{ posts: 100 }] });
  expectCounted("bestTimes", measuredOf([meterOf(times)]));
});
