import { describe, test } from "vitest";
import type { AnsweredComment } from "../../src/platforms/commenting.ts";
import { youtube } from "../../src/platforms/youtube/index.ts";
import { accountContext, NOW, type Scripted, scriptedSend } from "../scripted-send.ts";

/** What others write under a video, and answering it. */

const CHANNEL = "UCown";
const VIDEO = { id: "v1", secondaryId: null, permalink: null };
const { comments } = youtube;
const refusal = (status: number, reason: string): Scripted => ({
  status,
  body: { error: { code: status, message: "No.", errors: [{ reason, message: "No." }] } },
});
const at = (ms: number) => new Date(NOW - ms).toISOString();
const snippet = (text: string, more: object = {}) => ({
  textDisplay: text,
  authorDisplayName: "@lea",
  authorChannelId: { value: "UClea" },
  publishedAt: at(1000),
  ...more,
});
const thread = (id: string, top: object, ...answers: object[]) => ({
  id,
  snippet: { videoId: "v1", topLevelComment: { id, snippet: top }, totalReplyCount: answers.length },
  ...(answers.length > 0 ? { replies: { comments: answers } } : {}),
});

const read = (answers: readonly (Scripted | "lost")[], cursor: string | null = null, since = NOW - 60_000) => {
  const { send, calls } = scriptedSend(...answers);
  return { calls, page: comments.reading?.list(accountContext(send, { id: CHANNEL }), [VIDEO], { cursor, since }) };
};

describe("reading comments", () => {
  test("tells threads and the answers that come with them", async ({ expect }) => {
    const answer = {
      id: "Ug1.9a",
      snippet: snippet("Own", { authorChannelId: { value: CHANNEL }, textOriginal: "Our own" }),
    };
    const items = [
      thread("Ug1", snippet("Great bread"), answer),
      thread("Ug2", snippet("Gone", { authorChannelId: undefined, authorDisplayName: "" })),
    ];
    const { page, calls } = read([{ body: { items, nextPageToken: "P2" } }]);
    const lea = { author: { id: "UClea", name: "lea" }, createdAt: NOW - 1000, isOwn: false };
    expect(await page).toEqual({
      kind: "page",
      comments: [
        { id: "Ug1", text: "Great bread", isTopLevel: true, ...lea },
        {
          id: "Ug1.9a",
          text: "Our own",
          isTopLevel: false,
          author: { id: CHANNEL, name: "lea" },
          createdAt: NOW - 1000,
          isOwn: true,
        },
        { id: "Ug2", text: "Gone", isTopLevel: true, author: null, createdAt: NOW - 1000, isOwn: null },
      ],
      next: "P2",
    });
    expect(calls).toMatchObject([
      { query: { part: "id,snippet,replies", videoId: "v1", order: "time", maxResults: 100, textFormat: "plainText" } },
    ]);
  });

  test("ends where what is older need not be listed, or nothing is there", async ({ expect }) => {
    const items = [thread("Ug1", snippet("New")), thread("Ug2", snippet("Old", { publishedAt: at(120_000) }))];
    expect(await read([{ body: { items, nextPageToken: "P2" } }]).page).toMatchObject({ next: null });
    expect(await read([{ body: {} }]).page).toEqual({ kind: "page", comments: [], next: null });
  });

  test("goes on by a cursor, and begins anew where YouTube knows it no longer", async ({ expect }) => {
    const { page, calls } = read([refusal(400, "invalidPageToken"), { body: {} }], "P2");
    expect(await page).toMatchObject({ kind: "page" });
    expect(calls.map(({ query }) => query?.pageToken)).toEqual(["P2", undefined]);
  });

  test.for([
    ["commentsDisabled", 403, { reason: "rejected", message: "Comments are turned off" }],
    ["videoNotFound", 404, { reason: "rejected", message: "does not find the video" }],
    ["quotaExceeded", 403, { reason: "throttled", limit: "app" }],
    ["insufficientPermissions", 403, { reason: "permission_missing" }],
  ] as const)("%s is told", async ([reason, status, failure], { expect }) => {
    const result = await read([refusal(status, reason)]).page;
    expect(result).toMatchObject({ kind: "failed", reason: failure.reason });
    if ("message" in failure) expect(JSON.stringify(result)).toContain(failure.message);
  });
});

