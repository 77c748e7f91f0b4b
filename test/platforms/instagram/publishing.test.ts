import { describe, test } from "vitest";
import type { AccountContext, Json } from "../../../src/platforms/context.ts";
import { instagram } from "../../../src/platforms/instagram/index.ts";
import type { Content } from "../../../src/platforms/publishing.ts";
import type { CallRequest } from "../../../src/platforms/request.ts";
import {
  accountContext,
  content,
  image,
  NO_PROGRESS,
  NOW,
  type Scripted,
  scriptedSend,
  video,
} from "../../scripted-send.ts";
import { HOUR, MINUTE } from "../../support/times.ts";
import { refused } from "../meta/graph-answers.ts";

/** How a post becomes containers, how these are awaited, and what publishing one of them says. */

const { posts } = instagram;
const IG = { id: "17841", username: "acme", attributes: { login: "facebook" } };
const FIRST = { index: 0, previous: [] };

const id = (value: string): Scripted => ({ body: { id: value } });
const status = (status_code: string | null, text = ""): Scripted => ({ body: { id: "c", status_code, status: text } });
const room = (used = 0, total = 100): Scripted => ({
  body: { data: [{ quota_usage: used, config: { quota_total: total, quota_duration: 86_400 } }] },
});

const at = (context: AccountContext, now: number): AccountContext => ({ ...context, now });

/** Calls `prepare` until it waits, is ready or fails. */
async function prepare(post: Content, start: Json | null, now: number, ...answers: readonly (Scripted | "lost")[]) {
  const { send, calls } = scriptedSend(...answers);
  const context = at(accountContext(send, IG), now);
  let progress = start;
  for (;;) {
    const outcome = await posts.prepare(context, post, progress);
    if (outcome.kind === "failed") return { outcome, calls, progress };
    progress = outcome.progress;
    if (outcome.kind === "ready" || outcome.afterSeconds !== undefined) return { outcome, calls, progress };
  }
}
const forms = (calls: readonly CallRequest[]) =>
  calls.filter(({ method }) => method === "POST").map(({ form }) => withoutProof(form ?? {}));
function withoutProof({ appsecret_proof: _, ...form }: Readonly<Record<string, string>>) {
  return form;
}

const ready = (containerId: string, more: object = {}): Json => ({
  containers: [{ id: containerId, madeAt: NOW, isFinished: true }],
  unreachable: 0,
  remakes: 0,
  returns: 0,
  former: [],
  ...more,
});

