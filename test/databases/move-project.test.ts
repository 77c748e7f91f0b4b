import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { firstIdOf } from "../../src/db/databases.ts";
import { projectMoves } from "../../src/projects/moving/move-project.ts";
import { inOrderOfCopying } from "../../src/projects/tables.ts";
import { createDeps } from "../../src/service/deps.ts";
import { activeCampaign, boostHome, type Home, pass } from "../support/boosts.ts";
import { advance } from "../support/clock.ts";
import { start, statusOf } from "../support/connecting.ts";
import { counts, projectIn, rowOf, useDatabases } from "../support/databases.ts";
import { PNG } from "../support/media-files.ts";
import { fences, requestMove, untilStep } from "../support/moving.ts";
import { connectThrough } from "../support/person.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { Reaper } from "../support/reaper.ts";
import { addHook } from "../support/receiver.ts";
import { sandbox } from "../support/sandbox.ts";
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
  const link = await project.call("POST", `/social/create-approval-link/${made.waiting}`);
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
      `/social/get-post-events/${id}`,
      `/social/explain-post/${id}`,
    ]),
    "/social/get-posts",
    "/social/upcoming-posts",
    "/social/get-approvals",
    "/social/get-channels",
    `/social/get-channel-timetable/${channel.channel_id}`,
    "/social/get-comment-automations",
    `/boost-campaigns/get-campaign/${made.campaign}`,
    "/boost-campaigns/get-campaigns",
    "/social/get-webhooks",
    `/social/get-webhook-deliveries/${made.hook}`,
    "/social/get-post-generations",
    "/social/get-usage",
  ];
  const answers: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body } = await home.project.call("GET", path);
    // Polls and reads of numbers go on as soon as the project is served again.
    const text = JSON.stringify(body)
      .replace(/"next_call_time_stamp":"\d+"/g, "")
      .replace(/(?<="operation":"read",)"calls":\d+,"units":\d+/g, "");
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
  // The link that was signed with the old number.
  await connectThrough(newBrowser(), connection.connect_url, { platforms: ["twitter"] });
  const status = z.object({ channel_ids: z.array(z.number()) }).parse((await statusOf(connection)).body);
  expect(status.channel_ids[0]).toBeGreaterThan(firstIdOf(1));
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

/** The task of the move, without the queue: each run is a process of its own. */
async function runToEnd(id: number, reaper: Reaper): Promise<void> {
  const now = Date.now();
  const task = { key: `move:${id}`, kind: "move", dueAt: now, intervalMs: 0, failures: 0, state: null } as const;
  const row = { ...task, groupKey: null, turn: 1, sentAt: null, ranAt: now, createdAt: now };
  for (let runs = 0; runs < 1_000; runs++) {
    const deps = createDeps(reaper.process(), { test: "move" });
    const next = await projectMoves.run(deps, String(id), row).catch(() => null);
    if (next?.kind === "stop") return;
    if (next) await advance(next.afterMs);
  }
  throw new Error("The move does not end.");
}

test("killed at every write, it loses nothing and publishes nothing twice", async () => {
  const { project, channel } = home;
  // On its way when the move begins.
  const sent = await createPost(project, channel, { caption_text: `Sent ${mark}` });
  const old = queue.messages.filter((message) => message.type === "job");
  expect(old).toContainEqual(expect.objectContaining({ key: `publish:${sent}`, database: 1 }));
  queue.loseAll();
  const before = await shown();
  const { id } = await rowOf(project);
  expect((await requestMove(project, { to: 2 })).status).toBe(200);
  const reaper = new Reaper();
  await runToEnd(id, reaper);
  expect(reaper.deaths).toBeGreaterThan(100);
  expect(await rowOf(project)).toMatchObject({ database: 2 });
  expect(await fences()).toEqual([0, 0, 0]);
  expect(await shown()).toEqual(before);
  for (const { name } of inOrderOfCopying().filter(({ columns }) => columns.some((one) => one.name === "project_id"))) {
    const [first, second] = await counts(name, `project_id = ${id}`);
    expect([name, first, second]).toEqual([name, 0, 0]);
  }
  // The message that was on its way finds nothing; the sweep sends another one.
  for (const message of old) await queue.deliver(message);
  expect(await sandbox.postsWith(`Sent ${mark}`)).toHaveLength(0);
  await cron();
  await queuesIdle(MINUTE);
  expect(await sandbox.postsWith(`Sent ${mark}`)).toHaveLength(1);
  await pass(DUE_MS, 15 * MINUTE);
  expect(await sandbox.postsWith(`Later ${mark}`)).toHaveLength(1);
  // A link of two databases ago.
  const page = await newBrowser().go(made.approval);
  expect(page.status).toBe(200);
  expect(page.html).toContain(`Proposed ${mark}`);
  const next = await createPost(project, channel, { caption_text: `New ${mark}`, publish_mode: "draft" });
  expect(next).toBeGreaterThan(firstIdOf(2));
});

test("a project moves up only, and a move can be taken back until the other database serves", async () => {
  const { project } = home;
  expect((await requestMove(project, { to: 1 })).body).toMatchObject({ code: "not_changeable" });
  expect((await requestMove(project, { to: 3 })).body).toMatchObject({ code: "not_changeable" });
  const other = await projectIn(1);
  await other.call("POST", "/social/create-webhook", { body: { url: "https://hooks.test/b" } });
  const { body } = await other.call("GET", "/social/get-webhooks");
  expect((await requestMove(other, { to: 2 })).status).toBe(200);
  await untilStep(other, "settle");
  expect((await requestMove(other, { undo: true })).status).toBe(200);
  await untilStep(other, "undone");
  await advance(2 * SECOND);
  expect((await other.call("GET", "/social/get-webhooks")).body).toEqual(body);
  const { id, database } = await rowOf(other);
  expect(database).toBe(1);
  expect(await counts("projects", `id = ${id}`)).toEqual([1, 1, 0]);
  expect(await fences()).toEqual([0, 0, 0]);
});