describe("reading the comments of several videos", () => {
  const several = (items: readonly object[], more: object = {}) => {
    const { send, calls } = scriptedSend({ body: { items, ...more } });
    const wanted = ["v1", "v2"].map((id) => ({ posts: [{ ...VIDEO, id }], since: NOW - 60_000 }));
    return { calls, page: comments.reading?.several?.list(accountContext(send, { id: CHANNEL }), wanted) };
  };
  const under = (videoId: string | undefined, one: ReturnType<typeof thread>) => ({
    ...one,
    snippet: { ...one.snippet, videoId },
  });

  test("asks for the channel's, and tells them by video", async ({ expect }) => {
    const items = [
      under("v2", thread("Ug2", snippet("Second"), { id: "Ug2.9a", snippet: snippet("Answer") })),
      under("v9", thread("Ug9", snippet("Of another video"))),
      under("v1", thread("Ug1", snippet("First"))),
    ];
    const { page, calls } = several(items);
    expect(await page).toMatchObject({
      comments: [[{ id: "Ug1", isTopLevel: true }], [{ id: "Ug2" }, { id: "Ug2.9a", isTopLevel: false }]],
      wholeAfter: Number.NEGATIVE_INFINITY,
    });
    expect(calls.map(({ query }) => query)).toEqual([
      {
        part: "id,snippet,replies",
        order: "time",
        maxResults: 100,
        textFormat: "plainText",
        allThreadsRelatedToChannelId: CHANNEL,
      },
    ]);
  });

  test("says back to when that is whole, also where a comment names no video", async ({ expect }) => {
    const newest = under("v1", thread("Ug1", snippet("New")));
    const older = under("v1", thread("Ug2", snippet("Older", { publishedAt: at(9_000) })));
    const fill = Array.from({ length: 9 }, (_, n) =>
      under("v2", thread(`Ug${n + 3}`, snippet("", { publishedAt: at(5_000) }))),
    );
    expect(await several([newest, ...fill, older], { nextPageToken: "P2" }).page).toMatchObject({
      wholeAfter: NOW - 5_000,
    });
    expect(await several([], { nextPageToken: "P2" }).page).toMatchObject({ wholeAfter: Number.POSITIVE_INFINITY });
    const nowhere = under(undefined, thread("Ug3", snippet("Somewhere", { publishedAt: at(8_000) })));
    expect(await several([newest, nowhere]).page).toMatchObject({ wholeAfter: NOW - 8_000 });
  });

  test("is not asked about videos that only some people see", ({ expect }) => {
    const covers = (privacyStatus: "public" | "unlisted" | "private") =>
      comments.reading?.several?.covers({ title: "A video", category: 22, privacyStatus });
    expect([covers("public"), covers("unlisted"), covers("private")]).toEqual([true, false, false]);
  });
});

const TOP: AnsweredComment = { id: "Ug1", author: { id: "UClea", name: "lea" }, createdAt: NOW };
const ANSWER: AnsweredComment = { ...TOP, id: "Ug1.9a" };

describe("answering a comment", () => {
  const create = (
    comment: AnsweredComment,
    answer: Scripted | "lost" = { body: { id: "Ug1.9z" } },
    text = "Thanks",
  ) => {
    const { send, calls } = scriptedSend(answer);
    const context = accountContext(send, { id: CHANNEL });
    return { calls, outcome: comments.create(context, { post: VIDEO, comment }, text, null) };
  };

  test.for([
    ["at the top", TOP, "Thanks"],
    ["that answers another, by name", ANSWER, "@lea Thanks"],
    ["of somebody unknown", { ...ANSWER, author: null }, "Thanks"],
  ] as const)("%s goes under the one at the top", async ([, comment, textOriginal], { expect }) => {
    const { outcome, calls } = create(comment);
    expect(await outcome).toEqual({ kind: "published", id: "Ug1.9z" });
    expect(calls).toMatchObject([
      { url: "https://www.googleapis.com/youtube/v3/comments", json: { snippet: { parentId: "Ug1", textOriginal } } },
    ]);
  });

  test("leaves out a name that has no room, or is there", async ({ expect }) => {
    const long = create(ANSWER, { body: { id: "x" } }, "x".repeat(9_999));
    await long.outcome;
    expect(JSON.stringify(long.calls[0]?.json)).not.toContain("@lea");
    const named = create(ANSWER, { body: { id: "x" } }, "@lea Thanks");
    await named.outcome;
    expect(named.calls[0]?.json).toMatchObject({ snippet: { textOriginal: "@lea Thanks" } });
  });

  test.for([
    [refusal(404, "parentCommentNotFound"), { kind: "failed", reason: "rejected" }],
    [refusal(400, "parentCommentIsPrivate"), { kind: "failed", reason: "rejected" }],
    [refusal(400, "processingFailure"), { kind: "unknown" }],
    ["lost", { kind: "unknown" }],
  ] as const)("may fail: %o", async ([answer, outcome], { expect }) => {
    expect(await create(TOP, answer).outcome).toMatchObject(outcome);
  });

  const ours = (text: string, more: object = {}) => ({
    id: "Ug1.9z",
    snippet: snippet(text, { textOriginal: text, authorChannelId: { value: CHANNEL }, ...more }),
  });
  const find = (comment: AnsweredComment, items: readonly object[], taken: readonly string[] = [], next?: string) => {
    const answers = [{ body: { items, ...(next ? { nextPageToken: next } : {}) } }, ...(next ? [{ body: {} }] : [])];
    const { send, calls } = scriptedSend(...answers);
    const request = { text: "Thanks", since: NOW - 2000, taken: new Set(taken), progress: null };
    return { calls, outcome: comments.find(accountContext(send, { id: CHANNEL }), { post: VIDEO, comment }, request) };
  };

  test("is found among all answers to the comment", async ({ expect }) => {
    const { outcome, calls } = find(TOP, [ours("Else"), ours("Thanks")], [], "P2");
    expect(await outcome).toEqual({ kind: "found", id: "Ug1.9z" });
    expect(calls.map(({ query }) => [query?.parentId, query?.pageToken])).toEqual([
      ["Ug1", undefined],
      ["Ug1", "P2"],
    ]);
    expect(await find(ANSWER, [ours("@lea Thanks")]).outcome).toMatchObject({ kind: "found" });
  });

  test.for([
    ["nothing", [], []],
    ["another's", [ours("Thanks", { authorChannelId: { value: "UClea" } })], []],
    ["one of nobody told", [ours("Thanks", { authorChannelId: undefined })], []],
    ["an older one", [ours("Thanks", { publishedAt: at(120_000) })], []],
    ["one that is taken", [ours("Thanks")], ["Ug1.9z"]],
  ] as const)("is never taken for unwritten: %s", async ([, items, taken], { expect }) => {
    expect(await find(TOP, items, taken).outcome).toMatchObject({ kind: "unknown" });
  });
});
