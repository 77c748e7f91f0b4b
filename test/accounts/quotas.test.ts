import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { Semaphore } from "../../src/core/semaphore.ts";
import worker from "../../src/worker.ts";
import { advance } from "../support/clock.ts";
import { PNG, serve } from "../support/media-files.ts";
import { bindings, cron, queue } from "../support/queue.ts";
import { sample, uploaded } from "../support/uploads.ts";
import { API, type ChannelRef, CreatedPost, Project, projectWith } from "../support/world.ts";

afterEach(() => {
  queue.loseAll();
  vi.restoreAllMocks();
});

type Quota =
  | "MAX_WAITING_POSTS"
  | "MAX_STORED_BYTES"
  | "MAX_PROBINGS_AT_ONCE"
  | "MAX_UPLOADS_UNDER_WAY"
  | "MAX_CONNECT_SESSIONS"
  | "MAX_WEBHOOKS"
  | "MAX_BOTS"
  | "MAX_BOTS_PER_CHANNEL";
type Quotas = Partial<Record<Quota, string | undefined>>;

/** A service with these quotas, as a caller of the project sees it. */
function serviceWith(quotas: Quotas, project: Project) {
  const through = { ...bindings, ...quotas };
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const request = new Request(`${API}/social/${path}`, {
      method,
      headers: { Authorization: `Bearer ${project.token}`, "Content-Type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const context = createExecutionContext();
    const answer = await worker.fetch(request, through, context);
    await waitOnExecutionContext(context);
    const calls = Number(/calls=(\d+)/.exec(answer.headers.get("Server-Timing") ?? "")?.[1]);
    return { status: answer.status, retryAfter: answer.headers.get("Retry-After"), calls, body: await answer.json() };
  };
}

const post = (channel: ChannelRef, changed: Record<string, unknown> = {}) => ({
  ...channel,
  post_type: "post",
  caption_text: crypto.randomUUID(),
  media_urls: [],
  publish_mode: "queued",
  ...changed,
});
const inMinutes = (minutes: number) => ({
  publish_mode: "scheduled",
  schedule_time: new Date(Date.now() + minutes * 60_000).toISOString().slice(0, 16).replace("T", " "),
  time_zone: "UTC",
});

describe("posts waiting", () => {
  test("beyond the quota one more is refused, with which, how much, and when to try again", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const send = serviceWith({ MAX_WAITING_POSTS: "3" }, project);
    const create = (changed?: Record<string, unknown>, headers?: Record<string, string>) =>
      send("POST", "create-post", post(channel, changed), headers);
    expect((await create(inMinutes(30))).status).toBe(200);
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const second = post(channel, { publish_mode: "now" });
    const created = await send("POST", "create-post", second, key);
    expect((await create(inMinutes(45))).status).toBe(200);
    for (const mode of [{}, { publish_mode: "now" }, { publish_mode: "share_next" }, inMinutes(60)]) {
      const refused = await create(mode);
      expect(refused).toMatchObject({
        status: 429,
        body: {
          status: false,
          code: "quota_exceeded",
          message: expect.stringMatching(
            /^3 posts of this project are waiting .*; the maximum is 3\. Delete some, or try again/,
          ),
        },
      });
      expect(refused.calls).toBeLessThanOrEqual(2);
      // Until the first one is published.
      expect(Number(refused.retryAfter)).toBeGreaterThan(25 * 60);
      expect(Number(refused.retryAfter)).toBeLessThanOrEqual(30 * 60);
    }
    // An accepted request is answered again, and an invalid one is refused first.
    expect((await send("POST", "create-post", second, key)).body).toEqual(created.body);
    expect((await create({ caption_text: "x".repeat(5000) })).status).toBe(422);
    // Another project is not concerned; nor this one, once there is room.
    const other = await projectWith("twitter");
    expect(
      (await serviceWith({ MAX_WAITING_POSTS: "3" }, other.project)("POST", "create-post", post(other.channel))).status,
    ).toBe(200);
    const id = CreatedPost.parse(created.body).data.post_id;
    expect((await send("DELETE", `delete-post/${id}`)).status).toBe(200);
    const room = await create();
    expect([room.status, room.calls]).toEqual([200, 2]);
    expect((await create()).status).toBe(429);
  });

  test("is never passed, however many come at once, and those who are let in are as many as there is room", async ({
    expect,
  }) => {
    const { project, channel } = await projectWith("twitter");
    const send = serviceWith({ MAX_WAITING_POSTS: "5" }, project);
    const modes = [{}, { publish_mode: "now" }, { publish_mode: "share_next" }, inMinutes(30)];
    const burst = await Promise.all(
      Array.from({ length: 24 }, (_, index) => send("POST", "create-post", post(channel, modes[index % modes.length]))),
    );
    expect(burst.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(5);
    for (const { status, body } of burst) if (status !== 200) expect(body).toMatchObject({ code: "quota_exceeded" });
    const count = await env.DB.prepare("SELECT count(*) AS n FROM posts WHERE channel_id = ?")
      .bind(channel.channel_id)
      .first("n");
    expect(count).toBe(5);
  });

  test("are counted through every change of state", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const send = serviceWith({}, project);
    const id = CreatedPost.parse((await send("POST", "create-post", post(channel))).body).data.post_id;
    const states = ["draft", "pending", "processing", "scheduled", "queued", "published", "failed", "deleted"];
    const change = fc.oneof(fc.constantFrom(...states), fc.constant("gone"));
    const waiting = () =>
      env.DB.prepare(
        "SELECT waiting FROM post_counts WHERE project_id = (SELECT project_id FROM channels WHERE id = ?)",
      )
        .bind(channel.channel_id)
        .first<number>("waiting");
    const copy = `INSERT INTO posts (project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread,
        publish_mode, time_zone, publish_at, platform_posts, created_at, updated_at)
      SELECT project_id, channel_id, channel_type, ?2, post_type, caption, media_urls, hash_tags, thread,
        publish_mode, time_zone, publish_at, platform_posts, created_at, updated_at FROM posts WHERE id = ?1 RETURNING id`;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...states), fc.array(change, { maxLength: 6 }), async (first, changes) => {
        const before = (await waiting()) ?? 0;
        const other = await env.DB.prepare(copy).bind(id, first).first<number>("id");
        let last = first;
        for (const next of changes.includes("gone") ? changes.slice(0, changes.indexOf("gone")) : changes) {
          await env.DB.prepare("UPDATE posts SET state = ?2 WHERE id = ?1").bind(other, next).run();
          last = next;
        }
        const isWaiting = states.indexOf(last) < 5 ? 1 : 0;
        expect([first, ...changes, await waiting()]).toEqual([first, ...changes, before + isWaiting]);
        await env.DB.prepare("DELETE FROM posts WHERE id = ?1").bind(other).run();
        expect(await waiting()).toBe(before);
      }),
      { numRuns: 40 },
    );
  });

  test("is one hundred thousand unless it is configured otherwise", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    // Of the tests' own configuration, which has more.
    const send = serviceWith({ MAX_WAITING_POSTS: undefined }, project);
    expect((await send("POST", "create-post", post(channel))).status).toBe(200);
    const count = (waiting: number) =>
      env.DB.prepare(
        "UPDATE post_counts SET waiting = ?1 WHERE project_id = (SELECT project_id FROM channels WHERE id = ?2)",
      )
        .bind(waiting, channel.channel_id)
        .run();
    await count(99_999);
    expect((await send("POST", "create-post", post(channel))).status).toBe(200);
    await count(100_000);
    const { status, body } = await send("POST", "create-post", post(channel));
    expect([status, body]).toMatchObject([429, { message: expect.stringContaining("100,000 posts") }]);
  });
});

