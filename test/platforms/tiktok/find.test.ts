import { describe, test } from "vitest";
import type { AccountContext, Json } from "../../../src/platforms/context.ts";
import type { Content } from "../../../src/platforms/publishing.ts";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import { accountContext, content, image, NOW, type Scripted, scriptedSend, video } from "../../scripted-send.ts";
import { ok } from "./upload-script.ts";

/** What is made of a post whose answer was lost, and of a task whose state is read. */

const { posts } = tiktok;
const TASK = "v_pub_file~v2-1.7430000000000000009";
const PHOTOS = "p_pub_url~v2.7430000000000000010";
const ID = "7430000000000000123";
const SETTINGS = { askedAt: NOW, privacy: "PUBLIC_TO_EVERYONE", noComments: false, noDuets: false, noStitches: false };
const progress = (publishId = TASK) => ({
  settings: SETTINGS,
  publishId,
  address: "https://open-upload.tiktokapis.com/video/",
  openedAt: NOW,
  offset: 0,
  parts: 0,
  restarts: 0,
  form: "one",
  isFallback: false,
  breaks: 0,
  stopped: null,
});

const refused = (code: string, status: number): Scripted => ({
  status,
  body: { data: {}, error: { code, message: "Because.", log_id: "L1" } },
});

function contextOf(send: AccountContext["send"], scopes: readonly string[] = ["video.publish", "video.list"]) {
  const context = accountContext(send, { username: "acme" });
  return { ...context, credentials: { ...context.credentials, scopes } };
}

const VIDEO = content("reel", ["A caption", video("a.mp4", 1_000)]);
const PICTURE = content("post", ["A caption", image("a.jpg")]);

async function find(
  what: Content,
  answers: readonly (Scripted | "lost")[],
  { taken = [] as readonly string[], stored = progress() as Json, scopes = ["video.list"] as readonly string[] } = {},
) {
  const { send, calls } = scriptedSend(...answers);
  const request = { index: 0, previous: [], since: NOW, taken: new Set(taken) };
  return { outcome: await posts.find(contextOf(send, scopes), what, stored, request), calls };
}

describe("a video", () => {
  test.for([
    ["does not say how much it has", { status: "PROCESSING_UPLOAD" }, "unknown"],
    ["is in a state that nobody documents", { status: "REVIEWING" }, "found"],
    ["is complete", { status: "PUBLISH_COMPLETE", publicaly_available_post_id: [] }, "found"],
    ["has failed", { status: "FAILED", fail_reason: "internal" }, "found"],
  ] as const)("whose task %s is %s", async ([, data, kind], { expect }) => {
    const { outcome, calls } = await find(VIDEO, [ok(data)]);
    expect(outcome.kind).toBe(kind);
    if (outcome.kind === "found") expect(outcome.post).toEqual({ id: TASK, secondaryId: null, permalink: null });
    expect(new TextDecoder().decode(calls[0]?.bytes)).toBe(JSON.stringify({ publish_id: TASK }));
  });

  test.for([
    ["TikTok does not know the task", refused("invalid_publish_id", 400), { kind: "unknown" }],
    ["the question was too much", refused("rate_limit_exceeded", 429), { kind: "failed", reason: "throttled" }],
    ["the token is over", refused("access_token_invalid", 401), { kind: "failed", reason: "token_expired" }],
    ["the answer is lost", "lost", { kind: "failed", reason: "down" }],
  ] as const)("is not sent again when %s", async ([, answer, outcome], { expect }) => {
    expect((await find(VIDEO, [answer])).outcome).toMatchObject(outcome);
  });

  test("without a task it can never be read: the outcome says so without a call", async ({ expect }) => {
    expect((await find(VIDEO, [], { stored: {} })).outcome.kind).toBe("unreadable");
  });
});

