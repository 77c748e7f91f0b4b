import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { createSealer } from "../../src/core/sealing.ts";
import { advance } from "../support/clock.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR } from "../support/times.ts";
import { createPost, findPost, HANDLES, type Project, projectWith } from "../support/world.ts";

const Calls = z.array(
  z.looseObject({ operation: z.string().nullable(), path: z.string(), status: z.number().nullable() }),
);

async function refreshCalls(): Promise<number> {
  const calls = Calls.parse(await sandbox.control("GET", "calls?platform=twitter"));
  return calls.filter((call) => call.path === "/2/oauth2/token").length;
}

async function healthOf(project: Project, id: number) {
  const answer = await project.call("GET", "/social/get-channels");
  const { channels } = z
    .object({
      channels: z.object({
        data: z.array(
          z.looseObject({ channel_id: z.number(), health: z.string(), health_reason: z.string().nullable() }),
        ),
      }),
    })
    .parse(answer.body);
  return channels.data.find((channel) => channel.channel_id === id);
}

describe("credentials", () => {
  test("are sealed in the table, and only for their own channel", async ({ expect }) => {
    const { channel } = await projectWith("twitter");
    const row = await env.DB.prepare("SELECT credentials FROM grants WHERE channel_id = ?")
      .bind(channel.channel_id)
      .first<{ credentials: string }>();
    expect(row?.credentials).toMatch(/^test\.[\w-]+\.[\w-]+$/);
    const sealer = createSealer([
      { id: "test", bytes: Uint8Array.from("0123456789abcdef0123456789abcdef", (char) => char.charCodeAt(0)) },
    ]);
    const opened = (context: string) => sealer.open(row?.credentials ?? "", context);
    expect(await opened(`channel:${channel.channel_id}:publish`)).toContain("accessToken");
    expect(await opened(`channel:${channel.channel_id}:ads`)).toBeNull();
    expect(await opened(`channel:${channel.channel_id + 1}:publish`)).toBeNull();
  });

  test("are renewed by the sweep after a day without use, once, even when the message comes twice", async ({
    expect,
  }) => {
    const { project, channel } = await projectWith("twitter");
    const before = await refreshCalls();
    await advance(23.9 * HOUR);
    await cron();
    const key = `refresh:${channel.channel_id}:publish`;
    const due = () =>
      queue.messages.filter(
        (message) => message.type === "recurring" && message.tasks.some((task) => task.key === key),
      );
    expect(due()).toEqual([]);
    await advance(0.2 * HOUR);
    await cron();
    const [found] = due();
    expect(found).toBeDefined();
    // Of this channel only; others that are due came with it.
    const message =
      found?.type === "recurring" ? { ...found, tasks: found.tasks.filter((task) => task.key === key) } : null;
    if (message) await Promise.all([queue.deliver(message), queue.deliver(message), queue.deliver(message)]);
    queue.loseAll();
    expect((await refreshCalls()) - before).toBe(1);
    await advance(HOUR);
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { caption_text: mark });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  });

  test("that have run out are renewed on demand", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.harbour);
    await advance(5 * HOUR);
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { caption_text: mark });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    expect(await sandbox.postsWith(mark)).toHaveLength(1);
  });

  test("survive a platform that is down: the channel stays, the post waits and is published", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.fern);
    // What earlier tests left in the queue would renew its own tokens and use the faults up.
    await queuesIdle();
    queue.loseAll();
    await advance(5 * HOUR);
    await sandbox.fault("twitter", "token", "error", 3);
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { caption_text: mark });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    expect(await healthOf(project, channel.channel_id)).toMatchObject({ health: "connected" });
    const events = await project.call("GET", `/social/get-post-events/${id}`);
    expect(JSON.stringify(events.body)).toContain("post.waiting");
  });

  test("that the platform revoked stop the channel, with the reason on the post and on the channel", async ({
    expect,
  }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.bikes);
    await sandbox.fault("twitter", "publish", "revoke_token", 1);
    const id = await createPost(project, channel, { caption_text: crypto.randomUUID() });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "failed", error: expect.stringMatching(/again/) });
    expect(await healthOf(project, channel.channel_id)).toMatchObject({
      health: "reconnect_needed",
      health_reason: expect.stringMatching(/again/),
    });
    const refused = await project.call("POST", "/social/create-post", {
      body: { ...channel, post_type: "post", publish_mode: "now", caption_text: "x", media_urls: [] },
    });
    expect(refused).toMatchObject({ status: 422, body: { errors: { channel_id: expect.any(Array) } } });
    const [again] = await project.connect("twitter", [HANDLES.bikes]);
    expect(again).toBe(channel.channel_id);
    expect(await healthOf(project, channel.channel_id)).toMatchObject({ health: "connected", health_reason: null });
  });
});

describe("deadlines", () => {
  test("a post that could not be published in time fails with what it waited for last", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    await sandbox.fault("facebook", "publish", "rate_limit", 500);
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { caption_text: mark });
    await queuesIdle(60_000);
    expect(await findPost(project, id)).toMatchObject({ STATUS: "processing" });
    queue.loseAll();
    await advance(7 * HOUR);
    await cron();
    await sandbox.fault("facebook", "publish", "rate_limit", 0);
    const post = await findPost(project, id);
    expect(post).toMatchObject({
      STATUS: "failed",
      error: expect.stringMatching(/^The deadline passed\. Its last wait: /),
    });
    expect(await sandbox.postsWith(mark)).toEqual([]);
  });
});
