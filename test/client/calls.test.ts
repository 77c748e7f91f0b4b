import { beforeAll, describe, test } from "vitest";
import {
  AccessError,
  Belfry,
  BelfryError,
  ConnectionError,
  dataOf,
  InvalidRequestError,
  LimitError,
  NotFoundError,
  PostFailedError,
  ServiceError,
  TimeoutError,
} from "../../client/src/index.ts";
import { FAILURES } from "../../src/core/failures.ts";
import { queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { type ChannelRef, door, ORIGIN, type Project, projectWith } from "../support/world.ts";

/** The client package in the Workers runtime: what it sends, repeats, waits for and throws. */
let project: Project;
let channel: ChannelRef<"facebook">;
beforeAll(async () => {
  ({ project, channel } = await projectWith("facebook"));
});

type Reach = (request: Request) => Response | Promise<Response>;

/** A client whose requests pass through `reach`, and everything that it sent. */
function clientThrough(reach: Reach = door, options: { token?: string; retries?: number } = {}) {
  const sent: Request[] = [];
  const belfry = new Belfry({
    url: `${ORIGIN}/`,
    token: project.token,
    ...options,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      sent.push(request.clone());
      return reach(request);
    },
  });
  return { belfry, sent };
}

const draft = (caption_text: string) => {
  const kind = { post_type: "post", publish_mode: "draft" } as const;
  return { ...channel, ...kind, caption_text, media_urls: [] as string[] };
};

/** Answers in turn; a null is lost: the request arrives, and its answer does not. */
function answering(...answers: readonly (Response | null)[]): Reach {
  const left = [...answers];
  return async (request) => {
    const [next] = left.splice(0, 1);
    if (next) return next;
    const answer = await door(request);
    if (next === null) throw new TypeError("The connection was lost.");
    return answer;
  };
}

const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ status: false, code, message: "So it is.", fix: "Fix it.", again: "later" }, { status, headers });

