import { env } from "cloudflare:workers";
import { beforeEach, describe, test } from "vitest";
import { z } from "zod";
import { startClean } from "../../support/clean-start.ts";
import { advance, advanceTo } from "../../support/clock.ts";
import { cron, queue, queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { MINUTE, wallClock } from "../../support/times.ts";
import {
  type ChannelRef,
  createPost,
  findPost,
  HANDLES,
  PAGES,
  type Project,
  projectWith,
} from "../../support/world.ts";

const Changed = z.object({
  message: z.string(),
  post: z.object({ STATUS: z.string() }),
  changed: z.array(z.string()),
});
const Upcoming = z.object({ up_coming: z.array(z.object({ post_id: z.number(), scheduled_at: z.string() })) });

async function update(project: Project, id: number, body: Record<string, unknown>) {
  const answer = await project.call("PUT", `/social/update-post/${id}`, { body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return Changed.parse(answer.body);
}

async function upcoming(project: Project) {
  return Upcoming.parse((await project.call("GET", "/social/upcoming-posts")).body).up_coming;
}

async function listed(project: Project, status: string) {
  const answer = await project.call("GET", `/social/get-posts?channels=twitter,facebook&status=${status}`);
  const { posts } = z
    .object({ posts: z.object({ data: z.array(z.object({ post_id: z.number() })), total: z.number() }) })
    .parse(answer.body);
  return { ids: posts.data.map(({ post_id }) => post_id), total: posts.total };
}

async function events(project: Project, id: number) {
  const answer = await project.call("GET", `/social/get-post-events/${id}`);
  return z
    .object({
      events: z.array(
        z.object({ type: z.string(), message: z.string(), detail: z.record(z.string(), z.unknown()).nullable() }),
      ),
    })
    .parse(answer.body).events;
}

const draft = (project: Project, channel: ChannelRef, text: string, more = {}) =>
  createPost(project, channel, { caption_text: text, publish_mode: "draft", ...more });

// A test begins empty: what those before it left would be kept up through its time.
beforeEach(startClean);
describe("a draft", () => {
  test("is answered like any post, is listed as draft, and goes nowhere", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.fern);
    const mark = crypto.randomUUID();
    queue.loseAll();
    const answer = await project.call("POST", "/social/create-post", {
      body: {
        ...channel,
        post_type: "post",
        publish_mode: "draft",
        caption_text: mark,
        media_urls: [],
        time_zone: "Asia/Tokyo",
      },
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { message: expect.stringContaining("draft"), data: { STATUS: "processing" } },
    });
    const id = z.object({ data: z.object({ post_id: z.number() }) }).parse(answer.body).data.post_id;
    expect(queue.length).toBe(0);
    expect(await findPost(project, id)).toMatchObject({ STATUS: "draft" });
    expect(await listed(project, "draft")).toEqual({ ids: [id], total: 1 });
    expect(await upcoming(project)).toEqual([]);
    for (let minute = 0; minute < 3; minute++) {
      await advance(MINUTE);
      await cron();
      await queuesIdle();
    }
    expect(await findPost(project, id)).toMatchObject({ STATUS: "draft" });
    expect(await sandbox.postsWith(mark)).toEqual([]);
    const read = await project.call("GET", `/social/post/${id}?include=content`);
    expect(read.body).toMatchObject({
      post: { publish_mode: "draft", schedule_time: null, time_zone: "Asia/Tokyo", caption_text: mark },
    });
    const deleted = await project.call("DELETE", `/social/delete-post/${id}`);
    expect(deleted.body).toEqual({
      message: `Post ${id}, a draft, was deleted before it was published.`,
      status: true,
    });
    expect((await project.call("GET", `/social/post/${id}`)).status).toBe(404);
    expect(await listed(project, "draft")).toEqual({ ids: [], total: 0 });
  });

  test("takes no time until it gets its mode", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.fern);
    const created = await project.call("POST", "/social/create-post", {
      body: {
        ...channel,
        post_type: "post",
        publish_mode: "draft",
        caption_text: "x",
        media_urls: [],
        schedule_time: "2030-01-01 10:00",
        time_zone: "UTC",
      },
    });
    expect(created).toMatchObject({
      status: 200,
      body: { warnings: ["`schedule_time` is ignored when publish_mode is draft."] },
    });
    const id = await draft(project, channel, "x");
    for (const [body, field] of [
      [{ schedule_time: "2030-01-01 10:00", time_zone: "UTC" }, "schedule_time"],
      [{ publish_mode: "scheduled" }, "schedule_time"],
      [{ publish_mode: "now", schedule_time: "2030-01-01 10:00" }, "schedule_time"],
      [{ time_zone: "UTC" }, "schedule_time"],
      [{ publish_mode: "later" }, "publish_mode"],
    ] as const) {
      const answer = await project.call("PUT", `/social/update-post/${id}`, { body });
      expect([body, answer]).toMatchObject([body, { status: 422, body: { errors: { [field]: expect.anything() } } }]);
    }
    expect(await findPost(project, id)).toMatchObject({ STATUS: "draft" });
  });

  test("given now is published as create-post would send it, in the words that it has by then", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook", PAGES.fern);
    const mark = crypto.randomUUID();
    const id = await draft(project, channel, "before");
    expect((await update(project, id, { caption_text: mark })).changed).toEqual(["caption_text"]);
    const { post, changed, message } = await update(project, id, { publish_mode: "now" });
    expect({ post, changed }).toMatchObject({ post: { STATUS: "pending" }, changed: ["publish_mode"] });
    expect(message).toBe(`Changed publish_mode of post ${id}, which is pending.`);
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    expect((await sandbox.postsWith(mark)).map(({ text }) => text)).toEqual([mark]);
    expect((await events(project, id)).map(({ type }) => type)).toEqual([
      "post.created",
      "post.updated",
      "post.updated",
      "post.processing",
      "post.published",
    ]);
  });

  test("given a time is published at its time", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.harbour);
    const mark = crypto.randomUUID();
    const id = await draft(project, channel, mark);
    const due = Math.ceil((Date.now() + 30 * MINUTE) / MINUTE) * MINUTE;
    const answer = await update(project, id, {
      publish_mode: "scheduled",
      schedule_time: wallClock(due),
      time_zone: "UTC",
    });
    expect(answer).toMatchObject({ post: { STATUS: "scheduled" }, changed: ["publish_mode", "schedule_time"] });
    await queuesIdle();
    expect(await sandbox.postsWith(mark)).toEqual([]);
    await advanceTo(due - 20_000);
    await cron();
    await queuesIdle();
    expect(await sandbox.postsWith(mark)).toHaveLength(1);
  });

  test("given the queue takes a slot; share_next takes the first one, and the others move back", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook", PAGES.harbour);
    const first = await createPost(project, channel, { caption_text: "one", publish_mode: "queued" });
    const [second, third] = [await draft(project, channel, "two"), await draft(project, channel, "three")];
    expect((await update(project, second, { publish_mode: "queued" })).post.STATUS).toBe("queued");
    const before = await upcoming(project);
    expect(before.map(({ post_id }) => post_id)).toEqual([first, second]);
    await update(project, third, { publish_mode: "share_next" });
    const after = await upcoming(project);
    expect(after.map(({ post_id }) => post_id)).toEqual([third, first, second]);
    expect(after.slice(0, 2).map((post) => post.scheduled_at)).toEqual(before.map((post) => post.scheduled_at));
    // One that waits already goes first as well, and the slot that it leaves is filled.
    await update(project, second, { publish_mode: "share_next" });
    const last = await upcoming(project);
    expect(last.map(({ post_id }) => post_id)).toEqual([second, third, first]);
    expect(last.map((post) => post.scheduled_at)).toEqual(after.map((post) => post.scheduled_at));
    const jobs = await env.DB.prepare(
      "SELECT posts.id FROM posts JOIN jobs ON jobs.key = 'publish:' || posts.id WHERE jobs.run_at = posts.publish_at AND posts.channel_id = ?",
    )
      .bind(channel.channel_id)
      .all();
    expect(jobs.results).toHaveLength(3);
  });

  test("many at once never share a slot", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.bikes);
    const ids = await Promise.all(Array.from({ length: 12 }, (_, index) => draft(project, channel, `post ${index}`)));
    await Promise.all(
      ids.map((id, index) => update(project, id, { publish_mode: index % 3 === 2 ? "share_next" : "queued" })),
    );
    const slots = (await upcoming(project)).map((post) => post.scheduled_at);
    expect([slots.length, new Set(slots).size]).toEqual([10, 10]);
  });

  test("two updates at once: one wins each field, and it is published once", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.fern);
    const mark = crypto.randomUUID();
    const id = await draft(project, channel, "before");
    const answers = await Promise.all([
      project.call("PUT", `/social/update-post/${id}`, { body: { caption_text: `a ${mark}`, publish_mode: "now" } }),
      project.call("PUT", `/social/update-post/${id}`, { body: { caption_text: `b ${mark}`, publish_mode: "now" } }),
      project.call("PUT", `/social/update-post/${id}`, { body: { publish_mode: "now" } }),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(2);
    await queuesIdle();
    await cron();
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    expect(
      (await sandbox.posts("twitter")).filter(({ text }) => text.includes(mark) || text === "before"),
    ).toHaveLength(1);
  });

  test("different fields changed at once are both kept", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.fern);
    const id = await draft(project, channel, "before");
    await Promise.all([
      update(project, id, { caption_text: "after" }),
      update(project, id, { external_id: "mine" }),
      update(project, id, { publish_mode: "queued" }),
      update(project, id, { hash_tags: "new" }),
    ]);
    const read = await project.call("GET", `/social/post/${id}?include=content`);
    expect(read.body).toMatchObject({
      post: {
        STATUS: "queued",
        caption_text: "after",
        external_id: "mine",
        hash_tags: ["new"],
        publish_mode: "queued",
      },
    });
  });
});

