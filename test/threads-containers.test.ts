import { describe, test } from "vitest";
import type { Json } from "../src/platforms/context.ts";
import type { Commit, Content } from "../src/platforms/publishing.ts";
import { threads } from "../src/platforms/threads/index.ts";
import { accountContext, content, image, NOW, type Scripted, scriptedSend, video } from "./scripted-send.ts";

/** What is asked of Threads on the way to a post, and what becomes of each answer. */

const { posts } = threads;
const SCOPES = ["threads_basic", "threads_content_publish", "threads_delete", "threads_manage_replies"];
const FIRST: Commit = { index: 0, previous: [] };
const later = (id: string): Commit => ({ index: 1, previous: [{ id, secondaryId: null, permalink: null }] });

interface Container {
  readonly id: string | null;
  readonly madeAt: number;
  readonly readyAt: number | null;
  readonly lostAt: number | null;
  readonly isPublished: boolean;
  readonly attempts: number;
}
const NONE: Container = { id: null, madeAt: 0, readyAt: null, lostAt: null, isPublished: false, attempts: 0 };
const made = (id: string, more: Partial<Container> = {}) => ({ ...NONE, id, madeAt: NOW - 3000, attempts: 1, ...more });
const ready = (id: string, more: Partial<Container> = {}) => made(id, { readyAt: NOW - 1000, ...more });
const progress = (...items: readonly { readonly files?: readonly Container[]; readonly own?: Container }[]): Json => ({
  items: items.map(({ files = [], own = NONE }) => ({ files: files.map((one) => ({ ...one })), own: { ...own } })),
});

const created = (id: string): Scripted => ({ body: { id } });
const state = (status: string, error_message?: string): Scripted => ({ body: { id: "1784", status, error_message } });
const refused = (code: number | string, error_subcode?: number, more: object = {}): Scripted => {
  return { status: 400, body: { error: { code, error_subcode, message: "No", type: "OAuthException", ...more } } };
};
const LOST = refused(24, 4_279_009);
const ROOM: Scripted = { body: { data: [{ quota_usage: 4, config: { quota_total: 250, quota_duration: 86_400 } }] } };

const contextOn = (...answers: readonly (Scripted | "lost")[]) => {
  const { send, calls } = scriptedSend(...answers);
  const context = accountContext(send);
  return { context: { ...context, credentials: { ...context.credentials, scopes: SCOPES } }, calls };
};
const prepare = async (what: Content, stored: Json | null, ...answers: readonly (Scripted | "lost")[]) => {
  const { context, calls } = contextOn(...answers);
  return { outcome: await posts.prepare(context, what, stored), calls };
};
const stage = async (what: Content, stored: Json, item: Commit, ...answers: readonly (Scripted | "lost")[]) => {
  const { context, calls } = contextOn(...answers);
  return { outcome: await posts.stage?.(context, what, stored, item), calls };
};
const commit = async (what: Content, stored: Json, item: Commit, ...answers: readonly (Scripted | "lost")[]) => {
  const { context, calls } = contextOn(...answers);
  return { outcome: await posts.commit(context, what, stored, item), calls };
};

const TEXT = content("post", ["Hello"]);
const PICTURE = content("post", ["Hello", { ...image("a.jpg"), altText: "A square" }]);
const ALBUM = content("post", ["Hello", image("a.jpg"), video("b.mp4")]);
const CHAIN = content("thread", ["One"], ["Two", video("b.mp4")]);

describe("a text", () => {
  test("needs nothing before its turn, and no call", async ({ expect }) => {
    expect((await prepare(TEXT, null)).outcome).toMatchObject({ kind: "ready" });
  });

  test("is made when there is room, and waited for", async ({ expect }) => {
    const { outcome, calls } = await stage(TEXT, progress({}), FIRST, ROOM, created("17840000000000001"));
    expect(outcome).toMatchObject({ kind: "more", afterSeconds: 3 });
    expect(outcome).toMatchObject({ progress: { items: [{ own: { id: "17840000000000001", attempts: 1 } }] } });
    expect(calls[1]).toMatchObject({
      method: "POST",
      url: "https://graph.threads.net/v1.0/me/threads",
      form: { media_type: "TEXT", text: "Hello" },
      headers: { authorization: "Bearer TOKEN" },
    });
    const done = await stage(TEXT, progress({ own: made("1") }), FIRST, state("FINISHED"));
    expect(done.outcome).toMatchObject({ kind: "ready", progress: { items: [{ own: { id: "1", readyAt: NOW } }] } });
    expect(done.calls[0]).toMatchObject({ query: { fields: "status,error_message" } });
  });

  test("that is ready is not asked for, nor stored anew", async ({ expect }) => {
    const stored = progress({ own: ready("1") });
    const { outcome, calls } = await stage(TEXT, stored, FIRST);
    expect(outcome?.kind === "ready" && outcome.progress === stored).toBe(true);
    expect(calls).toEqual([]);
  });
});

