import { describe, test } from "vitest";
import type { Json } from "../../src/platforms/context.ts";
import type { Content, FindRequest } from "../../src/platforms/publishing.ts";
import { youtube } from "../../src/platforms/youtube/index.ts";
import { accountContext, content, NOW, type Scripted, scriptedSend, video } from "../scripted-send.ts";

/** What became of the end of an upload whose answer was lost. */
const SIZE = 1_000_100;
const SESSION = "https://www.googleapis.com/upload/youtube/v3/videos?uploadType=resumable&upload_id=EX123";
const NAME = "belfry-11111111-2222-4333-8444-555555555555.mp4";
const OTHER_NAME = "belfry-99999999-2222-4333-8444-555555555555.mp4";
const STORED: Json = { session: SESSION, name: NAME, offset: 786_432, parts: 1, restarts: 0 };
const ATTEMPT: FindRequest = { index: 0, previous: [], since: NOW - 60_000, taken: new Set() };

const WHAT: Content = {
  ...content("post", ["Come in.", video("v.mp4", SIZE)]),
  extra: { title: "Opening day", category: 22, privacyStatus: "private" },
};

const look = (answers: readonly (Scripted | "lost")[], attempt = ATTEMPT, what = WHAT, stored: Json = STORED) => {
  const { send, calls } = scriptedSend(...answers);
  const account = { id: "UCx", attributes: { uploads_playlist: "UUlist" } };
  return { calls, outcome: youtube.posts.find(accountContext(send, account), what, stored, attempt) };
};

const GONE: Scripted = { status: 404, body: "Not Found" };
const refusal = (status: number, reason: string): Scripted => ({
  status,
  body: { error: { code: status, message: "…", errors: [{ message: "…", reason }] } },
});
const found = (id: string) => ({
  kind: "found",
  post: { id, secondaryId: null, permalink: `https://www.youtube.com/watch?v=${id}` },
});

describe("the session", () => {
  test("is asked first, without a byte; its video is ours", async ({ expect }) => {
    const { calls, outcome } = look([{ status: 200, body: { id: "aB3" } }]);
    expect(await outcome).toEqual(found("aB3"));
    expect(calls).toMatchObject([
      { method: "PUT", url: SESSION, headers: { "content-range": `bytes */${SIZE}`, authorization: "Bearer TOKEN" } },
    ]);
    expect(calls[0]?.part).toBeUndefined();
  });

  test("of a Short gives the address of a Short", async ({ expect }) => {
    const { outcome } = look([{ status: 201, body: { id: "aB3" } }], ATTEMPT, { ...WHAT, type: "reel" });
    expect(await outcome).toMatchObject({ post: { permalink: "https://www.youtube.com/shorts/aB3" } });
  });

  test.for([
    ["some bytes", { status: 308, headers: { range: "bytes=0-786431" } }],
    ["no byte", { status: 308 }],
  ] as const)("that has %s has made no video", async ([, answer], { expect }) => {
    const { calls, outcome } = look([answer]);
    expect(await outcome).toEqual({ kind: "absent" });
    expect(calls).toHaveLength(1);
  });

  test.for([
    ["all bytes, and no video yet", { status: 308, headers: { range: `bytes=0-${SIZE - 1}` } }],
    ["trouble", refusal(503, "backendError")],
    ["nothing to say", "lost"],
    ["a success without a video", { status: 200, body: {} }],
  ] as const)("with %s leaves it open", async ([, answer], { expect }) => {
    expect(await look([answer]).outcome).toMatchObject({ kind: "unknown" });
  });

  test("outlives its token: that is renewed, and the session is asked again", async ({ expect }) => {
    expect(await look([refusal(401, "authError")]).outcome).toMatchObject({ kind: "failed", reason: "token_expired" });
  });

  test("that nobody remembers leaves it open", async ({ expect }) => {
    const { calls, outcome } = look([], ATTEMPT, WHAT, null);
    expect(await outcome).toMatchObject({ kind: "unreadable" });
    expect(calls).toEqual([]);
  });
});