describe("bytes of text stored", () => {
  const stored = async (channel: ChannelRef) =>
    env.DB.prepare("SELECT bytes FROM post_counts WHERE project_id = (SELECT project_id FROM channels WHERE id = ?)")
      .bind(channel.channel_id)
      .first<number>("bytes");

  test("are counted as posts come, change and are forgotten, and bounded", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const send = serviceWith({ MAX_STORED_BYTES: "5000" }, project);
    const create = (caption: string) => send("POST", "create-post", post(channel, { caption_text: caption }));
    const first = CreatedPost.parse((await create("ä".repeat(1000))).body).data.post_id;
    const one = (await stored(channel)) ?? 0;
    expect(one).toBeGreaterThanOrEqual(2000);
    expect(one).toBeLessThan(2050);
    expect((await create("b".repeat(2000))).status).toBe(200);
    const refused = await create("c".repeat(2000));
    expect(refused).toMatchObject({ status: 429, retryAfter: "3600", body: { code: "quota_exceeded" } });
    expect(refused.body).toMatchObject({
      message: expect.stringMatching(
        /hold 4,\d{3} bytes of text, and this would add 2,\d{3}; the maximum is 5,000\. Delete/,
      ),
    });
    const update = (caption: string) => send("PUT", `update-post/${first}`, { caption_text: caption });
    expect((await update("d".repeat(4000))).status).toBe(429);
    expect((await update("d".repeat(100))).status).toBe(200);
    expect(await stored(channel)).toBe(2 * one - 1900);
    expect((await create("c".repeat(2000))).status).toBe(200);
    // A deleted post is stored for a while.
    const before = await stored(channel);
    await send("DELETE", `delete-post/${first}`);
    expect(await stored(channel)).toBe(before);
    await env.DB.prepare("DELETE FROM posts WHERE id = ?").bind(first).run();
    expect(await stored(channel)).toBe((before ?? 0) - (one - 1900));
  });
});