describe("files", () => {
  test("of a single picture are the post itself", async ({ expect }) => {
    expect((await prepare(PICTURE, null)).outcome).toMatchObject({ kind: "ready" });
    const { calls } = await stage(PICTURE, progress({}), FIRST, ROOM, created("1"));
    const image_url = "https://files.example.com/a.jpg";
    expect(calls[1]?.form).toEqual({ media_type: "IMAGE", image_url, alt_text: "A square", text: "Hello" });
  });

  test("of a carousel are made one after the other, waited for, and named in order", async ({ expect }) => {
    const first = await prepare(ALBUM, null, created("1"));
    expect(first.outcome).toEqual(expect.objectContaining({ kind: "more" }));
    expect(first.outcome).not.toHaveProperty("afterSeconds");
    expect(first.calls[0]?.form).toMatchObject({ media_type: "IMAGE", is_carousel_item: "true" });
    const second = await prepare(ALBUM, progress({ files: [made("1"), NONE] }), created("2"));
    expect(second.outcome).toMatchObject({ kind: "more", afterSeconds: 10 });
    expect(second.calls[0]?.form).toMatchObject({ media_type: "VIDEO", video_url: "https://files.example.com/b.mp4" });
    const both = [ready("1"), ready("2")];
    expect((await prepare(ALBUM, progress({ files: both }))).outcome).toMatchObject({ kind: "ready" });
    const { calls } = await stage(ALBUM, progress({ files: both }), FIRST, ROOM, created("3"));
    expect(calls[1]?.form).toEqual({ media_type: "CAROUSEL", children: "1,2", text: "Hello" });
  });

  test("of a later item are tried before anything is out", async ({ expect }) => {
    const { outcome, calls } = await prepare(CHAIN, null, created("1"));
    expect(outcome).toMatchObject({ kind: "more", afterSeconds: 10 });
    expect(calls[0]?.form).toMatchObject({ media_type: "VIDEO", is_carousel_item: "true" });
    const { outcome: refusal } = await prepare(
      CHAIN,
      progress({}, { files: [made("1")] }),
      state("ERROR", "INVALID_DURATION"),
    );
    expect(refusal).toMatchObject({ kind: "failed", reason: "rejected", code: "media_invalid" });
  });

  test("are published a moment after they are finished", async ({ expect }) => {
    const { outcome } = await stage(PICTURE, progress({ own: made("1") }), FIRST, state("FINISHED"));
    expect(outcome).toMatchObject({ kind: "more", afterSeconds: 2 });
  });

  test.for([
    ["FAILED_PROCESSING_AUDIO", "could not process its sound"],
    ["FAILED_PROCESSING_VIDEO", "could not process it"],
    ["INVALID_ASPEC_RATIO", "aspect ratio"],
    ["INVALID_BIT_RATE", "bit rate"],
    ["INVALID_DURATION", "at most 5 minutes"],
    ["INVALID_FRAME_RATE", "frame rate"],
    ["INVALID_AUDIO_CHANNELS", "mono or stereo"],
    ["INVALID_AUDIO_CHANNEL_LAYOUT", "mono or stereo"],
  ] as const)("that end in %s are told so", async ([error, words], { expect }) => {
    const { outcome } = await stage(PICTURE, progress({ own: made("1") }), FIRST, state("ERROR", error));
    const message = expect.stringMatching(new RegExp(`^Threads refused the image https://files.*${words}.*${error}`));
    expect(outcome).toMatchObject({ kind: "failed", reason: "rejected", code: "media_invalid", message });
  });

  test.for([
    ["FAILED_DOWNLOADING_VIDEO", "media_unreachable"],
    ["UNKNOWN", "media_invalid"],
    ["SOMETHING_NEW", "media_invalid"],
  ] as const)("that end in %s are tried three times", async ([error, code], { expect }) => {
    const at = (attempts: number) =>
      stage(PICTURE, progress({ own: made("1", { attempts }) }), FIRST, state("ERROR", error));
    expect((await at(1)).outcome).toMatchObject({
      kind: "more",
      progress: { items: [{ own: { id: null, attempts: 1 } }] },
    });
    expect((await at(3)).outcome).toMatchObject({ kind: "failed", reason: "rejected", code });
  });

  test("that Threads cannot fetch at once are tried three times", async ({ expect }) => {
    const at = (attempts: number) => {
      const own = { ...NONE, attempts };
      return stage(PICTURE, progress({ own }), FIRST, ROOM, refused(1, 2_207_052));
    };
    expect((await at(0)).outcome).toMatchObject({ kind: "more", progress: { items: [{ own: { attempts: 1 } }] } });
    expect((await at(2)).outcome).toMatchObject({ kind: "failed", code: "media_unreachable" });
  });
});

