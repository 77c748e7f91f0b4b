import { test } from "vitest";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import { accountContext, content, NOW, type Scripted, scriptedSend, video } from "../../scripted-send.ts";
import { MINUTE } from "../../support/times.ts";

/** Publishing a video: `finish`, the outcome of a lost one, drafts; and deleting. */
const { posts } = facebook;
const FIRST = { index: 0, previous: [] };
const LOOK = { ...FIRST, since: NOW - 10_000, taken: new Set<string>() };

const REEL = content("reel", ["look", video("r.mp4")]);
const STORY = content("story", ["", video("s.mp4")]);
const FILM = content("post", ["film", video("f.mp4", 10)]);
const BY_ADDRESS = { photos: [], video: { id: "880", uploadUrl: "", sentAt: NOW - 5000, uploads: 1 } };
const IN_CHUNKS = { photos: [], video: { id: "880", session: "S1", start: 10, end: 10, chunks: 3, restarts: 0 } };
const EVERY = [
  ["reel", REEL, BY_ADDRESS],
  ["feed video", FILM, IN_CHUNKS],
] as const;

const refusal = (code: number, error_subcode?: number, status = 400): Scripted => ({
  status,
  body: { error: { message: "(#1) words", type: "OAuthException", code, error_subcode } },
});
const GONE = refusal(100, 33);
const empty = { body: { data: [] } };

/** A video as Facebook shows it. */
const shown = (video_status: string, phases: Readonly<Record<string, object>> = {}, rest: object = {}): Scripted => ({
  body: {
    id: "880",
    status: {
      video_status,
      uploading_phase: { status: "complete" },
      ...Object.fromEntries(Object.entries(phases).map(([name, phase]) => [`${name}_phase`, phase])),
    },
    permalink_url: "/reel/880/",
    ...rest,
  },
});
const LIVE = shown("ready", { publishing: { status: "complete", publish_status: "published" } }, { post_id: "55" });
const BROKEN = shown("error", { processing: { status: "error", errors: [{ code: 1363040, message: "Bad ratio" }] } });
const live = { id: "104_55", secondaryId: "880", permalink: "https://www.facebook.com/reel/880/" };
const NOT_BEGUN = { status: "not_started" };

/**
 * What Facebook has shown of videos that were finished and went live later, or never were finished: it does
 * not say which.
 */
const AMBIGUOUS: readonly (readonly [string, Scripted])[] = [
  ["processing that was not begun", shown("processing", { processing: NOT_BEGUN, publishing: NOT_BEGUN })],
  ["processing", shown("processing", { processing: { status: "in_progress" }, publishing: NOT_BEGUN })],
  ["upload_complete", shown("upload_complete", {}, { published: false })],
  ["ready, not published", shown("ready", { publishing: NOT_BEGUN }, { published: false })],
  ["ready, of which nothing more is said", shown("ready")],
  ["uploading", shown("uploading", { publishing: NOT_BEGUN })],
  ["being published", shown("ready", { publishing: { status: "in_progress" } })],
  ["no status", { body: { id: "880" } }],
];

test.for(AMBIGUOUS)("a lost finish of a video that is %s is unknown, never absent", async ([, state], { expect }) => {
  for (const [, shape, progress] of EVERY) {
    const { send } = scriptedSend(state);
    expect(await posts.find(accountContext(send), shape, progress, LOOK)).toMatchObject({ kind: "unknown" });
  }
  const { send } = scriptedSend(empty, state);
  expect(await posts.find(accountContext(send), STORY, BY_ADDRESS, LOOK)).toMatchObject({ kind: "unknown" });
});

test.for(EVERY)(
  "a %s whose finish was lost is found live or broken, absent only when gone",
  async ([, shape, progress], { expect }) => {
    const { send } = scriptedSend(LIVE, BROKEN, GONE, "lost", refusal(190, 463));
    const context = accountContext(send);
    expect(await posts.find(context, shape, progress, LOOK)).toEqual({ kind: "found", post: live });
    expect(await posts.find(context, shape, progress, LOOK)).toMatchObject({ kind: "found", post: { id: "880" } });
    expect(await posts.find(context, shape, progress, LOOK)).toEqual({ kind: "absent" });
    expect(await posts.find(context, shape, progress, LOOK)).toMatchObject({ kind: "failed", reason: "down" });
    expect(await posts.find(context, shape, progress, LOOK)).toMatchObject({ kind: "failed", reason: "token_expired" });
  },
);