describe("without its session", () => {
  const item = (id: string, ago = 30_000) => ({
    snippet: { publishedAt: new Date(NOW - ago).toISOString(), title: "x" },
    contentDetails: { videoId: id },
  });
  const page = (items: readonly object[], nextPageToken?: string): Scripted => ({ body: { items, nextPageToken } });
  const shown = (id: string, fileDetails: object, title = "Opening day") => ({ id, snippet: { title }, fileDetails });
  const videos = (...items: readonly object[]): Scripted => ({ body: { items } });
  const size = String(SIZE);

  test("the channel's uploads are listed, and the new ones looked at", async ({ expect }) => {
    const { calls, outcome } = look([
      GONE,
      page([item("new"), item("old", 121_000)]),
      videos(shown("new", { fileName: NAME })),
    ]);
    expect(await outcome).toEqual(found("new"));
    expect(calls[1]).toMatchObject({
      url: "https://www.googleapis.com/youtube/v3/playlistItems",
      query: { playlistId: "UUlist", maxResults: 50 },
    });
    expect(calls[2]?.query).toMatchObject({ id: "new", part: expect.stringContaining("fileDetails") });
  });

  test("a session that repeats a refusal has made no video, unless the channel shows it", async ({ expect }) => {
    const repeated = refusal(403, "forbidden");
    expect(await look([repeated, page([])]).outcome).toEqual({ kind: "absent" });
    const listed = look([repeated, page([item("ours", 1_000)]), videos(shown("ours", { fileName: NAME }))]);
    expect(await listed.outcome).toEqual(found("ours"));
  });

  test("the list bears the channel's id where nobody told it", async ({ expect }) => {
    const { send, calls } = scriptedSend(GONE, page([]));
    await youtube.posts.find(accountContext(send, { id: "UCabc" }), WHAT, STORED, ATTEMPT);
    expect(calls[1]?.query).toMatchObject({ playlistId: "UUabc" });
  });

  test.for([
    ["the name that we gave", { fileName: NAME }, "Changed by its owner"],
    ["size and title", { fileSize: size }, "Opening day"],
    ["size and title, under another name", { fileSize: size, fileName: "unknown" }, "Opening day"],
    ["a title that came back trimmed", { fileSize: size }, " Opening\u200b  day "],
  ] as const)("%s prove it", async ([, details, title], { expect }) => {
    expect(await look([GONE, page([item("v")]), videos(shown("v", details, title))]).outcome).toEqual(found("v"));
  });

  test.for([
    ["another upload of ours, alike in all else", { fileSize: size, fileName: OTHER_NAME }, "Opening day"],
    ["another size", { fileSize: String(SIZE + 1) }, "Opening day"],
    ["the size alone", { fileSize: size }, "Another title"],
    ["the title alone", {}, "Opening day"],
  ] as const)("%s is no proof, and no counter-proof", async ([, details, title], { expect }) => {
    const { outcome } = look([GONE, page([item("v")]), videos(shown("v", details, title))]);
    expect(await outcome).toMatchObject({ kind: "unknown" });
  });

  test("what is not listed may come all the same", async ({ expect }) => {
    expect(await look([GONE, page([])]).outcome).toMatchObject({ kind: "unknown" });
    expect(await look([{ status: 410 }, page([item("old", 121_000)])]).outcome).toMatchObject({ kind: "unknown" });
    // A channel without a video has no list.
    expect(await look([GONE, refusal(404, "playlistNotFound")]).outcome).toMatchObject({ kind: "unknown" });
  });

  test("a list that cannot be read says nothing", async ({ expect }) => {
    expect(await look([GONE, "lost"]).outcome).toMatchObject({ kind: "failed", reason: "down" });
    expect(await look([GONE, page([item("v")]), refusal(503, "backendError")]).outcome).toMatchObject({
      reason: "down",
    });
    expect(await look([GONE, refusal(403, "quotaExceeded")]).outcome).toMatchObject({ reason: "throttled" });
  });

  test("videos of other posts are left out, and of several ours the first is kept", async ({ expect }) => {
    const attempt = { ...ATTEMPT, taken: new Set(["c"]) };
    const all = ["c", "b", "a"].map((id, index) => item(id, 10_000 + index * 1000));
    const both = ["b", "a"].map((id) => shown(id, { fileSize: size }));
    const { calls, outcome } = look([GONE, page(all), videos(...both)], attempt);
    expect(await outcome).toEqual(found("a"));
    expect(calls[2]?.query?.id).toBe("b,a");
  });

  test("pages are read until they are too old, and fifty videos at a time", async ({ expect }) => {
    const first = Array.from({ length: 50 }, (_, index) => item(`n${index}`, 10_000));
    const { calls, outcome } = look([
      GONE,
      page(first, "P2"),
      page([item("ours", 20_000), item("old", 200_000)], "P3"),
      videos(),
      videos(shown("ours", { fileName: NAME })),
    ]);
    expect(await outcome).toEqual(found("ours"));
    expect(calls.map(({ query }) => query?.pageToken)).toEqual([undefined, undefined, "P2", undefined, undefined]);
    expect(calls[4]?.query?.id).toBe("ours");
  });
});