describe("pictures", () => {
  test.for(["SELF_ONLY", "FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS"])(
    "that only %s sees are in no list: the outcome says so without a call",
    async (privacy, { expect }) => {
      const stored = { ...progress(""), settings: { ...SETTINGS, privacy } };
      expect((await find(PICTURE, [], { stored })).outcome.kind).toBe("unreadable");
    },
  );

  const item = (id: string, text: string, more: object = {}) => ({
    id,
    title: "",
    video_description: text,
    create_time: NOW / 1000,
    ...more,
  });
  const list = (...videos: readonly object[]) => ok({ videos, cursor: NOW, has_more: false });
  const complete = (...ids: readonly string[]) => ok({ status: "PUBLISH_COMPLETE", publicaly_available_post_id: ids });

  test("the one new post with their caption is theirs", async ({ expect }) => {
    const { outcome, calls } = await find(PICTURE, [list(item("1", "Another"), item(ID, "A  caption\n"))]);
    const permalink = `https://www.tiktok.com/@acme/photo/${ID}`;
    expect(outcome).toEqual({ kind: "found", post: { id: ID, secondaryId: null, permalink } });
    expect(calls[0]).toMatchObject({
      method: "POST",
      url: "https://open.tiktokapis.com/v2/video/list/",
      query: { fields: "id,title,video_description,create_time" },
    });
  });

  test("of a long caption the beginning decides", async ({ expect }) => {
    const long = `${"A long caption ".repeat(20)}${crypto.randomUUID()}`;
    const what = content("post", [long, image("a.jpg")]);
    expect((await find(what, [list(item(ID, long.slice(0, 150)))])).outcome.kind).toBe("found");
    expect((await find(what, [list(item(ID, long.slice(0, 60)))])).outcome.kind).toBe("unknown");
  });

  test.for([
    ["nothing is listed", list()],
    ["another text", list(item("1", "A caption, nearly"))],
    ["an older post", list(item("1", "A caption", { create_time: NOW / 1000 - 61 }))],
    ["two that say the same", list(item("1", "A caption"), item("2", "A caption"))],
  ] as const)("%s proves nothing: they are never sent again", async ([, answer], { expect }) => {
    expect((await find(PICTURE, [answer])).outcome.kind).toBe("unknown");
  });

  test("another post of this service is left out, by its own id or by its task's", async ({ expect }) => {
    const two = list(item(ID, "A caption"), item("1", "A caption"));
    expect((await find(PICTURE, [two], { taken: ["1"] })).outcome).toMatchObject({ kind: "found", post: { id: ID } });
    const byTask = await find(PICTURE, [two, complete("1")], { taken: [PHOTOS] });
    expect(byTask.outcome).toMatchObject({ kind: "found", post: { id: ID } });
    const only = await find(PICTURE, [list(item("1", "A caption")), complete("1")], { taken: [PHOTOS] });
    expect(only.outcome.kind).toBe("unknown");
    const failed = await find(PICTURE, [list(item(ID, "A caption")), ok({ status: "FAILED" })], { taken: [PHOTOS] });
    expect(failed.outcome.kind).toBe("found");
  });

  test.for([
    ["has no id yet", complete()],
    ["is not known any more", refused("invalid_publish_id", 400)],
  ] as const)("while a task of this service %s, the post may be that one", async ([, answer], { expect }) => {
    const { outcome } = await find(PICTURE, [list(item(ID, "A caption")), answer], { taken: [PHOTOS] });
    expect(outcome.kind).toBe("unknown");
  });

  test("the task of a video is not read: it is no picture's", async ({ expect }) => {
    const { outcome, calls } = await find(PICTURE, [list(item(ID, "A caption"))], { taken: [TASK] });
    expect([outcome.kind, calls.length]).toEqual(["found", 1]);
  });

  test("the list is read as far back as the attempt", async ({ expect }) => {
    const first = ok({ videos: [item("1", "Another")], cursor: 1_763_600_000_000, has_more: true });
    const second = ok({ videos: [item(ID, "A caption"), item("2", "Old", { create_time: 1 })], has_more: true });
    const { outcome, calls } = await find(PICTURE, [first, second]);
    expect(outcome).toMatchObject({ kind: "found", post: { id: ID } });
    expect(JSON.parse(new TextDecoder().decode(calls[1]?.bytes))).toEqual({ max_count: 20, cursor: 1_763_600_000_000 });
  });

  test("without the permission to read it stays unknown", async ({ expect }) => {
    expect((await find(PICTURE, [], { scopes: ["video.publish"] })).outcome.kind).toBe("unreadable");
    expect((await find(PICTURE, [refused("scope_not_authorized", 401)])).outcome.kind).toBe("unknown");
  });
});

