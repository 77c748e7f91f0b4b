import { describe, test } from "vitest";
import type { AnsweredComment } from "../../src/platforms/commenting.ts";
import { linkedin } from "../../src/platforms/linkedin/index.ts";
import { accountContext, NOW, type Scripted, scriptedSend } from "../scripted-send.ts";

/** What others write under a page's posts, and answering it. */

const PAGE = "urn:li:organization:9001";
const PERSON = "urn:li:person:zX81";
const ACTIVITY = "urn:li:activity:7500130262000000000";
const POST = { id: "urn:li:share:7500130261401600000", secondaryId: null, permalink: null };
const PATH = "https://api.linkedin.com/rest/socialActions/urn%3Ali%3Ashare%3A7500130261401600000/comments";
const { comments } = linkedin;

const urn = (id: string) => `urn:li:comment:(${ACTIVITY},${id})`;
const shown = (id: string, more: object = {}) => ({
  actor: "urn:li:person:qW77",
  id,
  commentUrn: urn(id),
  object: ACTIVITY,
  message: { attributes: [], text: "What does it weigh?" },
  created: { actor: "urn:li:person:qW77", time: NOW - 1000 },
  ...more,
});
const page = (...elements: readonly object[]): Scripted => ({ body: { paging: {}, elements } });
const DENIED: Scripted = { status: 403, body: { status: 403, serviceErrorCode: 100, code: "ACCESS_DENIED" } };

const read = (answers: readonly (Scripted | "lost")[], cursor: string | null = null, id = PAGE) => {
  const { send, calls } = scriptedSend(...answers);
  return { calls, page: comments.reading?.list(accountContext(send, { id }), [POST], { cursor, since: 0 }) };
};

describe("reading comments", () => {
  test("tells them by their URN, however it is spelt", async ({ expect }) => {
    const bare = { commentUrn: undefined };
    const { page: result, calls } = read([
      page(
        shown("11"),
        shown("12", { ...bare, $URN: urn("12") }),
        shown("13", bare),
        shown("14", { commentUrn: "urn:li:comment:(activity:7500130262000000000,14)" }),
        shown("15", { parentComment: urn("11"), actor: PAGE, message: undefined }),
      ),
    ]);
    const comment = {
      author: { id: "urn:li:person:qW77", name: null },
      createdAt: NOW - 1000,
      text: "What does it weigh?",
      isTopLevel: true,
      isOwn: false,
    };
    expect(await result).toEqual({
      kind: "page",
      comments: [
        ...["11", "12", "13", "14"].map((id) => ({ ...comment, id: urn(id) })),
        { ...comment, id: urn("15"), author: { id: PAGE, name: null }, text: "", isTopLevel: false, isOwn: true },
      ],
      next: null,
    });
    expect(calls).toMatchObject([{ url: PATH, query: { start: 0, count: 50 } }]);
  });

  test("a time that is not told is in the number, and an object in the post", async ({ expect }) => {
    const id = String(BigInt(NOW) << 22n);
    const odd = shown(id, { created: undefined, commentUrn: undefined, object: undefined });
    expect(await read([page(odd)]).page).toMatchObject({
      comments: [{ id: `urn:li:comment:(${POST.id},${id})`, createdAt: NOW }],
    });
  });

  test("steps back a little from page to page, for what was deleted in between", async ({ expect }) => {
    const full = page(...Array.from({ length: 50 }, (_, at) => shown(String(100 + at))));
    expect(await read([full]).page).toMatchObject({ next: "45" });
    const { page: second, calls } = read([full], "45");
    expect(await second).toMatchObject({ next: "90" });
    expect(calls[0]?.query).toMatchObject({ start: 45 });
  });

  test("is not possible for a person, which their channel says", async ({ expect }) => {
    const { page: result, calls } = read([], null, PERSON);
    expect(await result).toMatchObject({
      reason: "permission_missing",
      message: expect.stringContaining("LinkedIn does not let us read"),
    });
    expect(calls).toEqual([]);
    const { impossible } = linkedin.capabilities.replies;
    expect(impossible({ id: PERSON })).toContain("LinkedIn does not let us read");
    expect(impossible({ id: PAGE })).toBeNull();
  });

  test("may be refused, and gets lost", async ({ expect }) => {
    expect(await read([DENIED]).page).toMatchObject({ kind: "failed", reason: "permission_missing" });
    expect(await read(["lost"]).page).toMatchObject({ kind: "failed", reason: "down" });
  });
});