describe("concurrent requests that check media", () => {
  test("beyond the quota are refused, over all isolates, and let in when one has ended", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const gate = Promise.withResolvers<void>();
    const server = serve(PNG);
    let looked = 0;
    const both = Promise.withResolvers<void>();
    const { fetch } = globalThis;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      if (new URL(url).host !== "slow.example") return fetch(input, init);
      looked += 1;
      if (looked === 2) both.resolve();
      await gate.promise;
      return server.fetch(url, init);
    });
    // Each has a memory of its own, as isolates have.
    const validate = () =>
      serviceWith({ MAX_PROBINGS_AT_ONCE: "2" }, project)(
        "POST",
        "validate-post",
        post(channel, { publish_mode: "now", media_urls: ["https://slow.example/a.png"] }),
      );
    const inside = [validate(), validate()];
    await both.promise;
    const refused = await validate();
    expect(refused).toMatchObject({
      status: 429,
      body: {
        code: "quota_exceeded",
        message: expect.stringMatching(/^2 requests of this project are checking media files, which is the maximum\./),
      },
    });
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    expect(Number(refused.retryAfter)).toBeLessThanOrEqual(20);
    // Without files nothing is checked.
    const text = serviceWith({ MAX_PROBINGS_AT_ONCE: "2" }, project);
    expect((await text("POST", "validate-post", post(channel, { publish_mode: "now" }))).status).toBe(200);
    gate.resolve();
    expect((await Promise.all(inside)).map(({ status }) => status)).toEqual([200, 200]);
    await advance(1000);
    expect((await validate()).status).toBe(200);
  });

  test("never more places are taken than there are, and those of the dead come free", ({ expect }) => {
    const step = fc.record({ wait: fc.nat(50), leaves: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 60 }), (limit, steps) => {
        const places = new Semaphore();
        const held: { place: number; until: number }[] = [];
        let now = 1000;
        for (const { wait, leaves } of steps) {
          now += wait;
          const gone = leaves ? held.shift() : undefined;
          if (gone) places.leave(gone.place);
          const alive = held.filter(({ until }) => until > now);
          const entry = places.enter(limit, 100, now);
          if (entry.kind === "entered") {
            expect(alive.length).toBeLessThan(limit);
            held.push({ place: entry.place, until: now + 100 });
          } else {
            expect(alive.length).toBe(limit);
            expect(entry.retryAfterMs).toBe(Math.max(1, Math.min(...alive.map(({ until }) => until)) - now));
          }
        }
      }),
    );
  });
});