describe("a container", () => {
  const look = (own: Container, answer: Scripted | "lost") => stage(TEXT, progress({ own }), FIRST, answer);

  test.for([
    ["in progress", state("IN_PROGRESS")],
    ["in a state that is not documented", state("THINKING")],
    ["not known everywhere yet", LOST],
    ["not visible yet", refused(100, 33)],
  ] as const)("%s is looked at again, for ten minutes", async ([, answer], { expect }) => {
    expect((await look(made("1"), answer)).outcome).toMatchObject({ kind: "more", afterSeconds: 3 });
    const old = made("1", { madeAt: NOW - 11 * 60_000 });
    expect((await look(old, answer)).outcome).toMatchObject({ kind: "failed", reason: "rejected" });
  });

  test("that is over is made anew", async ({ expect }) => {
    const { outcome } = await look(made("1"), state("EXPIRED"));
    expect(outcome).toMatchObject({ kind: "more", progress: { items: [{ own: { id: null } }] } });
    const tomorrow = ready("1", { madeAt: NOW - 23.5 * 3_600_000 });
    const { outcome: next } = await look(tomorrow, created("2"));
    expect(next).toMatchObject({ kind: "more", progress: { items: [{ own: { id: "2" } }] } });
  });

  test("whose reading fails is passing trouble", async ({ expect }) => {
    expect((await look(made("1"), "lost")).outcome).toMatchObject({ kind: "failed", reason: "down" });
  });
});

describe("a later item", () => {
  const own = { files: [ready("1")] };

  test("names the item before it", async ({ expect }) => {
    const { calls } = await stage(CHAIN, progress({ own: ready("0") }, own), later("1806"), created("2"));
    expect(calls[0]?.form).toMatchObject({ media_type: "VIDEO", reply_to_id: "1806", text: "Two" });
    expect(calls[0]?.form).not.toHaveProperty("is_carousel_item");
  });

  test.for([LOST, refused(100, 33)])("waits until that can be answered (%j)", async (answer, { expect }) => {
    const { outcome } = await stage(CHAIN, progress({ own: ready("0") }, own), later("1806"), answer);
    expect(outcome).toMatchObject({ kind: "failed", reason: "down", retryAfterSeconds: 5 });
  });
});

