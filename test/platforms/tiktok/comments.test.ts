import { describe, test } from "vitest";
import type { AnsweredComment, CommentTarget } from "../../../src/platforms/commenting.ts";
import type { AccountContext } from "../../../src/platforms/context.ts";
import type { PlatformPost } from "../../../src/platforms/publishing.ts";
import type { Send } from "../../../src/platforms/request.ts";
import { commentLogin } from "../../../src/platforms/tiktok/business-login.ts";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import { accountContext, NOW, type Scripted, scriptedSend } from "../../scripted-send.ts";
import { MINUTE } from "../../support/times.ts";
import { ok, refused } from "./ads-script.ts";

/** TikTok's comments by the API for business: the login that gives them, writing, finding and reading. */

const { comments, grants } = tiktok;
const { oauth } = commentLogin;

const context = (send: Send): AccountContext => {
  const known = accountContext(send, { id: "-000A", username: "acme" });
  return { ...known, credentials: { ...known.credentials, accountId: "-000Z" } };
};

const VIDEO: PlatformPost = {
  id: "7430000000000000123",
  secondaryId: "v_pub_file~v2-1.9",
  permalink: "https://example.com",
};
const WITHOUT_ADDRESS: PlatformPost = { id: "v_pub_file~v2-1.9", secondaryId: null, permalink: null };
const QUESTION: AnsweredComment = { id: "7430000000000000201", author: null, createdAt: NOW };
const under = (comment: AnsweredComment | null = null, post = VIDEO): CommentTarget => ({ post, comment });

/** As TikTok writes one, in seconds. */
const shown = (comment_id: string, text: string, more: object = {}) => ({
  comment_id,
  video_id: VIDEO.id,
  unique_identifier: "hash-1",
  username: "lea",
  create_time: String(NOW / 1000),
  text,
  owner: false,
  reply_list: [],
  ...more,
});
const page = (...list: readonly object[]) => ok({ comments: list, cursor: 30, has_more: false });
const LAST = { cursor: null, since: NOW - MINUTE };

describe("the login for comments", () => {
  const redirectUri = "https://belfry.example/connect/callback/tiktok/comments/";
  const app = { id: "business", secret: "secret" };
  const TOKEN = {
    access_token: "A",
    refresh_token: "R",
    expires_in: 86_400,
    refresh_token_expires_in: 31_536_000,
    scope: oauth.scopes.join(","),
    open_id: "-000Z",
  };
  const exchange = async (...answers: readonly (Scripted | "lost")[]) => {
    const { send, calls } = scriptedSend(...answers);
    const outcome = await oauth.exchange({ send, app, now: NOW }, { code: "C*1", redirectUri, codeVerifier: null });
    return { outcome, calls };
  };

  test("uses the key of its own app, with scopes between commas", ({ expect }) => {
    if (!("authorizeUrl" in oauth)) throw new Error("This login asks nothing.");
    const url = oauth.authorizeUrl(app, { redirectUri, state: "S", codeChallenge: null });
    expect(`${url.origin}${url.pathname}`).toBe("https://www.tiktok.com/v2/auth/authorize");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_key: "business",
      scope: "user.info.basic,user.info.username,comment.list,comment.list.manage",
      response_type: "code",
      redirect_uri: redirectUri,
      state: "S",
      disable_auto_auth: "1",
    });
  });

  test.for([
    [[refused(40110)], "rejected", "Start again"],
    [[refused(40101)], "blocked", "operator"],
    [[refused(50000)], "down", "temporary"],
    [["lost"], "down", "lost"],
    [[ok({ ...TOKEN, scope: "comment.list" })], "rejected", "user.info.username"],
    [[ok({ ...TOKEN, open_id: undefined })], "rejected", "return the account"],
    [[ok(TOKEN), refused(40001)], "permission_missing", "business account"],
  ] as const)("%j is %s", async ([answers, reason, words], { expect }) => {
    const { outcome } = await exchange(...answers);
    expect(outcome).toMatchObject({ kind: "failed", reason, message: expect.stringContaining(words) });
  });

  test("a renewal keeps the id and the scopes where it does not tell them", async ({ expect }) => {
    const { send, calls } = scriptedSend(ok({ access_token: "A2", refresh_token: "R2", expires_in: "86400" }));
    const outcome = await grants.comments.renewal?.refresh(context(send));
    expect(outcome).toEqual({
      kind: "refreshed",
      credentials: {
        accessToken: "A2",
        refreshToken: "R2",
        expiresAt: NOW + 86_400_000,
        scopes: [],
        accountId: "-000Z",
      },
    });
    expect(calls[0]?.json).toMatchObject({ grant_type: "refresh_token", refresh_token: "REFRESH" });
  });

  test.for([
    [ok({}), { kind: "revoked" }],
    [refused(40105), { kind: "revoked" }],
    [refused(40101), { reason: "blocked" }],
    ["lost", { reason: "down" }],
  ] as const)("its end, answered by %j: %j", async ([answer, expected], { expect }) => {
    const { send } = scriptedSend(answer);
    expect(await grants.comments.revoke?.(context(send))).toMatchObject(expected);
  });
});

