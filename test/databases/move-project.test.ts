import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { activeCampaign, boostHome, type Home } from "../support/boosts.ts";
import { advance } from "../support/clock.ts";
import { start } from "../support/connecting.ts";
import { counts, rowOf, useDatabases } from "../support/databases.ts";
import { PNG } from "../support/media-files.ts";
import { fences, requestMove, untilStep } from "../support/moving.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { addHook } from "../support/receiver.ts";
import { MINUTE, SECOND, wallClock } from "../support/times.ts";
import { uploaded } from "../support/uploads.ts";
import { createPost, newBrowser } from "../support/world.ts";

/** A project moves from one database to another (docs/decisions/0072). */
useDatabases();

let home: Home;
const mark = crypto.randomUUID();
const made = { draft: 0, scheduled: 0, waiting: 0, bot: 0, campaign: 0, hook: 0, approval: "" };
let connection: Awaited<ReturnType<typeof start>>;

/** What a scheduled post, or the queue, is due. */
const DUE_MS = 90 * MINUTE;

beforeAll(async () => {
  home = await boostHome("facebook");
  const { project, channel } = home;
  made.campaign = await activeCampaign(home, {});
  const { url } = await uploaded(project, PNG);
  made.draft = await createPost(project, channel, {
    caption_text: `Draft ${mark}`,
    publish_mode: "draft",
    media_urls: [url],
  });
  const due = Math.ceil((Date.now() + DUE_MS) / MINUTE) * MINUTE;
  const later = { publish_mode: "scheduled", schedule_time: wallClock(due), time_zone: "UTC" };
  made.scheduled = await createPost(project, channel, { caption_text: `Later ${mark}`, ...later });
  const proposed = await project.call("POST", "/social/propose-post", {
    body: { ...channel, post_type: "post", media_urls: [], caption_text: `Proposed ${mark}`, publish_mode: "now" },
  });
  made.waiting = z.object({ data: z.object({ post_id: z.int() }) }).parse(proposed.body).data.post_id;
  const link = await project.call("POST", `/social/approval-link/${made.waiting}`);
  made.approval = z.object({ url: z.string() }).parse(link.body).url;
  const bot = { name: "Bot", channels: [channel.channel_id], comment_reply: "Thanks!", ai_enable: "no" };
  const created = await project.call("POST", "/social/create-comment-automation", { body: bot });
  expect(created.status).toBe(200);
  made.hook = (await addHook(project)).id;
  connection = await start(project, "myapp://done");
  await queuesIdle(MINUTE);
  await cron();
  await queuesIdle(MINUTE);
});

/** What the API shows of everything. */
async function shown(): Promise<Readonly<Record<string, unknown>>> {
  const { postId, channel } = home;
  const posts = [postId, made.draft, made.scheduled, made.waiting];
  const paths = [
    ...posts.flatMap((id) => [
      `/social/post/${id}?include=content`,
      `/social/post/${id}/events`,
      `/social/explain/${id}`,
    ]),
    "/social/get-posts",
    "/social/upcoming-posts",
    "/social/approvals",
    "/social/get-channels",
    `/social/channel/${channel.channel_id}/timetable`,
    "/social/get-comment-automations",
    `/boost-campaigns/get-campaign/${made.campaign}`,
    "/boost-campaigns/get-campaigns",
    "/social/get-webhooks",
    `/social/get-webhook/${made.hook}/deliveries`,
    "/social/get-post-generations",
    "/social/usage",
  ];
  const answers: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body } = await home.project.call("GET", path);
    // When a bot looks for comments next: it has looked meanwhile.
    const text = JSON.stringify(body).replace(/"next_call_time_stamp":"\d+"/g, "");
    answers[path] = { status, text };
  }
  return answers;
}

async function moveTo(to: number, during: () => Promise<void>): Promise<void> {
  const { project } = home;
  expect((await requestMove(project, { to })).status).toBe(200);
  await untilStep(project, "settle");
  await during();
  await untilStep(project, "drain", "last_rows");
}

test("a move changes nothing that anyone sees, but 423 meanwhile", async () => {
  const { project } = home;
  expect(await rowOf(project)).toMatchObject({ database: 0 });
  const before = await shown();
  await moveTo(1, async () => {
    await advance(2 * SECOND);
    const refusals = [
      await project.call("GET", "/social/get-posts"),
      await project.call("POST", "/social/create-post", { body: {} }),
    ];
    for (const { status, body, headers } of refusals) {
      expect(status).toBe(423);
      expect(body).toMatchObject({ status: false, code: "project_moving", again: "later" });
      expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
    }
    expect((await newBrowser().go(made.approval)).status).toBe(423);
    expect((await newBrowser().go(connection.connect_url)).status).toBe(503);
  });
  expect(await rowOf(project)).toMatchObject({ database: 1 });
  expect(await shown()).toEqual(before);
  const { id } = await rowOf(project);
  await untilStep(project, "done");
  for (const table of [
    "posts",
    "channels",
    "jobs",
    "automations",
    "webhooks",
    "campaigns",
    "connect_sessions",
    "files",
  ]) {
    const [left, here] = await counts(table, `project_id = ${id}`);
    expect([table, left, (here ?? 0) > 0]).toEqual([table, 0, true]);
  }
  expect(await fences()).toEqual([0, 0, 0]);
});