describe("what is made of a post", () => {
  const described = { ...image("a.jpg"), altText: "A square" };

  test("an image, with its caption and alt text", async ({ expect }) => {
    const { outcome, calls } = await prepare(
      content("post", ["Hello", described]),
      NO_PROGRESS,
      NOW,
      room(),
      id("1"),
      status("FINISHED"),
    );
    expect(outcome.kind).toBe("ready");
    expect(forms(calls)).toEqual([
      { image_url: "https://files.example.com/a.jpg", caption: "Hello", alt_text: "A square" },
    ]);
    expect(calls[0]?.url).toBe("https://graph.facebook.com/v27.0/17841/content_publishing_limit");
    expect(calls[1]).toMatchObject({
      url: "https://graph.facebook.com/v27.0/17841/media",
      headers: { authorization: "Bearer TOKEN" },
    });
  });

  test.for(["post", "reel"] as const)("a single video is a reel, also as a %s", async (type, { expect }) => {
    const { calls } = await prepare(content(type, ["Hello", video("a.mp4")]), NO_PROGRESS, NOW, room(), id("1"));
    expect(forms(calls)).toEqual([
      {
        media_type: "REELS",
        video_url: "https://files.example.com/a.mp4",
        share_to_feed: "true",
        caption: "Hello",
      },
    ]);
  });

  test("a story has no caption", async ({ expect }) => {
    const one = await prepare(
      content("story", ["Unseen", described]),
      NO_PROGRESS,
      NOW,
      room(),
      id("1"),
      status("FINISHED"),
    );
    expect(forms(one.calls)).toEqual([{ media_type: "STORIES", image_url: "https://files.example.com/a.jpg" }]);
    const other = await prepare(content("story", ["Unseen", video("a.mp4")]), NO_PROGRESS, NOW, room(), id("1"));
    expect(forms(other.calls)).toEqual([{ media_type: "STORIES", video_url: "https://files.example.com/a.mp4" }]);
  });

  test("of a carousel the children first, each finished, then the whole, with the caption", async ({ expect }) => {
    const post = content("post", ["Both", described, video("b.mp4")]);
    const begun = await prepare(post, NO_PROGRESS, NOW, room(), id("1"), id("2"));
    expect(begun.outcome).toMatchObject({ kind: "more", afterSeconds: 3 });
    const waiting = await prepare(post, begun.progress, NOW, status("FINISHED"), status("IN_PROGRESS"));
    expect(waiting.outcome).toMatchObject({ kind: "more", afterSeconds: expect.any(Number) });
    const made = await prepare(post, waiting.progress, NOW, status("FINISHED"), id("3"));
    expect([...forms(begun.calls), ...forms(waiting.calls), ...forms(made.calls)]).toEqual([
      { image_url: "https://files.example.com/a.jpg", alt_text: "A square", is_carousel_item: "true" },
      { media_type: "VIDEO", video_url: "https://files.example.com/b.mp4", is_carousel_item: "true" },
      { media_type: "CAROUSEL", children: "1,2", caption: "Both" },
    ]);
    expect((await prepare(post, made.progress, NOW, status("FINISHED"))).outcome.kind).toBe("ready");
  });

  test("addresses are sent as ASCII", async ({ expect }) => {
    const file = { ...image("x"), publicUrl: "https://files.example.com/größe 1.jpg" };
    const { calls } = await prepare(
      content("post", ["x", file]),
      NO_PROGRESS,
      NOW,
      room(),
      id("1"),
      status("FINISHED"),
    );
    expect(forms(calls)).toMatchObject([{ image_url: "https://files.example.com/gr%C3%B6%C3%9Fe%201.jpg" }]);
  });

  test("an account of Instagram Login is called on its own host, without a proof", async ({ expect }) => {
    const { send, calls } = scriptedSend(room(), id("1"));
    const context = accountContext(send, { ...IG, attributes: { login: "instagram" } });
    await posts.prepare(context, content("post", ["x", image("a.jpg")]), null);
    expect(calls.map(({ url }) => new URL(url).host)).toEqual(["graph.instagram.com", "graph.instagram.com"]);
    expect(calls[1]?.form).not.toHaveProperty("appsecret_proof");
  });
});

describe("waiting for a container", () => {
  const post = content("reel", ["x", video("a.mp4")]);
  const made = (ageMs: number): Json =>
    ready("1", { containers: [{ id: "1", madeAt: NOW - ageMs, isFinished: false }] });

  test("longer the longer it takes, half a minute at most", async ({ expect }) => {
    const waits = await Promise.all(
      [0, MINUTE, 10 * MINUTE].map(async (age) => (await prepare(post, made(age), NOW, status("IN_PROGRESS"))).outcome),
    );
    expect(waits).toMatchObject([{ afterSeconds: 3 }, { afterSeconds: 10 }, { afterSeconds: 30 }]);
  });

  test.for([
    ["by its code", status("ERROR", "Error: Media upload has failed with error code 2207026")],
    ["by its sentence alone", status(null, "Error: Media upload has failed with error code 2207026")],
    ["by a number", status(null, "2207026")],
    ["by a number beside the code", status("ERROR", "2207026")],
  ] as const)("a file that Instagram does not take is reported %s", async ([, answer], { expect }) => {
    expect((await prepare(post, made(0), NOW, answer)).outcome).toMatchObject({
      kind: "failed",
      reason: "rejected",
      code: "media_invalid",
      message: expect.stringContaining("2207026"),
    });
  });

  test.for([
    ["that expired", status("EXPIRED")],
    ["that failed without saying why", status("ERROR")],
    ["that Instagram could not fetch", status("ERROR", "Error: … 2207077")],
    ["that failed fatally", status("ERROR", "Error: … 2207085")],
  ] as const)("one %s is created again, a few times", async ([, answer], { expect }) => {
    const first = await prepare(post, made(0), NOW, answer);
    expect(first.outcome).toMatchObject({ kind: "more", afterSeconds: 5, progress: { containers: [], remakes: 1 } });
    const last = await prepare(
      post,
      ready("1", { containers: [{ id: "1", madeAt: NOW, isFinished: false }], remakes: 3 }),
      NOW,
      answer,
    );
    expect(last.outcome).toMatchObject({ kind: "failed", reason: "rejected", code: "media_invalid" });
  });

  test("one that is called published is not published again", async ({ expect }) => {
    const { outcome, progress } = await prepare(post, made(0), NOW, status("PUBLISHED"));
    expect(outcome).toMatchObject({ kind: "ready", progress: { containers: [{ id: "1", isPublished: true }] } });
    const { send } = scriptedSend();
    const committed = await posts.commit(accountContext(send, IG), post, progress ?? null, FIRST);
    expect(committed).toMatchObject({ kind: "unknown" });
  });

  test.for([
    ["still being processed", status("IN_PROGRESS")],
    ["in a state that nobody knows", status("SOMETHING_NEW")],
  ] as const)("one that is %s is waited for, and not for ever", async ([, answer], { expect }) => {
    expect((await prepare(post, made(20 * MINUTE), NOW, answer)).outcome).toMatchObject({ afterSeconds: 30 });
    expect((await prepare(post, made(31 * MINUTE), NOW, answer)).outcome).toMatchObject({
      progress: { containers: [], remakes: 1 },
    });
  });

  test.for([
    [100, 33],
    [10, undefined],
  ] as const)(
    "one that cannot be read (%i) is not gone: it is tried after a while",
    async ([code, subcode], { expect }) => {
      const unreadable = refused(code, subcode);
      expect((await prepare(post, made(MINUTE), NOW, unreadable)).outcome).toMatchObject({ kind: "more" });
      expect((await prepare(post, made(4 * MINUTE), NOW, unreadable)).outcome.kind).toBe("ready");
    },
  );

  test("a check that fails is a temporary error", async ({ expect }) => {
    expect((await prepare(post, made(0), NOW, "lost")).outcome).toMatchObject({ reason: "down" });
  });
});