describe("the quotas", () => {
  const limit = (posts: number, replies: number): Scripted => ({
    body: {
      data: [
        {
          ...{ quota_usage: posts, config: { quota_total: 250 } },
          ...{ reply_quota_usage: replies, reply_config: { quota_total: 1000 } },
        },
      ],
    },
  });

  test.for([
    ["posts that are used up delay all of the profile's", limit(250, 0), { limit: "account", retryAfterSeconds: 1800 }],
    ["replies without room for the rest of a thread delay it", limit(0, 1000), { retryAfterSeconds: 1800 }],
  ] as const)("%s", async ([, answer, expected], { expect }) => {
    const { outcome } = await stage(CHAIN, progress({}, { files: [ready("1")] }), FIRST, answer);
    expect(outcome).toMatchObject({ kind: "failed", reason: "throttled", ...expected });
  });

  test("of replies concern no other post, and no post without replies", async ({ expect }) => {
    const { outcome } = await stage(CHAIN, progress({}, { files: [ready("1")] }), FIRST, limit(0, 1000));
    expect(outcome).not.toHaveProperty("limit");
    const single = await stage(TEXT, progress({}), FIRST, limit(0, 1000), created("1"));
    expect(single.outcome).toMatchObject({ kind: "more" });
    expect(single.calls[0]?.query).toEqual({ fields: "quota_usage,config" });
  });

  test.for(["lost", refused(10), { body: { data: [] } }] as const)(
    "that Threads does not tell hold nothing up (%j)",
    async (answer, { expect }) => {
      const { outcome } = await stage(TEXT, progress({}), FIRST, answer, created("1"));
      expect(outcome).toMatchObject({ kind: "more" });
    },
  );
});

describe("publishing", () => {
  const publish = (own: Container, answer: Scripted | "lost") => commit(TEXT, progress({ own }), FIRST, answer);

  test("is by the container's id", async ({ expect }) => {
    const { outcome, calls } = await publish(ready("1"), created("18060000000000001"));
    expect(outcome).toMatchObject({ kind: "published", post: { id: "18060000000000001" } });
    expect(calls[0]).toMatchObject({
      url: "https://graph.threads.net/v1.0/me/threads_publish",
      form: { creation_id: "1" },
    });
  });

  test.for([
    [null, 5],
    [4, 10],
    [14, 20],
    [34, 40],
  ] as const)("that does not find it since %s seconds tries again after %i", async ([since, seconds], { expect }) => {
    const lostAt = since === null ? null : NOW - since * 1000;
    const { outcome } = await publish(ready("1", { lostAt }), LOST);
    expect(outcome).toMatchObject({
      kind: "unprepared",
      afterSeconds: seconds,
      progress: { items: [{ own: { id: "1", lostAt: lostAt ?? NOW } }] },
    });
  });

  test("of the same container is tried for a while; then another is made, three at most", async ({ expect }) => {
    const soon = progress({ own: ready("1", { lostAt: NOW - 60_000 }) });
    expect((await stage(TEXT, soon, FIRST)).outcome).toMatchObject({ kind: "ready" });
    const late = (attempts: number) => ready("1", { lostAt: NOW - 80_000, attempts });
    const another = await stage(TEXT, progress({ own: late(1) }), FIRST, state("FINISHED"));
    expect(another.outcome).toMatchObject({ kind: "more", progress: { items: [{ own: { id: null, attempts: 1 } }] } });
    const last = await stage(TEXT, progress({ own: late(3) }), FIRST, state("FINISHED"));
    expect(last.outcome).toMatchObject({ kind: "ready", progress: { items: [{ own: { id: "1", lostAt: null } }] } });
  });

  test("that did it all the same is looked for, not repeated", async ({ expect }) => {
    const late = progress({ own: ready("1", { lostAt: NOW - 80_000 }) });
    const { outcome } = await stage(TEXT, late, FIRST, state("PUBLISHED"));
    expect(outcome).toMatchObject({ kind: "ready", progress: { items: [{ own: { isPublished: true } }] } });
    const published = await commit(TEXT, progress({ own: ready("1", { isPublished: true }) }), FIRST);
    expect(published.outcome).toMatchObject({ kind: "unknown" });
    expect(published.calls).toEqual([]);
  });

  test.for([
    ["not ready", refused(9007, 2_207_027), { kind: "unprepared", afterSeconds: 5 }],
    ["held back as suspicious", refused(4, 2_207_051), { kind: "unknown" }],
    ["an unknown error", refused(1), { kind: "unknown" }],
    ["a service error", { ...refused(2), status: 500 }, { kind: "unknown" }],
    ["a gateway's page", { status: 502, body: "<html>" }, { kind: "unknown" }],
    ["a lost answer", "lost", { kind: "unknown" }],
    ["the posts of a day used up", refused(9, 2_207_042), { kind: "failed", reason: "throttled", limit: "account" }],
    ["a restricted profile", refused(200, 4_279_013), { kind: "failed", code: "account_restricted" }],
    ["a missing permission", refused(10), { kind: "failed", reason: "permission_missing" }],
    ["a token that is over", refused(190, 463), { kind: "failed", reason: "token_expired" }],
    ["an app that was removed", refused(190, 458), { kind: "failed", reason: "disconnected" }],
    ["a bad value", refused(100), { kind: "failed", reason: "rejected" }],
  ] as const)("meets %s", async ([, answer, expected], { expect }) => {
    expect((await publish(ready("1"), answer)).outcome).toMatchObject(expected);
  });

  test("of a later item uses the allowance of replies, which no other post waits for", async ({ expect }) => {
    const stored = progress({ own: ready("0") }, { files: [ready("1")], own: ready("2") });
    const { outcome } = await commit(CHAIN, stored, later("1806"), refused(9, 2_207_042));
    expect(outcome).toMatchObject({ kind: "failed", reason: "throttled", retryAfterSeconds: 1800 });
    expect(outcome).not.toHaveProperty("limit");
  });

  test("of what was not made ready is refused without a call", async ({ expect }) => {
    const { outcome, calls } = await commit(TEXT, progress({ own: made("1") }), FIRST);
    expect([outcome, calls]).toMatchObject([{ kind: "failed", reason: "rejected" }, []]);
  });
});

