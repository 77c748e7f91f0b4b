import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { advance, advanceTo } from "../../support/clock.ts";
import { cron, queue, queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { MINUTE, wallClock } from "../../support/times.ts";
import { CreatedPost, createPost, findPost, PAGES, projectWith } from "../../support/world.ts";

describe("publishing now", () => {
  test("answers processing at once, then is published and has a permalink", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const mark = crypto.randomUUID();
    const answer = await project.call("POST", "/social/create-post", {
      body: { ...channel, post_type: "post", publish_mode: "now", caption_text: `Hello ${mark}`, media_urls: [] },
    });
    expect(answer.status).toBe(200);
    const { data } = CreatedPost.parse(answer.body);
    expect(data.STATUS).toBe("processing");
    expect(data.find_post_url).toBe(`https://belfry.test/api/v1/social/post/${data.post_id}`);
    expect(await findPost(project, data.post_id)).toEqual({
      post_id: data.post_id,
      channel_type: "facebook",
      channel_id: String(channel.channel_id),
      STATUS: "pending",
    });
    await queuesIdle();
    const post = await findPost(project, data.post_id);
    expect(post).toMatchObject({
      STATUS: "published",
      permalink: expect.stringMatching(/^https:\/\/www\.facebook\.com\//),
    });
    const [live, ...others] = await sandbox.postsWith(mark);
    expect(others).toEqual([]);
    expect(live).toMatchObject({ platform: "facebook", account_id: PAGES.fern, text: `Hello ${mark}` });
  });

  test("appends hashtags that the caption lacks, after a blank line", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const mark = crypto.randomUUID();
    await createPost(project, channel, {
      caption_text: `New #Bikes ${mark}`,
      hash_tags: "bikes, #launch launch,Ümläut",
    });
    await queuesIdle();
    const [live] = await sandbox.postsWith(mark);
    expect(live?.text).toBe(`New #Bikes ${mark}\n\n#launch #Ümläut`);
  });

  test("a deleted post is a 404 at once and disappears from the platform", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { caption_text: mark });
    await queuesIdle();
    expect(await sandbox.postsWith(mark)).toHaveLength(1);
    const answer = await project.call("DELETE", `/social/delete-post/${id}`);
    expect(answer).toMatchObject({ status: 200, body: { status: true } });
    expect((await project.call("GET", `/social/post/${id}`)).status).toBe(404);
    expect((await project.call("DELETE", `/social/delete-post/${id}`)).status).toBe(404);
    await queuesIdle();
    expect(await sandbox.postsWith(mark)).toEqual([]);
  });

  test("a post that is deleted before its delivery is never published", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { caption_text: mark });
    expect((await project.call("DELETE", `/social/delete-post/${id}`)).status).toBe(200);
    await queuesIdle();
    expect(await sandbox.postsWith(mark)).toEqual([]);
  });

  test("a lost message is sent again by the sweep", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { caption_text: mark });
    queue.loseAll();
    await advance(2 * MINUTE);
    await cron();
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    expect(await sandbox.postsWith(mark)).toHaveLength(1);
  });

  test("the timeline reports what happened", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const id = await createPost(project, channel, { caption_text: crypto.randomUUID() });
    await queuesIdle();
    const answer = await project.call("GET", `/social/get-post-events/${id}`);
    const { events } = z
      .object({ events: z.array(z.object({ type: z.string(), message: z.string() })) })
      .parse(answer.body);
    expect(events.map((event) => event.type)).toEqual(["post.created", "post.processing", "post.published"]);
  });
});

describe("changing a post", () => {
  test("changes what waits, and sends the change", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, {
      caption_text: "before",
      publish_mode: "scheduled",
      schedule_time: "2029-01-01 10:00",
      time_zone: "UTC",
    });
    const soon = Math.ceil((Date.now() + 5 * MINUTE) / MINUTE) * MINUTE;
    const answer = await project.call("PUT", `/social/update-post/${id}`, {
      body: { caption_text: `after ${mark}`, hash_tags: "new", schedule_time: wallClock(soon), time_zone: "UTC" },
    });
    expect(answer).toMatchObject({ status: 200, body: { post: { post_id: id, STATUS: "scheduled" } } });
    await advanceTo(soon - 10_000);
    await cron();
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    expect((await sandbox.postsWith(mark)).map((post) => post.text)).toEqual([`after ${mark}\n\n#new`]);
    const late = await project.call("PUT", `/social/update-post/${id}`, { body: { caption_text: "too late" } });
    expect(late.status).toBe(422);
  });

  test("a post that a delivery has in hand is not changed any more", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const id = await createPost(project, channel, { caption_text: "before", publish_mode: "queued" });
    await env.DB.prepare("UPDATE jobs SET lease_owner = 'a delivery', lease_until = ? WHERE key = ?")
      .bind(Date.now() + MINUTE, `publish:${id}`)
      .run();
    const answer = await project.call("PUT", `/social/update-post/${id}`, { body: { caption_text: "after" } });
    expect(answer.status).toBe(422);
    const row = await env.DB.prepare("SELECT caption FROM posts WHERE id = ?").bind(id).first();
    expect(row).toEqual({ caption: "before" });
    const events = await project.call("GET", `/social/get-post-events/${id}`);
    expect(JSON.stringify(events.body)).not.toContain("post.updated");
  });

  test("fields that cannot be changed are named", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const id = await createPost(project, channel, { caption_text: "x", publish_mode: "queued" });
    const answer = await project.call("PUT", `/social/update-post/${id}`, {
      body: { channel_id: 3, caption_text: "y" },
    });
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: { channel_id: [expect.stringContaining("channel_id")] } },
    });
    expect((await project.call("PUT", `/social/update-post/${id}`, { body: {} })).status).toBe(422);
  });
});

describe("the same request twice", () => {
  test("with one key creates one post and answers alike; with another body it is refused", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const mark = crypto.randomUUID();
    const key = crypto.randomUUID();
    const send = (text: string) =>
      project.call("POST", "/social/create-post", {
        body: { ...channel, post_type: "post", publish_mode: "now", caption_text: text, media_urls: [] },
        headers: { "Idempotency-Key": key },
      });
    const answers = await Promise.all([send(mark), send(mark), send(mark)]);
    const again = await send(mark);
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    const bodies = [...answers, again].map((answer) => JSON.stringify(answer.body));
    expect(new Set(bodies).size).toBe(1);
    expect((await send("other")).status).toBe(422);
    await queuesIdle();
    expect(await sandbox.postsWith(mark)).toHaveLength(1);
  });
});