describe("making a container", () => {
  const post = content("post", ["x", image("a.jpg")]);

  test("a file that cannot be fetched is tried three times, five seconds apart", async ({ expect }) => {
    const gone = refused(9004, 2207052);
    const one = await prepare(post, NO_PROGRESS, NOW, room(), gone);
    expect(one.outcome).toMatchObject({ kind: "more", afterSeconds: 5, progress: { unreachable: 1 } });
    const two = await prepare(post, one.progress, NOW, gone);
    const three = await prepare(post, two.progress, NOW, gone);
    expect(three.outcome).toMatchObject({ kind: "failed", reason: "rejected", code: "media_unreachable" });
    const better = await prepare(post, two.progress, NOW, id("1"), status("FINISHED"));
    expect(better.outcome).toMatchObject({ kind: "ready", progress: { unreachable: 0 } });
  });

  test("an unclear answer is a temporary error: a container is not public", async ({ expect }) => {
    for (const answer of [
      "lost",
      refused(-1, 2207001),
      refused(-1, 2207032),
      { status: 502, body: "<html>" },
    ] as const) {
      expect((await prepare(post, NO_PROGRESS, NOW, room(), answer)).outcome).toMatchObject({ reason: "down" });
    }
  });
});

describe("the quota", () => {
  const post = content("post", ["x", image("a.jpg")]);
  /** Answers as if these were the times of the account's posts. */
  function account(times: readonly number[], total: number, more: { readonly ignoresSince?: boolean } = {}) {
    let calls = 0;
    const send: AccountContext["send"] = async ({ query }) => {
      calls += 1;
      const since = more.ignoresSince || query?.since === undefined ? NOW - 24 * HOUR : Number(query.since) * 1000;
      const body = {
        data: [
          {
            quota_usage: times.filter((time) => time > since).length,
            config: { quota_total: total, quota_duration: 86_400 },
          },
        ],
      };
      return { kind: "answered", status: 200, headers: new Headers(), text: JSON.stringify(body), body };
    };
    return { send, calls: () => calls };
  }

  test.for([
    ["one of one", [NOW - 20 * HOUR], 1, 4 * HOUR],
    ["the oldest of many", [NOW - 23 * HOUR, NOW - HOUR, NOW - HOUR], 3, HOUR],
    ["more than the total", [NOW - 23 * HOUR, NOW - 22 * HOUR, NOW - HOUR], 1, 23 * HOUR],
  ] as const)(
    "of which %s is reached comes back when that leaves the day",
    async ([, times, total, wait], { expect }) => {
      const { send, calls } = account(times, total);
      const outcome = await posts.prepare(accountContext(send, IG), post, null);
      expect(outcome).toMatchObject({ kind: "failed", reason: "throttled", limit: "account" });
      const seconds = outcome.kind === "failed" ? (outcome.retryAfterSeconds ?? 0) : 0;
      expect(seconds).toBeGreaterThanOrEqual(wait / 1000);
      expect(seconds).toBeLessThanOrEqual(wait / 1000 + 10 * 60);
      expect(calls()).toBeLessThanOrEqual(10);
    },
  );

  test("of a service that does not check back is requested again in an hour", async ({ expect }) => {
    const { send } = account([NOW - 20 * HOUR], 1, { ignoresSince: true });
    const outcome = await posts.prepare(accountContext(send, IG), post, null);
    expect(outcome).toMatchObject({ reason: "throttled", retryAfterSeconds: 3600 });
  });

  test.for([
    ["cannot be read", refused(100, 33)],
    ["has no total", { body: { data: [{ quota_usage: 500 }] } }],
  ] as const)("that %s holds nothing back", async ([, answer], { expect }) => {
    const { outcome } = await prepare(post, NO_PROGRESS, NOW, answer, id("1"), status("FINISHED"));
    expect(outcome.kind).toBe("ready");
  });
});