describe("making a container meets", () => {
  const LINKS = "THREADS_API__LINK_LIMIT_EXCEEDED";
  test.for([
    ["too many links, as code", refused(LINKS), { reason: "rejected", code: "content_invalid" }],
    [
      "too many links, in the message",
      refused(100, undefined, { message: `${LINKS}: 5` }),
      { code: "content_invalid" },
    ],
    [
      "too many links, for people",
      refused(100, undefined, { error_user_msg: `At most 5 (${LINKS})` }),
      { code: "content_invalid" },
    ],
    [
      "a feature that the profile lacks",
      refused("THREADS_API__FEATURE_NOT_AVAILABLE"),
      { code: "unsupported_by_platform" },
    ],
    [
      "suspicion",
      refused(4, 2_207_051),
      { reason: "throttled", code: "account_restricted", retryAfterSeconds: 10_800 },
    ],
    ["a lost answer", "lost", { reason: "down" }],
  ] as const)("%s", async ([, answer, expected], { expect }) => {
    const { outcome } = await stage(TEXT, progress({}), FIRST, ROOM, answer);
    expect(outcome).toMatchObject({ kind: "failed", ...expected });
  });
});

describe("a post that is live", () => {
  const POST = { id: "1806", secondaryId: null, permalink: null };
  const { permalink } = posts;

  test("tells its address, or not yet", async ({ expect }) => {
    if (permalink.told !== "at_once") throw new Error("Threads tells it at once.");
    const read = (answer: Scripted | "lost") => permalink.read(contextOn(answer).context, POST);
    const address = "https://www.threads.com/@fern/post/D1";
    expect(await read({ body: { id: "1806", permalink: address } })).toEqual({
      kind: "told",
      post: { ...POST, permalink: address },
    });
    expect(await read({ body: { id: "1806" } })).toEqual({ kind: "not_yet" });
    expect(await read(refused(100, 33))).toEqual({ kind: "not_yet" });
    expect(await read("lost")).toMatchObject({ kind: "failed", reason: "down" });
  });

  test("is deleted by its id; what is gone is gone", async ({ expect }) => {
    const remove = (answer: Scripted | "lost") => posts.remove?.(contextOn(answer).context, "post", POST);
    expect(await remove({ body: { success: true, deleted_id: "1806" } })).toEqual({ kind: "removed" });
    expect(await remove(refused(100, 33))).toEqual({ kind: "removed" });
    expect(await remove(refused(9, 2_207_042))).toMatchObject({ reason: "throttled" });
    expect(await remove("lost")).toMatchObject({ kind: "failed", reason: "down" });
  });

  test("stays up where deleting was not allowed, and nothing is asked", async ({ expect }) => {
    const { context, calls } = contextOn();
    const credentials = { ...context.credentials, scopes: ["threads_basic", "threads_content_publish"] };
    const outcome = await posts.remove?.({ ...context, credentials }, "post", POST);
    expect([outcome, calls]).toMatchObject([
      { reason: "rejected", message: expect.stringContaining("threads.com") },
      [],
    ]);
  });
});