describe("writing", () => {
  const write = async (target: CommentTarget, answer: Scripted | "lost") => {
    const { send, calls } = scriptedSend(answer);
    return { outcome: await comments.create(context(send), target, "Here!", null), calls };
  };

  test("an answer names the comment too, and its id may be a number", async ({ expect }) => {
    const { outcome, calls } = await write(under(QUESTION), ok({ comment_id: 77 }));
    expect(outcome).toEqual({ kind: "published", id: "77" });
    expect(calls[0]?.url).toContain("/business/comment/reply/create/");
    expect(calls[0]?.json).toEqual({
      business_id: "-000Z",
      video_id: VIDEO.id,
      comment_id: QUESTION.id,
      text: "Here!",
    });
  });

  test("being too fast waits a minute, or as long as is said", async ({ expect }) => {
    expect((await write(under(), refused(40100))).outcome).toMatchObject({ retryAfterSeconds: 60 });
    const found = { ...refused(40100), headers: { "retry-after": "7" } };
    expect((await write(under(), found)).outcome).toMatchObject({ retryAfterSeconds: 7 });
  });

  test.for([["lost"], [refused(50000)], [refused(51010)], [{ status: 504, body: null }], [ok({})]] as const)(
    "%j: it may be there",
    async ([answer], { expect }) => {
      expect((await write(under(), answer)).outcome).toMatchObject({ kind: "unknown" });
    },
  );

  test("TikTok's word that it has this already is no refusal", async ({ expect }) => {
    expect((await write(under(), refused(40050))).outcome).toMatchObject({ kind: "duplicate" });
  });

  test("a post whose own id is not reported yet is waited for, ever longer, without calls", async ({ expect }) => {
    const { send, calls } = scriptedSend();
    const call = async (progress: null | { times: number }, post = WITHOUT_ADDRESS) =>
      comments.prepare?.(context(send), under(null, post), "Here!", progress);
    expect(await call(null)).toMatchObject({ kind: "more", afterSeconds: 60, progress: { times: 1 } });
    expect(await call({ times: 2 })).toMatchObject({ kind: "more", afterSeconds: 240 });
    expect(await call({ times: 30 })).toMatchObject({ kind: "more", afterSeconds: 3_600 });
    expect(await call({ times: 2 }, VIDEO)).toEqual({ kind: "ready", progress: null });
    expect(await comments.create(context(send), under(null, WITHOUT_ADDRESS), "Here!", null)).toMatchObject({
      kind: "failed",
    });
    expect(calls).toEqual([]);
  });
});