test("a video story is found by the list; else its video reports whether there is something to wait for", async ({
  expect,
}) => {
  const row = { post_id: "9902", media_id: "880", url: "https://facebook.com/stories/104/9902" };
  const listed = { body: { data: [row] } };
  const endless = { body: { data: [], paging: { next: "https://graph.facebook.com/x" } } };
  const { send } = scriptedSend(listed, empty, LIVE, empty, GONE, empty, BROKEN, endless, GONE, listed, LIVE);
  const context = accountContext(send);
  const find = (taken: readonly string[] = []) =>
    posts.find(context, STORY, BY_ADDRESS, { ...LOOK, taken: new Set(taken) });
  expect(await find()).toEqual({ kind: "found", post: { id: "9902", secondaryId: "880", permalink: row.url } });
  expect(await find()).toMatchObject({ kind: "unknown" });
  expect(await find()).toEqual({ kind: "absent" });
  expect(await find()).toMatchObject({ kind: "found", post: { id: "880" } });
  expect(await find()).toMatchObject({ kind: "unknown" });
  expect(await find(["9902"])).toMatchObject({ kind: "unknown" });
});

test.for(EVERY)(
  "a refused finish of a %s is believed only when the video is gone",
  async ([, shape, progress], { expect }) => {
    const { send, calls } = scriptedSend(
      refusal(803),
      LIVE,
      refusal(803),
      GONE,
      refusal(100),
      shown("upload_complete", {}, { published: false }),
      refusal(100),
      "lost" as const,
    );
    const context = accountContext(send);
    const finish = () => posts.commit(context, shape, progress, FIRST);
    expect(await finish()).toMatchObject({ kind: "accepted", post: { id: "880" } });
    expect(await finish()).toMatchObject({ kind: "failed", reason: "rejected" });
    expect(await finish()).toMatchObject({ kind: "unknown", message: expect.stringContaining("words") });
    expect(await finish()).toMatchObject({ kind: "unknown" });
    expect(calls).toHaveLength(8);
  },
);

test("a refused finish of a story that is live is looked up in the list, which knows the story's id", async ({
  expect,
}) => {
  const { send } = scriptedSend(refusal(803), LIVE);
  expect(await posts.commit(accountContext(send), STORY, BY_ADDRESS, FIRST)).toMatchObject({ kind: "unknown" });
});

test.for([
  ["an invalid format", refusal(100, 1349125), "rejected"],
  ["a policy", refusal(368, 1346003), "rejected"],
  ["the Community Standards", refusal(1404102), "rejected"],
  ["a limit", refusal(613), "throttled"],
  ["a permission", refusal(200), "permission_missing"],
  ["a session", refusal(190, 463), "token_expired"],
] as const)("a finish that is refused for %s was not carried out", async ([, answer, reason], { expect }) => {
  const { send, calls } = scriptedSend(answer);
  const outcome = posts.commit(accountContext(send), REEL, BY_ADDRESS, FIRST);
  expect(await outcome).toMatchObject({ kind: "failed", reason });
  expect(calls).toHaveLength(1);
});

test("a finish that reports the post's id, without the Page's part, is known by the whole of it", async ({
  expect,
}) => {
  const answer = { body: { success: true, post_id: "55" } };
  const { send } = scriptedSend(answer, answer);
  const context = accountContext(send);
  expect(await posts.commit(context, REEL, BY_ADDRESS, FIRST)).toMatchObject({ post: { id: "104_55" } });
  expect(await posts.commit(context, STORY, BY_ADDRESS, FIRST)).toMatchObject({ post: { id: "55" } });
});

const confirm = (answers: readonly (Scripted | "lost")[], shape = FILM, progress: object = IN_CHUNKS, age = MINUTE) => {
  const { send } = scriptedSend(...answers);
  const accepted = { index: 0, post: { id: "880", secondaryId: "880", permalink: null }, since: NOW - age };
  return posts.confirm(accountContext(send), shape, { ...IN_CHUNKS, ...progress }, accepted);
};

test.for([
  ["lost", "down"],
  [{ status: 500 }, "down"],
  [{ status: 403 }, "down"],
  [refusal(100), "rejected"],
  [refusal(200), "permission_missing"],
  [refusal(32), "throttled"],
] as const)(
  "a read that fails while confirming says nothing of the video: %j",
  async ([answer, reason], { expect }) => {
    expect(await confirm([answer])).toMatchObject({ kind: "failed", reason });
  },
);