describe("publishing", () => {
  const post = content("post", ["x", image("a.jpg")]);
  const commit = async (progress: Json, ...answers: readonly (Scripted | "lost")[]) => {
    const { send, calls } = scriptedSend(...answers);
    return { outcome: await posts.commit(accountContext(send, IG), post, progress, FIRST), calls };
  };

  test.for([
    ["no answer", "lost"],
    ["a gateway's page", { status: 502, body: "<html>" }],
    ["a gateway's refusal", { status: 403, body: "<html>" }],
    ["a success without an id", { body: { success: true } }],
    ["code 1", refused(1)],
    ["code 2", refused(2)],
    ["code -1", refused(-1)],
    ["a server error", refused(-1, 2207001)],
    ["a download that was too slow", refused(-2, 2207003)],
    ["a fatal error", refused(-1, 2207085)],
    ["the app's limit, after which posts were live", refused(4)],
    ["an action blocked as spam, after which posts were live", refused(4, 2207051)],
  ] as const)("after %s nobody knows whether the post is live", async ([, answer], { expect }) => {
    expect((await commit(ready("1"), answer)).outcome).toMatchObject({ kind: "unknown" });
  });

  const NOT_READY = refused(9007, 2207027);
  const NO_BUILDER = refused(24, 2207008);
  const NOT_FOUND = refused(24, 2207006);
  const UNREADABLE = refused(100, 33);
  test.for([
    ["not ready", NOT_READY, status("IN_PROGRESS")],
    ["not ready, though it says so", NOT_READY, status("FINISHED")],
    ["not ready, and unreadable", NOT_READY, UNREADABLE],
    ["not found, though it is there", NO_BUILDER, status("FINISHED")],
  ] as const)("a container that is %s is awaited, and published itself", async ([, answer, state], { expect }) => {
    const { outcome } = await commit(ready("1"), answer, state);
    expect(outcome).toMatchObject({
      kind: "unprepared",
      afterSeconds: 30,
      progress: { containers: [{ id: "1", isFinished: false }], returns: 1, former: [] },
    });
  });

  test.for([
    ["expired", refused(-2, 2207020), status("EXPIRED"), {}],
    ["broken", NO_BUILDER, status("ERROR"), {}],
    ["not found for the third time", NO_BUILDER, status("FINISHED"), { returns: 2 }],
  ] as const)("one that is %s is created again, and kept in mind", async ([, answer, state, more], { expect }) => {
    const { outcome } = await commit(ready("1", more), answer, state);
    expect(outcome).toMatchObject({ kind: "unprepared", progress: { containers: [], former: ["1"] } });
  });

  test.for([
    ["published already", NO_BUILDER, status("PUBLISHED")],
    ["published already, and not found", NOT_FOUND, status("PUBLISHED")],
    ["unreadable", NO_BUILDER, UNREADABLE],
    ["in a state that nobody knows", NOT_FOUND, status("SOMETHING_NEW")],
    ["out of reach", UNREADABLE, "lost"],
  ] as const)("one that is %s may be live: it is looked for", async ([, answer, state], { expect }) => {
    expect((await commit(ready("1"), answer, state)).outcome).toMatchObject({ kind: "unknown" });
  });

  test("the quota is a wait", async ({ expect }) => {
    const { outcome } = await commit(ready("1"), refused(9, 2207042), room(1, 1), room(1, 1));
    expect(outcome).toMatchObject({ reason: "throttled", retryAfterSeconds: 3600, limit: "account" });
  });

  test("what is stored in another form is created again", async ({ expect }) => {
    expect((await commit({ something: "else" })).outcome).toMatchObject({ kind: "unprepared" });
  });
});