describe("a comment whose answer was lost", () => {
  const find = async (target: CommentTarget, taken: readonly string[], ...answers: readonly (Scripted | "lost")[]) => {
    const { send, calls } = scriptedSend(...answers);
    const request = { text: "Here!", since: NOW, taken: new Set(taken), progress: null };
    return { outcome: await comments.find(context(send), target, request), calls };
  };
  const OURS = shown("31", "Here!", { owner: true });

  test("is found by author, text and time, among replies of whatever state", async ({ expect }) => {
    const others = [
      shown("30", "Here!"),
      shown("32", "There!", { owner: true }),
      shown("33", "Here!", { owner: true, create_time: NOW / 1000 - 120 }),
    ];
    const { outcome, calls } = await find(under(QUESTION), [], page(...others, OURS));
    expect(outcome).toEqual({ kind: "found", id: "31" });
    expect(calls[0]).toMatchObject({
      url: "https://business-api.tiktok.com/open_api/v1.3/business/comment/reply/list/",
      query: { business_id: "-000Z", video_id: VIDEO.id, comment_id: QUESTION.id, status: "ALL" },
    });
  });

  test("of replies all pages are read; of comments those that are new enough", async ({ expect }) => {
    const old = shown("8", "Old", { create_time: NOW / 1000 - 3_600 });
    const first = ok({ comments: [old], cursor: 30, has_more: true });
    expect((await find(under(QUESTION), [], first, page(OURS))).outcome).toEqual({ kind: "found", id: "31" });
    const { outcome, calls } = await find(under(), [], first);
    expect([outcome.kind, calls.length]).toEqual(["unknown", 1]);
    const empty = ok({ comments: [], cursor: 30, has_more: true });
    expect((await find(under(), [], empty, page(OURS))).outcome).toEqual({ kind: "found", id: "31" });
  });

  test("that is not shown may be there all the same: never absent", async ({ expect }) => {
    for (const target of [under(), under(QUESTION)]) {
      expect((await find(target, [], page())).outcome).toMatchObject({ kind: "unknown" });
      expect((await find(target, ["31"], page(OURS))).outcome).toMatchObject({ kind: "unknown" });
    }
  });

  test("is not reported where the list cannot be had", async ({ expect }) => {
    expect((await find(under(), [], refused(50000))).outcome).toMatchObject({ kind: "failed", reason: "down" });
    expect((await find(under(), [], refused(40102))).outcome).toMatchObject({ reason: "token_expired" });
  });
});

describe("reading", () => {
  const list = async (request: { cursor: string | null; since: number }, ...answers: readonly Scripted[]) => {
    const { send, calls } = scriptedSend(...answers);
    return { outcome: await comments.reading?.list(context(send), [VIDEO], request), calls };
  };

  test("requests the newest public ones first, under both names of the order", async ({ expect }) => {
    const { calls } = await list(LAST, page());
    expect(calls[0]?.query).toEqual({
      business_id: "-000Z",
      video_id: VIDEO.id,
      include_replies: true,
      status: "PUBLIC",
      sort_field: "create_time",
      sort_order: "desc",
      sort_type: "desc",
      cursor: 0,
      max_count: 30,
    });
  });

  test("reports comments and the replies beneath them, with times as texts or numbers", async ({ expect }) => {
    const reply = shown("41", "Me too", { parent_comment_id: "40", create_time: NOW / 1000 + 5, username: "" });
    const thread = shown("40", "Where are you?", { reply_list: [reply] });
    const own = shown("42", "Hello", { owner: true, unique_identifier: undefined });
    const { outcome } = await list(LAST, page(thread, own));
    const author = { id: "hash-1", name: "lea" };
    expect(outcome).toEqual({
      kind: "page",
      next: null,
      comments: [
        { id: "40", author, createdAt: NOW, text: "Where are you?", isTopLevel: true, isOwn: false },
        {
          id: "41",
          author: { id: "hash-1", name: null },
          createdAt: NOW + 5_000,
          text: "Me too",
          isTopLevel: false,
          isOwn: false,
        },
        { id: "42", author: null, createdAt: NOW, text: "Hello", isTopLevel: true, isOwn: true },
      ],
    });
  });

  test("goes on while there are more, a short page or none in between, and ends at what is old", async ({ expect }) => {
    const more = (...comments: readonly object[]) => ok({ comments, cursor: 30, has_more: true });
    expect((await list(LAST, more(shown("1", "x")))).outcome).toMatchObject({ next: "30" });
    expect((await list(LAST, more())).outcome).toMatchObject({ comments: [], next: "30" });
    const old = shown("2", "x", { create_time: NOW / 1000 - 600 });
    expect((await list(LAST, more(old, shown("3", "x")))).outcome).toMatchObject({ next: "30" });
    expect((await list(LAST, more(old))).outcome).toMatchObject({ next: null });
    const { outcome, calls } = await list({ ...LAST, cursor: "30" }, more());
    expect([outcome, calls[0]?.query?.cursor]).toMatchObject([{ next: null }, 30]);
  });

  test("a post without an id of its own has nothing to be read yet", async ({ expect }) => {
    const { send } = scriptedSend();
    const outcome = await comments.reading?.list(context(send), [WITHOUT_ADDRESS], LAST);
    expect(outcome).toEqual({ kind: "page", comments: [], next: null });
  });
});