test("only a broken state of the video is its end", async ({ expect }) => {
  expect(await confirm([BROKEN])).toMatchObject({
    kind: "broken",
    code: "media_invalid",
    message: expect.stringContaining("9:16"),
  });
  expect(await confirm([GONE])).toMatchObject({ kind: "processing" });
  expect(await confirm([LIVE])).toEqual({ kind: "live", post: live });
  // After an acknowledged `finish` that is enough.
  expect(await confirm([shown("ready")])).toMatchObject({ kind: "live" });
});

test("a story is known by its own id and address, which only the list may tell", async ({ expect }) => {
  const row = { post_id: "9902", media_id: "880", url: "https://facebook.com/stories/104/9902" };
  const story = { id: "9902", secondaryId: "880", permalink: row.url };
  expect(await confirm([LIVE, { body: { data: [row] } }], STORY, BY_ADDRESS)).toEqual({ kind: "live", post: story });
  expect(await confirm([LIVE, empty], STORY, BY_ADDRESS)).toMatchObject({ kind: "live", post: { id: "880" } });
});

const HELD = shown("ready", { publishing: NOT_BEGUN }, { published: false });
const DRAFT = shown("ready", { publishing: { status: "complete", publish_status: "draft" } }, { published: false });

test("a feed video that became a draft is found out, and said", async ({ expect }) => {
  const sentence = {
    kind: "broken",
    code: "platform_rejected",
    message: expect.stringMatching(/kept the video as a draft.*as a reel/),
  };
  expect(await confirm([DRAFT])).toMatchObject(sentence);
  expect(await confirm([HELD], FILM, IN_CHUNKS, 9 * MINUTE)).toMatchObject({ kind: "processing" });
  expect(await confirm([HELD], FILM, IN_CHUNKS, 10 * MINUTE)).toMatchObject(sentence);
  expect(await confirm([shown("ready", {}, { published: false })], FILM, IN_CHUNKS, 10 * MINUTE)).toMatchObject(
    sentence,
  );
});

test.for([
  ["is being published", shown("ready", { publishing: { status: "in_progress" } }, { published: false })],
  ["is still processed", shown("processing", { processing: { status: "in_progress" }, publishing: NOT_BEGUN })],
  ["was uploaded", shown("upload_complete", { publishing: NOT_BEGUN }, { published: false })],
] as const)("a video that %s is no draft, however late", async ([, state], { expect }) => {
  expect(await confirm([state], FILM, IN_CHUNKS, 60 * MINUTE)).toMatchObject({ kind: "processing" });
});

test("a reel may be called a draft until its publishing begins", async ({ expect }) => {
  expect(await confirm([DRAFT], REEL, BY_ADDRESS)).toMatchObject({ kind: "processing" });
  expect(await confirm([HELD], REEL, BY_ADDRESS, 60 * MINUTE)).toMatchObject({ kind: "processing" });
  expect(await confirm([DRAFT], REEL, BY_ADDRESS, 10 * MINUTE)).toMatchObject({ kind: "broken" });
});

test("removing what is gone is removed, once a read agrees", async ({ expect }) => {
  const { send } = scriptedSend(GONE, GONE, GONE, { body: { id: "104_1" } });
  const context = accountContext(send);
  const post = { id: "104_1", secondaryId: null, permalink: null };
  expect(await posts.remove?.(context, "post", post)).toEqual({ kind: "removed" });
  expect(await posts.remove?.(context, "post", post)).toMatchObject({ kind: "failed", reason: "rejected" });
});

test.for([
  ["post", "104_1", null, "104_1"],
  ["post", "104_7", "770", "770"],
  ["post", "770", "770", "770"],
  ["reel", "104_55", "880", "880"],
  ["story", "9902", null, "9902"],
  ["story", "9902", "880", "9902"],
] as const)("a %s known as %s and %s is deleted by %s", async ([type, id, secondaryId, deleted], { expect }) => {
  const { send, calls } = scriptedSend({ body: { success: true } });
  // Addresses say nothing of ids.
  const post = { id, secondaryId, permalink: "https://www.facebook.com/fern/videos/a-film/999/" };
  expect(await posts.remove?.(accountContext(send), type, post)).toEqual({ kind: "removed" });
  expect(calls[0]).toMatchObject({ method: "DELETE", url: `https://graph.facebook.com/v27.0/${deleted}` });
});

test("a reel whose video is gone is deleted by its post", async ({ expect }) => {
  const { send, calls } = scriptedSend(GONE, { body: { success: true } });
  expect(await posts.remove?.(accountContext(send), "reel", live)).toEqual({ kind: "removed" });
  expect(calls.map(({ url }) => url.split("/").at(-1))).toEqual(["880", "104_55"]);
});