/** The answers to as many requests at once: how many were accepted, and the last refusal. */
function sorted<Answer extends { readonly status: number }>(answers: readonly Answer[]) {
  return {
    accepted: answers.filter(({ status }) => status === 200),
    refused: answers.filter(({ status }) => status !== 200),
  };
}

const refusal = (message: RegExp) => ({
  status: 429,
  body: { status: false, code: "quota_exceeded", message: expect.stringMatching(message) },
});

describe("uploads under way", () => {
  const begin = (send: ReturnType<typeof serviceWith>) => send("POST", "create-upload", { bytes: 1 });

  test("begun at once are no more than the quota, and an end of one makes room for one", async ({ expect }) => {
    const send = serviceWith({ MAX_UPLOADS_UNDER_WAY: "3" }, await Project.create());
    const { accepted, refused } = sorted(await Promise.all(Array.from({ length: 12 }, () => begin(send))));
    expect(accepted).toHaveLength(3);
    expect(refused[0]).toMatchObject(refusal(/^3 uploads of this project are open.*delete-upload/));
    expect(await begin(send)).toMatchObject(refusal(/^3 uploads/));
    const [id] = accepted.map(({ body }) => Begun.parse(body).upload.upload_id);
    expect(await send("DELETE", `delete-upload/${id}`)).toMatchObject({ status: 200, body: { status: true } });
    expect((await send("DELETE", `delete-upload/${id}`)).status).toBe(404);
    expect((await begin(send)).status).toBe(200);
    expect((await begin(send)).status).toBe(429);
    // Another project has its own; and a day later all of them are gone.
    expect((await begin(serviceWith({ MAX_UPLOADS_UNDER_WAY: "3" }, await Project.create()))).status).toBe(200);
    await advance(25 * 3_600_000);
    await cron();
    expect((await begin(send)).status).toBe(200);
  });

  test("of one byte each end at the quota that the service has by itself", async ({ expect }) => {
    const send = serviceWith({}, await Project.create());
    const statuses: number[] = [];
    for (let n = 0; n < 120; n++) {
      statuses.push((await begin(send)).status);
      await advance(20);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.at(-1)).toBe(429);
  });

  test("that are complete count no more", async ({ expect }) => {
    const project = await Project.create();
    const send = serviceWith({ MAX_UPLOADS_UNDER_WAY: "1" }, project);
    for (let n = 0; n < 3; n++) await uploaded(project, await sample("square.png"));
    expect((await begin(send)).status).toBe(200);
  });
});

describe("connect sessions", () => {
  const open = (send: ReturnType<typeof serviceWith>, key?: string) =>
    send("POST", "connect-channel", { userId: "someone" }, key === undefined ? {} : { "Idempotency-Key": key });

  test("opened at once are no more than the quota; each has its end, and a success makes room", async ({ expect }) => {
    const project = await Project.create();
    const send = serviceWith({ MAX_CONNECT_SESSIONS: "3" }, project);
    const key = crypto.randomUUID();
    const first = await open(send, key);
    const { accepted, refused } = sorted(await Promise.all(Array.from({ length: 12 }, () => open(send))));
    expect(accepted).toHaveLength(2);
    expect(refused[0]).toMatchObject(refusal(/^3 connect sessions of this project are open/));
    expect(Number(refused[0]?.retryAfter)).toBeGreaterThan(800);
    // An accepted request is answered again.
    expect((await open(send, key)).body).toMatchObject({ connect_token: Opened.parse(first.body).connect_token });
    await env.DB.prepare(
      "UPDATE connect_sessions SET status = 'success' WHERE rowid = (SELECT max(rowid) FROM connect_sessions)",
    ).run();
    expect((await open(send)).status).toBe(200);
    expect((await open(send)).status).toBe(429);
    await advance(901_000);
    expect((await open(send)).status).toBe(200);
  });

  test("that were not begun read as before", async ({ expect }) => {
    const project = await Project.create();
    const { connect_token } = Opened.parse((await open(serviceWith({}, project))).body);
    const status = await project.call("GET", `/social/connect-status?connect_token=${connect_token}`);
    expect(status).toMatchObject({
      status: 200,
      body: { connect_status: "pending", platform: null, channel_ids: null },
    });
  });
});