describe("a create", () => {
  test("has a key that its retries keep, and makes one post", async ({ expect }) => {
    const { belfry, sent } = clientThrough(answering(null, refusal(502, "unexpected"), null));
    const { post_id } = await belfry.createPost(draft("Once"));
    expect(post_id).toBeGreaterThan(0);
    expect(sent).toHaveLength(4);
    const keys = new Set(sent.map(({ headers }) => headers.get("Idempotency-Key")));
    expect([keys.size, [...keys][0]]).toEqual([1, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const found = [];
    for await (const post of belfry.list("/social/get-posts", { query: { channels: "facebook" } })) found.push(post);
    expect(found.map((post) => post.post_id)).toEqual([post_id]);
  });

  test("takes the caller's key, and every other create gets one too", async ({ expect }) => {
    const { belfry, sent } = clientThrough();
    const options = { idempotencyKey: "order-1842" };
    const [first, second] = [
      await belfry.createPost(draft("Mine"), options),
      await belfry.createPost(draft("Mine"), options),
    ];
    expect(first).toEqual(second);
    await belfry.api.POST("/social/connect-channel", { body: { userId: "user-1" } });
    expect(sent.map(({ headers }) => headers.get("Idempotency-Key"))).toEqual([
      "order-1842",
      "order-1842",
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
  });

  test("has a key where its path has an id too", async ({ expect }) => {
    const { belfry, sent } = clientThrough(answering(null));
    const params = { path: { comment_id: 999_999 } };
    const reply = belfry.api.POST("/social/reply-to-comment/{comment_id}", { params, body: { text: "Five euros." } });
    await expect(reply).rejects.toBeInstanceOf(NotFoundError);
    const keys = new Set(sent.map(({ headers }) => headers.get("Idempotency-Key")));
    expect([sent.length, keys.size, keys.has(null)]).toEqual([2, 1, false]);
  });
});

test("feeds, series, insights and comments are reached by their paths, with types", async ({ expect }) => {
  const { belfry, sent } = clientThrough(answering(null));
  const post = { ...channel, post_type: "post" as const, caption_text: "{title}", media_urls: [] };
  const url = "https://feeds.example.com/client.xml";
  const body = { url, publish_mode: "draft" as const, posts: [post] };
  const { feed } = dataOf(await belfry.api.POST("/social/create-feed", { body }));
  expect(new Set(sent.map(({ headers }) => headers.get("Idempotency-Key"))).size).toBe(1);
  const { feeds } = dataOf(await belfry.api.GET("/social/get-feeds"));
  expect(feeds).toMatchObject([{ feed_id: feed.feed_id, url }]);
  const rule = { rule: "FREQ=DAILY", start_time: "2030-03-04 09:00", post };
  const { series } = dataOf(await belfry.api.POST("/social/create-series", { body: rule }));
  const params = { path: { series_id: series.series_id } };
  expect(dataOf(await belfry.api.GET("/social/get-series-events/{series_id}", { params })).events).toEqual([]);
  expect(dataOf(await belfry.api.GET("/social/export-insights")).csv).toMatch(/^post_id,/);
  for await (const comment of belfry.list("/social/get-comments", { query: { state: "unanswered" } })) {
    expect(comment.comment_id).toBeGreaterThan(0);
  }
});

test("many posts, messages and the media library are reached by their methods", async ({ expect }) => {
  const { belfry, sent } = clientThrough(answering(null));
  const post = { ...channel, post_type: "post" as const, publish_mode: "draft" as const, media_urls: [] };
  const posts = ["One", "Two"].map((caption_text) => ({ ...post, caption_text }));
  expect(await belfry.createPosts({ posts })).toHaveLength(2);
  expect(new Set(sent.map(({ headers }) => headers.get("Idempotency-Key"))).size).toBe(1);
  await expect(belfry.sendMessage(999_999, { text: "Hello" })).rejects.toBeInstanceOf(NotFoundError);
  expect(dataOf(await belfry.api.GET("/social/get-media"))).toMatchObject({ status: true });
});

describe("a lost answer", () => {
  test("of what could act twice is thrown, and not sent again", async ({ expect }) => {
    const { belfry, sent } = clientThrough(answering(null));
    const call = belfry.api.POST("/social/rotate-generation-secret");
    await expect(call).rejects.toMatchObject({ code: "no_answer", again: "look_first", requestId: null });
    await expect(call).rejects.toBeInstanceOf(ConnectionError);
    expect(sent).toHaveLength(1);
  });

  test("of a deletion is not reported as an absent object", async ({ expect }) => {
    const { belfry, sent } = clientThrough(answering(undefined as never, null));
    const { post_id } = await belfry.createPost(draft("Gone"));
    const params = { path: { postId: String(post_id) } };
    const { data } = await belfry.api.DELETE("/social/delete-post/{postId}", { params });
    expect([data?.status, sent.length]).toEqual([true, 3]);
    await expect(belfry.api.DELETE("/social/delete-post/{postId}", { params })).rejects.toBeInstanceOf(NotFoundError);
  });

  test("is thrown after the last retry", async ({ expect }) => {
    const { belfry, sent } = clientThrough(answering(null, null, null), { retries: 2 });
    await expect(belfry.createPost(draft("Never"))).rejects.toMatchObject({ code: "no_answer", again: "later" });
    expect(sent).toHaveLength(3);
  });
});

describe("limits", () => {
  const list = (belfry: Belfry) => belfry.api.GET("/social/upcoming-posts");

  test("Retry-After is waited for, by all requests", async ({ expect }) => {
    const { belfry } = clientThrough(answering(refusal(429, "rate_limited", { "Retry-After": "1" })));
    const since = performance.now();
    await list(belfry);
    await list(belfry);
    expect(performance.now() - since).toBeGreaterThan(900);
  });

  test("no request is sent while RateLimit shows that none is left", async ({ expect }) => {
    const spent = Response.json({ up_coming: [] }, { headers: { RateLimit: '"token";r=0;t=1' } });
    const { belfry } = clientThrough(answering(spent));
    await list(belfry);
    const since = performance.now();
    await list(belfry);
    expect(performance.now() - since).toBeGreaterThan(900);
  });

  test("a longer wait is left to the caller", async ({ expect }) => {
    const { belfry, sent } = clientThrough(answering(refusal(429, "quota_exceeded", { "Retry-After": "3600" })));
    await expect(list(belfry)).rejects.toBeInstanceOf(LimitError);
    expect(sent).toHaveLength(1);
  });
});

test("errors are classes with code, fix, again, docsUrl and requestId", async ({ expect }) => {
  const { belfry } = clientThrough();
  const refused = belfry.createPost({ ...draft("x"), channel_id: 999_999 });
  await expect(refused).rejects.toBeInstanceOf(InvalidRequestError);
  await expect(refused).rejects.toMatchObject({
    name: "InvalidRequestError",
    code: "reference_invalid",
    status: 422,
    fix: expect.stringContaining("existing object"),
    again: "no",
    docsUrl: `${ORIGIN}/docs/errors#reference_invalid`,
    errors: { channel_id: [expect.any(String)] },
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  const stranger = clientThrough(door, { token: "blf_unknown" }).belfry;
  await expect(stranger.createPost(draft("x"))).rejects.toBeInstanceOf(AccessError);
  const broken = clientThrough(() => new Response("<html>", { status: 500 }), { retries: 0 }).belfry;
  await expect(broken.createPost(draft("x"))).rejects.toBeInstanceOf(ServiceError);
  for (const Kind of [AccessError, LimitError, NotFoundError, PostFailedError, ServiceError, TimeoutError])
    expect(Kind.prototype).toBeInstanceOf(BelfryError);
});

describe("waitUntilPublished", () => {
  const create = (belfry: Belfry, caption_text: string) =>
    belfry.createPost({ ...draft(caption_text), publish_mode: "now" });

  test("returns the live post", async ({ expect }) => {
    const { belfry } = clientThrough();
    const { post_id } = await create(belfry, "Live");
    const live = belfry.waitUntilPublished(post_id);
    await queuesIdle();
    expect(await live).toMatchObject({ post_id, STATUS: "published", permalink: expect.stringMatching(/^https:/) });
  });

  test("throws why the post failed, and whether to post again", async ({ expect }) => {
    await sandbox.fault("facebook", "publish", "error", 1_000);
    const { belfry } = clientThrough();
    const { post_id } = await create(belfry, "Unconfirmed");
    await queuesIdle(24 * 3_600_000);
    await sandbox.fault("facebook", "publish", "error", 0);
    const failed = belfry.waitUntilPublished(post_id);
    await expect(failed).rejects.toBeInstanceOf(PostFailedError);
    const { remedy } = FAILURES.may_be_published;
    await expect(failed).rejects.toMatchObject({ code: "may_be_published", again: "look_first", fix: remedy });
  });

  test("throws a TimeoutError while the post is on its way, and at once for a draft", async ({ expect }) => {
    const { belfry } = clientThrough();
    const { post_id } = await create(belfry, "Slow");
    await expect(belfry.waitUntilPublished(post_id, { timeoutMs: 0 })).rejects.toBeInstanceOf(TimeoutError);
    const { post_id: waiting } = await belfry.createPost(draft("Waiting"));
    await expect(belfry.waitUntilPublished(waiting)).rejects.toMatchObject({ code: "not_changeable" });
    const signal = AbortSignal.abort(new Error("Enough."));
    await expect(belfry.waitUntilPublished(post_id, { signal })).rejects.toThrow("Enough.");
  });
});
