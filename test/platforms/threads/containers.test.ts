import { describe, test } from "vitest";
import { NOW, type Scripted } from "../../scripted-send.ts";
import {
  ALBUM,
  CHAIN,
  type Container,
  created,
  FIRST,
  LOST,
  later,
  made,
  NONE,
  PICTURE,
  prepare,
  progress,
  ROOM,
  ready,
  refused,
  stage,
  state,
  TEXT,
} from "./script.ts";

/** The calls of Threads that lead to a post, and the outcome of each answer. */

describe("a text", () => {
  test("that is ready is not read, nor stored again", async ({ expect }) => {
    const stored = progress({ own: ready("1") });
    const { outcome, calls } = await stage(TEXT, stored, FIRST);
    expect(outcome?.kind === "ready" && outcome.progress === stored).toBe(true);
    expect(calls).toEqual([]);
  });
});

describe("files", () => {
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
    ["INVALID_FRAME_RATE", "frames per second"],
    ["INVALID_AUDIO_CHANNELS", "mono or stereo"],
    ["INVALID_AUDIO_CHANNEL_LAYOUT", "mono or stereo"],
  ] as const)("that end in %s are reported as such", async ([error, words], { expect }) => {
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
  const check = (own: Container, answer: Scripted | "lost") => stage(TEXT, progress({ own }), FIRST, answer);

  test.for([
    ["in progress", state("IN_PROGRESS")],
    ["in a state that is not documented", state("THINKING")],
    ["not known everywhere yet", LOST],
    ["not visible yet", refused(100, 33)],
  ] as const)("%s is looked at again, for ten minutes", async ([, answer], { expect }) => {
    expect((await check(made("1"), answer)).outcome).toMatchObject({ kind: "more", afterSeconds: 3 });
    const old = made("1", { madeAt: NOW - 11 * 60_000 });
    expect((await check(old, answer)).outcome).toMatchObject({ kind: "failed", reason: "rejected" });
  });

  test("that has expired is created again", async ({ expect }) => {
    const { outcome } = await check(made("1"), state("EXPIRED"));
    expect(outcome).toMatchObject({ kind: "more", progress: { items: [{ own: { id: null } }] } });
    const tomorrow = ready("1", { madeAt: NOW - 23.5 * 3_600_000 });
    const { outcome: next } = await check(tomorrow, created("2"));
    expect(next).toMatchObject({ kind: "more", progress: { items: [{ own: { id: "2" } }] } });
  });

  test("whose reading fails is a temporary error", async ({ expect }) => {
    expect((await check(made("1"), "lost")).outcome).toMatchObject({ kind: "failed", reason: "down" });
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
          quota_usage: posts,
          config: { quota_total: 250 },
          reply_quota_usage: replies,
          reply_config: { quota_total: 1000 },
        },
      ],
    },
  });

  test.for([
    [
      "a limit of posts that is reached delays all of the profile's",
      limit(250, 0),
      { limit: "account", retryAfterSeconds: 1800 },
    ],
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