describe("a post that waits", () => {
  test.for(["scheduled", "queued"] as const)("%s can go now, and goes once", async (mode, { expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.fern);
    const mark = crypto.randomUUID();
    const due = Date.now() + 30 * MINUTE;
    const id = await createPost(project, channel, {
      caption_text: mark,
      publish_mode: mode,
      ...(mode === "scheduled" ? { schedule_time: wallClock(due), time_zone: "UTC" } : {}),
    });
    expect((await update(project, id, { publish_mode: "now" })).post.STATUS).toBe("pending");
    await queuesIdle();
    expect(await sandbox.postsWith(mark)).toHaveLength(1);
    await advance(60 * 24 * MINUTE);
    await cron();
    await queuesIdle();
    expect(await sandbox.postsWith(mark)).toHaveLength(1);
  });

  test("taken back as a draft is not published, and its slot is free", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook", PAGES.fern);
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { caption_text: mark, publish_mode: "queued" });
    const [slot] = await upcoming(project);
    const { changed, post } = await update(project, id, { publish_mode: "draft" });
    expect({ changed, post }).toMatchObject({ changed: ["publish_mode", "schedule_time"], post: { STATUS: "draft" } });
    expect(await upcoming(project)).toEqual([]);
    const other = await createPost(project, channel, { caption_text: `other ${mark}`, publish_mode: "queued" });
    expect(await upcoming(project)).toMatchObject([{ post_id: other, scheduled_at: slot?.scheduled_at }]);
    await advanceTo(Date.parse(slot?.scheduled_at ?? "") + MINUTE);
    await cron();
    await queuesIdle();
    expect((await sandbox.postsWith(mark)).map(({ text }) => text)).toEqual([`other ${mark}`]);
    await update(project, id, { publish_mode: "now" });
    await queuesIdle();
    expect(await sandbox.postsWith(mark)).toHaveLength(2);
  });

  test("that is given what it has is left as it is", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.fern);
    const id = await createPost(project, channel, { caption_text: "same", publish_mode: "queued" });
    const { changed, message } = await update(project, id, { caption_text: "same", publish_mode: "queued" });
    expect(changed).toEqual([]);
    expect(message).toBe(`Nothing was changed: post ${id} already has these values.`);
    expect((await events(project, id)).map(({ type }) => type)).toEqual(["post.created"]);
  });

  test("of a channel that must be reconnected does not go now", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.fern);
    const id = await draft(project, channel, "x");
    await env.DB.prepare(
      "UPDATE grants SET health = 'reconnect_needed', health_reason = 'It ended.' WHERE channel_id = ?",
    )
      .bind(channel.channel_id)
      .run();
    const answer = await project.call("PUT", `/social/update-post/${id}`, { body: { publish_mode: "now" } });
    expect(answer).toMatchObject({ status: 422, body: { errors: { channel_id: expect.anything() } } });
    expect((await update(project, id, { publish_mode: "queued" })).post.STATUS).toBe("queued");
  });
});

test("a project's share holds drafts back that become due all at once, as it does posts", async ({ expect }) => {
  const { project, channel } = await projectWith("facebook", PAGES.fern);
  const ids = await Promise.all(Array.from({ length: 23 }, (_, index) => draft(project, channel, `flood ${index}`)));
  for (const id of ids) {
    await advance(20);
    await update(project, id, { publish_mode: "now" });
  }
  const held = await env.DB.prepare(
    "SELECT count(*) AS n FROM jobs JOIN posts ON jobs.key = 'publish:' || posts.id WHERE posts.channel_id = ? AND throttled_at IS NOT NULL",
  )
    .bind(channel.channel_id)
    .first();
  expect(held).toEqual({ n: 3 });
  expect((await events(project, ids.at(-1) ?? 0)).map(({ type }) => type)).toContain("post.waiting");
  await queuesIdle();
  expect(await listed(project, "published")).toMatchObject({ total: 23 });
});
