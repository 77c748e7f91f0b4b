import { describe, test } from "vitest";
import type { Content } from "../../../src/platforms/publishing.ts";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import { accountContext, content, image, NOW, type Scripted, scriptedSend, video } from "../../scripted-send.ts";
import {
  ADDRESS,
  BEGUN,
  INFO,
  jsonOf,
  MIB,
  OPENED,
  ok,
  prepared,
  rangeOf,
  refused,
  stored,
  TASK,
} from "./upload-script.ts";

/** How a post is prepared and sent at TikTok: the account's settings, the task, the chunks. */

const { posts } = tiktok;
const status = ok;
const TOTAL = 16 * MIB;
const SIZE = Math.floor(TOTAL / 3);
const LARGE = content("post", ["A caption", video("a.mp4", TOTAL)]);
const PICTURES = content("post", ["A caption", image("a.jpg"), image("b.jpg")]);

test("the account is read, a task opened, and all chunks but the last are sent", async ({ expect }) => {
  const { outcome, calls } = await prepared(LARGE, [...BEGUN, stored(SIZE - 1, TOTAL), stored(2 * SIZE - 1, TOTAL)]);
  expect(outcome).toMatchObject({ kind: "ready", progress: { publishId: TASK, address: ADDRESS, offset: 2 * SIZE } });
  expect(calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "POST https://open.tiktokapis.com/v2/post/publish/creator_info/query/",
    "POST https://open.tiktokapis.com/v2/post/publish/video/init/",
    "POST https://open.tiktokapis.com/v2/post/publish/video/init/",
    `PUT ${ADDRESS}`,
    `PUT ${ADDRESS}`,
  ]);
  expect(calls[2]?.headers).toMatchObject({
    authorization: "Bearer TOKEN",
    "content-type": "application/json; charset=UTF-8",
  });
  expect(calls.slice(2, 3).map(jsonOf)).toEqual([
    {
      post_info: {
        title: "A caption",
        privacy_level: "PUBLIC_TO_EVERYONE",
        disable_comment: false,
        disable_duet: false,
        disable_stitch: true,
        brand_content_toggle: false,
        brand_organic_toggle: false,
        is_aigc: false,
      },
      source_info: { source: "FILE_UPLOAD", video_size: TOTAL, chunk_size: SIZE, total_chunk_count: 3 },
    },
  ]);
  expect(calls.slice(3).map(rangeOf)).toEqual([
    `bytes 0-${SIZE - 1}/${TOTAL}`,
    `bytes ${SIZE}-${2 * SIZE - 1}/${TOTAL}`,
  ]);
  expect(calls[3]?.headers).toEqual({ "content-type": "video/mp4", "content-range": `bytes 0-${SIZE - 1}/${TOTAL}` });
});

