import { describe, expect, test } from "vitest";
import { youtube } from "../../../src/platforms/youtube/index.ts";
import { accountContext, content, NOW, type Scripted, scriptedSend, video } from "../../scripted-send.ts";

/** What depends on numbers, beside the recorded exchanges. */

const { comments, oauth, posts, rules } = youtube;
const at = (ago: number) => new Date(NOW - ago).toISOString();
const VIDEO = { ...content("post", ["Come in.", video("v.mp4", 1000)]), extra: null };
const postOf = (id: string) => ({ id, secondaryId: null, permalink: null });

test("the consent page requests a lasting login, by S256, and for the account", () => {
  const request = { redirectUri: "https://belfry.example/cb", state: "S", codeChallenge: "CH" };
  const { origin, pathname, searchParams } = oauth.authorizeUrl({ id: "app", secret: "" }, request);
  expect(origin + pathname).toBe("https://accounts.google.com/o/oauth2/v2/auth");
  expect(Object.fromEntries(searchParams)).toMatchObject({
    client_id: "app",
    access_type: "offline",
    prompt: "select_account consent",
    scope: oauth.scopes.join(" "),
    code_challenge: "CH",
    code_challenge_method: "S256",
    state: "S",
  });
});

describe("rules", () => {
  const limits = (longUploads?: string) => rules(longUploads === undefined ? {} : { long_uploads: longUploads }).post;

  test("a channel that is not verified may upload a quarter of an hour", () => {
    const maxSeconds = (status?: string) => limits(status)?.files.video?.maxSeconds;
    expect([undefined, "allowed", "eligible", "disallowed", "longUploadsUnspecified"].map(maxSeconds)).toEqual([
      43_200, 43_200, 900, 900, 43_200,
    ]);
  });

  test("a description is counted in bytes, a title in characters", () => {
    const post = limits();
    expect(post?.text.measure("é👩‍👧")).toBe(2 + 11);
    expect(post?.title?.measure("é👧")).toBe(2);
    expect(post?.title?.problems?.("a < b")).toHaveLength(1);
    expect(post?.title?.problems?.("   ")).toHaveLength(1);
    expect(post?.text.problems?.("5 > 4 & more")).toHaveLength(1);
    expect(post?.text.problems?.("4 & more")).toEqual([]);
  });
});

test.for([
  [0, 5],
  [60_000, 8],
  [600_000, 75],
  [6 * 3_600_000, 300],
] as const)("a video in processing for %d ms is checked again after %d s", async ([waitedMs, afterSeconds]) => {
  const { send } = scriptedSend({ body: { items: [{ id: "v1", status: { uploadStatus: "uploaded" } }] } });
  const accepted = { index: 0, post: postOf("v1"), since: NOW - waitedMs };
  const outcome = await posts.confirm(accountContext(send), VIDEO, null, accepted);
  expect(outcome).toEqual({ kind: "processing", afterSeconds });
});

test("a look-up reads pages until they are too old, and fifty videos at a time", async () => {
  const item = (id: string, ago: number) => ({ snippet: { publishedAt: at(ago) }, contentDetails: { videoId: id } });
  const page = (items: readonly object[], nextPageToken?: string): Scripted => ({ body: { items, nextPageToken } });
  const first = Array.from({ length: 50 }, (_, index) => item(`n${index}`, 10_000));
  const name = "belfry-11111111-2222-4333-8444-555555555555.mp4";
  const { send, calls } = scriptedSend(
    { status: 404, body: "Not Found" },
    page(first, "P2"),
    page([item("ours", 20_000), item("old", 200_000)], "P3"),
    page([]),
    page([{ id: "ours", fileDetails: { fileName: name } }]),
  );
  const stored = { session: "https://www.googleapis.com/upload/x", name, offset: 0, parts: 1, restarts: 0 };
  const request = { index: 0, previous: [], since: NOW - 60_000, taken: new Set<string>() };
  const what = { ...VIDEO, extra: { title: "Opening day", category: 22, privacyStatus: "public" } as const };
  expect(await posts.find(accountContext(send), what, stored, request)).toMatchObject({ post: { id: "ours" } });
  expect(calls.map(({ query }) => query?.pageToken)).toEqual([undefined, undefined, "P2", undefined, undefined]);
  expect(calls[4]?.query?.id).toBe("ours");
});

describe("the comments of several videos", () => {
  const thread = (videoId: string | undefined, ago: number) => {
    const snippet = { textDisplay: "Hello", publishedAt: at(ago) };
    return { id: `Ug${ago}`, snippet: { videoId, topLevelComment: { id: `Ug${ago}`, snippet } } };
  };
  const wholeAfter = async (items: readonly object[], more: object = {}) => {
    const { send } = scriptedSend({ body: { items, ...more } });
    const wanted = ["v1", "v2"].map((id) => ({ posts: [postOf(id)], since: NOW - 60_000 }));
    const page = await comments.reading?.several?.list(accountContext(send), wanted);
    return page?.kind === "page" ? page.wholeAfter : page;
  };

  test("are whole back to a time, also where a comment names no video", async () => {
    const many = Array.from({ length: 9 }, () => thread("v2", 5_000));
    const newest = thread("v1", 1_000);
    expect(await wholeAfter([newest])).toBe(Number.NEGATIVE_INFINITY);
    expect(await wholeAfter([newest, ...many, thread("v1", 9_000)], { nextPageToken: "P2" })).toBe(NOW - 5_000);
    expect(await wholeAfter([], { nextPageToken: "P2" })).toBe(Number.POSITIVE_INFINITY);
    expect(await wholeAfter([newest, thread(undefined, 8_000)])).toBe(NOW - 8_000);
  });

  test("are not read so for videos that only some people see", () => {
    const covers = (privacyStatus: "public" | "unlisted" | "private") =>
      comments.reading?.several?.covers({ title: "A video", category: 22, privacyStatus });
    expect([covers("public"), covers("unlisted"), covers("private")]).toEqual([true, false, false]);
  });
});

test("an answer leaves out a name that has no room", async () => {
  const { send, calls } = scriptedSend({ body: { id: "Ug1.9z" } });
  const comment = { id: "Ug1.9a", author: { id: "UClea", name: "lea" }, createdAt: NOW };
  await comments.create(accountContext(send), { post: postOf("v1"), comment }, "x".repeat(9_999), null);
  expect(calls[0]?.json).toMatchObject({ snippet: { textOriginal: "x".repeat(9_999) } });
});