describe("webhooks", () => {
  test("made at once are no more than the quota; a refused key makes one when there is room", async ({ expect }) => {
    const send = serviceWith({ MAX_WEBHOOKS: "2" }, await Project.create());
    const make = (headers?: Record<string, string>) =>
      send("POST", "create-webhook", { url: "https://hooks.test/quota" }, headers);
    const { accepted, refused } = sorted(await Promise.all(Array.from({ length: 8 }, () => make())));
    expect(accepted).toHaveLength(2);
    expect(refused[0]).toMatchObject(refusal(/^This project has 2 webhooks, the maximum\. Delete one/));
    const key = { "Idempotency-Key": crypto.randomUUID() };
    expect((await make(key)).status).toBe(429);
    const [gone, other] = accepted.map(({ body }) => Hook.parse(body).webhook.id);
    expect((await send("DELETE", `delete-webhook/${gone}`)).status).toBe(200);
    const made = await make(key);
    expect(made.status).toBe(200);
    expect([gone, other]).not.toContain(Hook.parse(made.body).webhook.id);
  });
});

const Begun = z.object({ upload: z.object({ upload_id: z.string() }) });
const Opened = z.object({ connect_token: z.string() });
const Hook = z.object({ webhook: z.object({ id: z.number() }) });

describe("bots", () => {
  const bot = (channel: ChannelRef) => ({
    name: "A bot",
    channels: [channel.channel_id],
    comment_reply: "Thanks",
    response_type: "comment",
    ai_enable: "no",
  });
  const Made = z.object({ comment_bot: z.object({ id: z.number() }) });

  test("beyond the project's quota are refused, however many come at once; deleting one makes room", async ({
    expect,
  }) => {
    const { project, channel } = await projectWith("facebook");
    const call = serviceWith({ MAX_BOTS: "3" }, project);
    const make = () => call("POST", "create-comment-automation", bot(channel));
    const answers = await Promise.all(Array.from({ length: 6 }, make));
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(3);
    for (const refused of answers.filter(({ status }) => status !== 200)) {
      const message = expect.stringMatching(/This project has 3 comment automations; the maximum is 3/);
      expect(refused).toMatchObject({ status: 429, retryAfter: "3600", body: { code: "quota_exceeded", message } });
    }
    const { id } = Made.parse(made[0]?.body).comment_bot;
    expect((await call("DELETE", `delete-comment-automation/${id}`)).status).toBe(200);
    expect((await make()).status).toBe(200);
  });

  test("beyond a channel's quota are refused, when they are created or started; stopping one makes room", async ({
    expect,
  }) => {
    const { project, channel } = await projectWith("facebook");
    const call = serviceWith({ MAX_BOTS_PER_CHANNEL: "2" }, project);
    const make = () => call("POST", "create-comment-automation", bot(channel));
    const { id: first } = Made.parse((await make()).body).comment_bot;
    expect((await make()).status).toBe(200);
    const message = expect.stringContaining(`Channel ${channel.channel_id} has 2 active comment automations`);
    expect(await make()).toMatchObject({ status: 429, body: { code: "quota_exceeded", message } });
    const set = (status: string) => call("PUT", `update-comment-automation/${first}`, { status });
    expect((await set("stopped")).status).toBe(200);
    expect((await make()).status).toBe(200);
    expect(await set("active")).toMatchObject({ status: 429, body: { code: "quota_exceeded", message } });
    // What is active already can be changed.
    expect((await call("PUT", `update-comment-automation/${first}`, { name: "Another" })).status).toBe(200);
  });
});