describe("what is read of the account", () => {
  const SMALL = content("reel", ["x", video("a.mp4", 1_000)]);
  const privately = { ...SMALL, extra: { category: 22, privacyStatus: "private" } } as const;
  const friends = { ...INFO, privacy_level_options: ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"] };

  test.for([
    ["public", SMALL, INFO, undefined, "PUBLIC_TO_EVERYONE"],
    ["the followers of a private account", SMALL, friends, undefined, "FOLLOWER_OF_CREATOR"],
    ["nobody, where that is wanted", privately, INFO, undefined, "SELF_ONLY"],
    ["nobody, where the operator says so", SMALL, INFO, { privacy: "SELF_ONLY" }, "SELF_ONLY"],
    [
      "friends at most, where the operator says so",
      SMALL,
      INFO,
      { privacy: "FOLLOWER_OF_CREATOR" },
      "MUTUAL_FOLLOW_FRIENDS",
    ],
    ["nobody, where the operator says what is no level", SMALL, INFO, { privacy: "public" }, "SELF_ONLY"],
  ] as const)("it is for %s", async ([, what, info, options, privacy], { expect }) => {
    const { outcome } = await prepared(what, [ok(info), OPENED], options);
    expect(outcome).toMatchObject({ kind: "ready", progress: { settings: { privacy } } });
  });

  test.for([
    [
      "unlisted",
      { ...SMALL, extra: { category: 22, privacyStatus: "unlisted" } },
      INFO,
      "unsupported_by_platform",
      /no unlisted/,
    ],
    [
      "of a kind that the account lacks",
      privately,
      { ...INFO, privacy_level_options: ["NEW"] },
      "account_restricted",
      /NEW/,
    ],
    [
      "longer than it may be",
      SMALL,
      { ...INFO, max_video_post_duration_sec: 5 },
      "media_invalid",
      /lasts 10 s; TikTok accepts at most 5 s/,
    ],
  ] as const)("a post %s is refused, and nothing is opened", async ([, what, info, code, message], { expect }) => {
    const { outcome, calls } = await prepared(what, [ok(info)]);
    expect(outcome).toMatchObject({
      kind: "failed",
      reason: "rejected",
      code,
      message: expect.stringMatching(message),
    });
    expect(calls).toHaveLength(1);
  });

  const chosen = (options: object, declared = {}) => ({ ...SMALL, options, declared }) as Content;

  test.for([
    [{ privacy_level: "SELF_ONLY" }, ["SELF_ONLY", true, true, true]],
    [{ privacy_level: "PUBLIC_TO_EVERYONE", comments: true, duets: true }, ["PUBLIC_TO_EVERYONE", false, false, true]],
    [{ comments: false }, ["PUBLIC_TO_EVERYONE", true, false, true]],
  ] as const)("%j is used as it is", async ([options, [privacy, noComments, noDuets, noStitches]], { expect }) => {
    const { outcome } = await prepared(chosen(options), [ok(INFO), OPENED]);
    const settings = { privacy, noComments, noDuets, noStitches };
    expect(outcome).toMatchObject({ kind: "ready", progress: { settings } });
  });

  test.for([
    [
      "an interaction that the account does not allow",
      chosen({ stitches: true }),
      undefined,
      1,
      /does not allow stitches/,
    ],
    [
      "a level beyond the operator's",
      chosen({ privacy_level: "PUBLIC_TO_EVERYONE" }),
      { privacy: "SELF_ONLY" },
      0,
      /of level SELF_ONLY at most/,
    ],
    [
      "a paid partnership for the owner only",
      chosen({ privacy_level: "SELF_ONLY" }, { paid_partnership: true }),
      undefined,
      0,
      /only the account owner can see/,
    ],
    [
      "a paid partnership where the operator makes all posts private",
      chosen({}, { paid_partnership: true }),
      { privacy: "SELF_ONLY" },
      0,
      /only the account owner can see/,
    ],
  ] as const)("%s is refused", async ([, what, options, count, message], { expect }) => {
    const { outcome, calls } = await prepared(what, count === 0 ? [] : [ok(INFO)], options);
    expect(outcome).toMatchObject({
      kind: "failed",
      reason: "rejected",
      message: expect.stringMatching(message),
    });
    expect(calls).toHaveLength(count);
  });

  test("a paid partnership is refused where the account offers nothing but itself", async ({ expect }) => {
    const info = ok({ ...INFO, privacy_level_options: ["SELF_ONLY"] });
    const { outcome } = await prepared(chosen({}, { paid_partnership: true }), [info]);
    expect(outcome).toMatchObject({ kind: "failed", code: "content_invalid" });
  });

  test("a post without a file cannot be", async ({ expect }) => {
    expect((await prepared(content("post", ["x"]), [])).outcome).toMatchObject({ kind: "failed", reason: "rejected" });
  });
});

describe("trouble with the task", () => {
  test.for([
    ["a lost answer", "lost"],
    ["an error of TikTok's", refused("internal_error", 500)],
    ["a page of something on the way", { status: 502, body: null }],
    ["a form that is not documented", ok({})],
  ] as const)("%s to its opening is passing: without bytes it publishes nothing", async ([, answer], { expect }) => {
    expect((await prepared(LARGE, [ok(INFO), answer])).outcome).toMatchObject({ kind: "failed", reason: "down" });
  });

  test("bytes go to TikTok's own hosts only", async ({ expect }) => {
    const elsewhere = ok({ publish_id: TASK, upload_url: "https://tiktokapis.com.example.org/video/" });
    const { outcome, calls } = await prepared(LARGE, [ok(INFO), elsewhere]);
    expect(outcome).toMatchObject({ reason: "down" });
    expect(calls).toHaveLength(2);
  });
});

describe("trouble with a chunk", () => {
  test.for([
    ["a lost answer", "lost"],
    ["an error", { status: 500 }],
  ] as const)("%s: the same is sent again", async ([, answer], { expect }) => {
    expect((await prepared(LARGE, [...BEGUN, answer])).outcome).toMatchObject({ reason: "down" });
  });

  test("what TikTok has already decides where it goes on", async ({ expect }) => {
    const has = stored(SIZE - 1, TOTAL, 416);
    const { outcome, calls } = await prepared(LARGE, [...BEGUN, has, stored(2 * SIZE - 1, TOTAL)]);
    expect(outcome).toMatchObject({ kind: "ready", progress: { offset: 2 * SIZE } });
    expect(calls.slice(4).map(rangeOf)).toEqual([`bytes ${SIZE}-${2 * SIZE - 1}/${TOTAL}`]);
  });

  test("a bare 200 is as good", async ({ expect }) => {
    const { outcome } = await prepared(LARGE, [...BEGUN, { status: 200 }, { status: 200 }]);
    expect(outcome).toMatchObject({ kind: "ready", progress: { offset: 2 * SIZE } });
  });

  const lacking = status({ status: "PROCESSING_UPLOAD", uploaded_bytes: SIZE });
  const again = [ok(INFO), OPENED, stored(SIZE - 1, TOTAL), stored(2 * SIZE - 1, TOTAL)];

  test.for([403, 404])(
    "an address that has expired (%i) is replaced once, as long as the task lacks bytes",
    async (code, { expect }) => {
      const { outcome } = await prepared(LARGE, [...BEGUN, { status: code }, lacking, ...again]);
      expect(outcome).toMatchObject({ kind: "ready", progress: { restarts: 1 } });
      const twice = await prepared(LARGE, [
        ...BEGUN,
        { status: code },
        lacking,
        ...again.slice(0, 2),
        { status: code },
        lacking,
      ]);
      expect(twice.outcome).toMatchObject({ kind: "failed", reason: "rejected" });
    },
  );

  test.for([
    ["has all", { status: "PROCESSING_UPLOAD", uploaded_bytes: TOTAL }],
    ["is published", { status: "PUBLISH_COMPLETE" }],
    ["works on it", { status: "PROCESSING_DOWNLOAD" }],
  ] as const)("a task that %s is never begun again: the commit learns of it", async ([, data], { expect }) => {
    const { outcome, progress } = await prepared(LARGE, [...BEGUN, { status: 403 }, status(data)]);
    expect(outcome).toMatchObject({ kind: "ready", progress: { publishId: TASK, offset: TOTAL } });
    const { send, calls } = scriptedSend(status(data));
    const committed = await posts.commit(accountContext(send), LARGE, progress, { index: 0, previous: [] });
    expect(committed).toMatchObject({ kind: "accepted", post: { id: TASK } });
    expect(calls).toHaveLength(1);
  });

  test("one that may not be read is read again later", async ({ expect }) => {
    const { outcome } = await prepared(LARGE, [...BEGUN, { status: 403 }, refused("rate_limit_exceeded", 429)]);
    expect(outcome).toMatchObject({ reason: "throttled", retryAfterSeconds: 60 });
  });
});

describe("the public act", () => {
  const READY = [...BEGUN, stored(SIZE - 1, TOTAL), stored(2 * SIZE - 1, TOTAL)];
  const committed = async (...answers: readonly (Scripted | "lost")[]) => {
    const { progress } = await prepared(LARGE, READY);
    const { send, calls } = scriptedSend(...answers);
    const outcome = await posts.commit(accountContext(send), LARGE, progress, { index: 0, previous: [] });
    return { outcome, calls };
  };

  test.for([
    ["201", stored(TOTAL - 1, TOTAL, 201)],
    ["a bare 200", { status: 200 }],
    ["416, for it has everything", stored(TOTAL - 1, TOTAL, 416)],
  ] as const)("is accepted with %s, and stands under its task", async ([, answer], { expect }) => {
    const { outcome, calls } = await committed(answer);
    expect(outcome).toMatchObject({ kind: "accepted", post: { id: TASK, secondaryId: null, permalink: null } });
    expect(calls.map(rangeOf)).toEqual([`bytes ${2 * SIZE}-${TOTAL - 1}/${TOTAL}`]);
  });

  test.for([
    ["a lost answer", "lost"],
    ["an error", { status: 503 }],
    ["416 without a word", { status: 416 }],
  ] as const)("%s leaves it unknown", async ([, answer], { expect }) => {
    expect((await committed(answer)).outcome.kind).toBe("unknown");
  });

  test("where TikTok has less than we knew, it is prepared from there", async ({ expect }) => {
    const { outcome } = await committed(stored(SIZE - 1, TOTAL, 416));
    expect(outcome).toMatchObject({ kind: "unprepared", progress: { restarts: 1, offset: 0, publishId: "" } });
  });

  const lacks = (bytes: number) => status({ status: "PROCESSING_UPLOAD", uploaded_bytes: bytes });

  test.for([403, 404])(
    "after %i another task is opened only if this one lacks bytes, twice",
    async (code, { expect }) => {
      const { outcome } = await committed({ status: code }, lacks(2 * SIZE));
      if (outcome.kind !== "unprepared") throw new Error(`It is ${outcome.kind}.`);
      expect(outcome).toMatchObject({ afterSeconds: 15, progress: { publishId: TASK, stopped: "address" } });
      const again = scriptedSend(lacks(2 * SIZE));
      expect(await posts.prepare(accountContext(again.send), LARGE, outcome.progress)).toMatchObject({
        kind: "more",
        progress: { publishId: "", restarts: 1 },
      });
      // It was only late to say so.
      const late = scriptedSend(lacks(TOTAL));
      expect(await posts.prepare(accountContext(late.send), LARGE, outcome.progress)).toMatchObject({
        kind: "ready",
        progress: { publishId: TASK, offset: TOTAL },
      });
    },
  );

  test.for([400, 403, 404])(
    "after %i a task that has everything is accepted: it was stored",
    async (code, { expect }) => {
      for (const task of [
        lacks(TOTAL),
        status({ status: "PUBLISH_COMPLETE" }),
        status({ status: "PROCESSING_DOWNLOAD" }),
      ]) {
        expect((await committed({ status: code }, task)).outcome).toMatchObject({
          kind: "accepted",
          post: { id: TASK },
        });
      }
    },
  );

  test.for([400, 403, 404, 429])("after %i and no word of the task it is unknown", async (code, { expect }) => {
    const silence = [["lost"], [{ status: 500 }], [status({ status: "PROCESSING_UPLOAD" })]] as const;
    for (const [answer] of silence) {
      const answers = code === 429 ? [{ status: code }] : [{ status: code }, answer];
      expect((await committed(...answers)).outcome.kind).toBe("unknown");
    }
  });

  test("an address of an hour ago is not even tried", async ({ expect }) => {
    const { progress } = await prepared(LARGE, READY);
    const { send, calls } = scriptedSend(status({ status: "PROCESSING_UPLOAD", uploaded_bytes: 2 * SIZE }));
    const later = { ...accountContext(send), now: NOW + 56 * 60_000 };
    const outcome = await posts.commit(later, LARGE, progress, { index: 0, previous: [] });
    expect(outcome).toMatchObject({ kind: "unprepared", progress: { publishId: TASK, stopped: "address" } });
    expect(calls).toHaveLength(1);
  });

  test("pictures are requested by their public addresses, in order", async ({ expect }) => {
    const { progress } = await prepared(PICTURES, [ok(INFO)]);
    const { send, calls } = scriptedSend(ok({ publish_id: "p_pub_url~v2.743" }));
    const outcome = await posts.commit(accountContext(send), PICTURES, progress, { index: 0, previous: [] });
    expect(outcome).toMatchObject({ kind: "accepted", post: { id: "p_pub_url~v2.743" } });
    expect(calls.map(jsonOf)).toEqual([
      {
        media_type: "PHOTO",
        post_mode: "DIRECT_POST",
        post_info: {
          description: "A caption",
          privacy_level: "PUBLIC_TO_EVERYONE",
          disable_comment: false,
          auto_add_music: true,
          brand_content_toggle: false,
          brand_organic_toggle: false,
        },
        source_info: {
          source: "PULL_FROM_URL",
          photo_cover_index: 0,
          photo_images: ["https://files.example.com/a.jpg", "https://files.example.com/b.jpg"],
        },
      },
    ]);
  });

  test("pictures that had to wait are published as the account allows by then", async ({ expect }) => {
    const { progress } = await prepared(PICTURES, [ok(INFO)]);
    const { send, calls } = scriptedSend(ok({ ...INFO, privacy_level_options: ["SELF_ONLY"] }));
    const later = { ...accountContext(send), now: NOW + 11 * 60_000 };
    const outcome = await posts.commit(later, PICTURES, progress, { index: 0, previous: [] });
    if (outcome.kind !== "unprepared") throw new Error(`It is ${outcome.kind}.`);
    expect(calls).toEqual([]);
    expect(await posts.prepare(later, PICTURES, outcome.progress)).toMatchObject({
      kind: "ready",
      progress: { settings: { privacy: "SELF_ONLY" } },
    });
  });

  test("a task that could not be opened for long is opened as the account allows by then", async ({ expect }) => {
    const { send } = scriptedSend(ok(INFO), ok({ ...INFO, privacy_level_options: ["SELF_ONLY"] }), OPENED);
    const context = accountContext(send);
    const first = await posts.prepare(context, LARGE, null);
    if (first.kind !== "more") throw new Error(`It is ${first.kind}.`);
    const later = { ...context, now: NOW + 11 * 60_000 };
    const second = await posts.prepare(later, LARGE, first.progress);
    expect(second).toMatchObject({ kind: "more", progress: { settings: { privacy: "SELF_ONLY" }, publishId: "" } });
  });

  test.for([
    ["a success that cannot be read", ok({}), "unknown"],
    ["a refusal with status 200", refused("spam_risk_too_many_posts"), "failed"],
  ] as const)("pictures, %s: %s", async ([, answer, kind], { expect }) => {
    const { progress } = await prepared(PICTURES, [ok(INFO)]);
    const { send } = scriptedSend(answer);
    const outcome = await posts.commit(accountContext(send), PICTURES, progress, { index: 0, previous: [] });
    expect(outcome.kind).toBe(kind);
  });
});