const COMMENT: AnsweredComment = { id: urn("11"), author: { id: "urn:li:person:qW77", name: null }, createdAt: NOW };
const COMMENT_PATH =
  "https://api.linkedin.com/rest/socialActions/urn%3Ali%3Acomment%3A%28urn%3Ali%3Aactivity%3A7500130262000000000%2C11%29/comments";

describe("answering a comment", () => {
  const create = (answer: Scripted | "lost", comment: AnsweredComment | null = COMMENT) => {
    const { send, calls } = scriptedSend(answer);
    const context = accountContext(send, { id: PAGE });
    return { calls, outcome: comments.create(context, { post: POST, comment }, "9.8 (kg)", null) };
  };

  test("names it in the path and as the parent, and tells its own URN", async ({ expect }) => {
    const made = { status: 201, headers: { "x-restli-id": "12" }, body: shown("12", { actor: PAGE }) };
    const { outcome, calls } = create(made);
    expect(await outcome).toEqual({ kind: "published", id: urn("12") });
    expect(calls).toMatchObject([
      {
        method: "POST",
        url: COMMENT_PATH,
        json: { actor: PAGE, object: ACTIVITY, message: { text: "9.8 (kg)" }, parentComment: urn("11") },
      },
    ]);
  });

  test("under the post itself has no parent, and may be known by its number alone", async ({ expect }) => {
    const { outcome, calls } = create({ status: 201, headers: { "x-restli-id": "12" }, body: null }, null);
    expect(await outcome).toEqual({ kind: "published", id: "12" });
    expect(calls[0]?.url).toBe(PATH);
    expect(calls[0]?.json).toEqual({ actor: PAGE, object: POST.id, message: { text: "9.8 (kg)" } });
  });

  test.for([
    [{ status: 201, body: null }, { kind: "unknown" }],
    ["lost", { kind: "unknown" }],
    [{ status: 404, body: { status: 404, code: "NOT_FOUND" } }, { reason: "rejected" }],
    [DENIED, { reason: "permission_missing" }],
    [
      {
        status: 429,
        body: {
          status: 429,
          serviceErrorCode: 101,
          message: "Comment create throttled: creation rate limit exceeded for member",
        },
      },
      { reason: "throttled", retryAfterSeconds: 75 },
    ],
  ] as const)("may fail: %o", async ([answer, outcome], { expect }) => {
    expect(await create(answer).outcome).toMatchObject(outcome);
  });

  const find = (answers: readonly (Scripted | "lost")[], taken: readonly string[] = [], id = PAGE) => {
    const { send, calls } = scriptedSend(...answers);
    const request = { text: "9.8 (kg)", since: NOW - 2000, taken: new Set(taken), progress: null };
    return { calls, outcome: comments.find(accountContext(send, { id }), { post: POST, comment: COMMENT }, request) };
  };
  const ours = (more: object = {}) =>
    shown("12", { actor: PAGE, message: { text: "9.8 (kg)" }, parentComment: urn("11"), ...more });

  test("is found among the answers to it", async ({ expect }) => {
    const { outcome, calls } = find([page(shown("13"), ours())]);
    expect(await outcome).toEqual({ kind: "found", id: urn("12") });
    expect(calls[0]?.url).toBe(COMMENT_PATH);
  });

  test.for([
    ["by its URN", [urn("12")]],
    ["by its number", ["12"]],
  ] as const)("is not one that is taken, %s", async ([, taken], { expect }) => {
    expect(await find([page(ours())], taken).outcome).toEqual({ kind: "absent" });
  });

  test.for([
    ["another's", { actor: "urn:li:person:qW77" }],
    ["an older one", { created: { time: NOW - 120_000 } }],
    ["another text", { message: { text: "9.9 (kg)" } }],
  ] as const)("is not %s", async ([, more], { expect }) => {
    expect(await find([page(ours(more))]).outcome).toEqual({ kind: "absent" });
  });

  test("is in doubt where nothing may be read, at once where nothing ever can", async ({ expect }) => {
    expect(await find([DENIED]).outcome).toMatchObject({ kind: "unknown" });
    const { outcome, calls } = find([], [], PERSON);
    expect(await outcome).toMatchObject({ kind: "unreadable" });
    expect(calls).toEqual([]);
  });
});