describe("a task whose status is read", () => {
  const confirm = (answer: Scripted, id = TASK, waitedMs = 0) => {
    const { send } = scriptedSend(answer);
    const post = { id, secondaryId: null, permalink: null };
    return posts.confirm(contextOf(send), VIDEO, progress(), { index: 0, post, since: NOW - waitedMs });
  };

  test.for([0, 60_000, 3_600_000, 86_400_000])(
    "is polled again, less often over time (%i ms)",
    async (waited, { expect }) => {
      const outcome = await confirm(ok({ status: "PROCESSING_UPLOAD", uploaded_bytes: 5 }), TASK, waited);
      const seconds = Math.min(300, Math.max(5, Math.round((7.5 * waited) / 60_000)));
      expect(outcome).toEqual({ kind: "processing", afterSeconds: seconds });
    },
  );

  test.for([
    ["a list", [ID]],
    ["a list of two", [ID, "7430000000000000124"]],
    ["the id alone", ID],
    ["a small number", 42],
  ] as const)("reports the post's own id as %s", async ([, ids], { expect }) => {
    const own = ids === 42 ? "42" : ID;
    const permalink = `https://www.tiktok.com/@acme/video/${own}`;
    const live = { kind: "live", post: { id: own, secondaryId: TASK, permalink } };
    expect(await confirm(ok({ status: "PUBLISH_COMPLETE", publicaly_available_post_id: ids }))).toEqual(live);
    expect(await confirm(ok({ status: "PUBLISH_COMPLETE", publicly_available_post_id: ids }))).toEqual(live);
  });

  test("is live without an id, and under its task until that is reported", async ({ expect }) => {
    for (const more of [{}, { publicaly_available_post_id: [] }, { publicaly_available_post_id: "" }]) {
      const outcome = await confirm(ok({ status: "PUBLISH_COMPLETE", ...more }), PHOTOS);
      expect(outcome).toEqual({ kind: "live", post: { id: PHOTOS, secondaryId: null, permalink: null } });
    }
  });

  const found = (answer: Scripted) => {
    const { send } = scriptedSend(answer);
    if (posts.permalink.shown !== "later") throw new Error("TikTok reports addresses later.");
    return posts.permalink.read(contextOf(send), { id: PHOTOS, secondaryId: null, permalink: null });
  };

  test("reports the address of a photo post later, or not yet", async ({ expect }) => {
    expect(await found(ok({ status: "PUBLISH_COMPLETE", publicaly_available_post_id: [ID] }))).toEqual({
      kind: "found",
      post: { id: ID, secondaryId: PHOTOS, permalink: `https://www.tiktok.com/@acme/photo/${ID}` },
    });
    expect(await found(ok({ status: "PUBLISH_COMPLETE" }))).toEqual({ kind: "not_yet" });
    expect(await found(refused("internal_error", 500))).toMatchObject({ kind: "failed", reason: "down" });
  });

  test("that failed for a reason which no table has names it", async ({ expect }) => {
    const outcome = await confirm(ok({ status: "FAILED", fail_reason: "app_version_check_failed" }));
    expect(outcome).toMatchObject({
      kind: "broken",
      code: "platform_rejected",
      message: expect.stringContaining("app_version_check_failed"),
    });
  });

  test("that became a draft is the person's to finish", async ({ expect }) => {
    const outcome = await confirm(ok({ status: "SEND_TO_USER_INBOX" }));
    expect(outcome).toMatchObject({ kind: "broken", message: expect.stringContaining("inbox") });
  });

  test("what was found in the list is live, and no status is read", async ({ expect }) => {
    const { send, calls } = scriptedSend();
    const post = { id: ID, secondaryId: null, permalink: `https://www.tiktok.com/@acme/photo/${ID}` };
    const outcome = await posts.confirm(contextOf(send), PICTURE, progress(), { index: 0, post, since: NOW });
    expect(outcome).toEqual({ kind: "live", post });
    expect(calls).toEqual([]);
  });
});
