import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { advance } from "../../support/clock.ts";
import { send } from "../../support/platform.ts";
import { sandbox } from "../../support/sandbox.ts";
import { BAKERY, BIKES, calmTiktok, login } from "../../support/tiktok.ts";
import {
  ALL_BUSINESS,
  asApp,
  BUSINESS_APP,
  BusinessToken,
  businessCaller,
  businessConsent,
  businessLogin,
  calmBusiness,
  codeGrant,
  newComment,
  newVideo,
} from "../../support/tiktok-business.ts";
import { DAY, MINUTE } from "../../support/times.ts";

/** What the simulated TikTok promises of its API for business: logins of their own, and comments. */

type Caller = ReturnType<typeof businessCaller>;
let bakery: Caller;
let video = "";
beforeEach(async () => {
  await calmTiktok();
  await calmBusiness();
  // The clock of the tests moves by days.
  bakery = businessCaller(await businessLogin());
});

const codeOf = async (): Promise<string> => (await businessConsent())?.get("code") ?? "";

describe("logins", () => {
  test("the person has another id than in the other product, and only what was selected is given", async () => {
    const { open_id, scope } = await businessLogin({ ticked: ["comment.list", "video.list"] });
    expect([open_id, scope.split(",").toSorted()]).toEqual(["-000Z5001", ["comment.list", "video.list"]]);
    expect((await login()).open_id).toBe(BAKERY);
    const back = await businessConsent();
    expect([back?.get("state"), back?.has("scopes")]).toEqual(["s", false]);
    expect((await businessConsent({ decision: "deny" }))?.get("error")).toBe("access_denied");
  });

  test.for([
    ["https://any.test/connect/callback/tiktok/comments", "no slash at its end"],
    ["https://any.test/connect/callback/tiktok/?a=b/", "a query"],
    ["https://any.test:8443/connect/callback/tiktok/", "a port"],
    ["http://any.test/connect/callback/tiktok/", "no https"],
    ["https://any.test/elsewhere/", "not registered"],
  ] as const)("%s is refused: %s", async ([redirect_uri]) => {
    expect(await businessConsent({ query: { redirect_uri } })).toBeNull();
  });

  test("scopes of the other product, and unknown apps, are refused", async () => {
    expect(await businessConsent({ query: { scope: "video.publish" } })).toBeNull();
    expect(await businessConsent({ query: { client_key: "nobody" } })).toBeNull();
  });

  test("a code works once, for ten minutes, with its address and the app's secret", async () => {
    const code = await codeOf();
    expect(await asApp("oauth2/token", { ...codeGrant(code), client_secret: "wrong" })).toMatchObject({ code: 40101 });
    expect(await asApp("oauth2/token", { ...codeGrant(code), grant_type: "x" })).toMatchObject({ code: 40108 });
    expect(await asApp("oauth2/token", { ...codeGrant(code), more: 1 })).toMatchObject({ code: 40002 });
    expect(await asApp("oauth2/token", codeGrant(code))).toMatchObject({ code: 0 });
    expect(await asApp("oauth2/token", codeGrant(code))).toMatchObject({ code: 40110 });
    const other = { ...codeGrant(await codeOf()), redirect_uri: "https://other.test/connect/callback/tiktok/" };
    expect(await asApp("oauth2/token", other)).toMatchObject({ code: 40110 });
    const late = await codeOf();
    await advance(11 * MINUTE);
    expect(await asApp("oauth2/token", codeGrant(late))).toMatchObject({ code: 40110 });
  });

  test("an access token ends after a day; a refresh token is replaced when it is used, and ends after a year", async () => {
    const first = await businessLogin();
    const { get } = businessCaller(first);
    await advance(DAY + MINUTE);
    expect(await get("get", { fields: ["username"] })).toMatchObject({ code: 40102 });
    const refresh = (refresh_token: string) =>
      asApp("oauth2/refresh_token", { ...BUSINESS_APP, grant_type: "refresh_token", refresh_token });
    const second = BusinessToken.parse((await refresh(first.refresh_token)).data);
    expect(await businessCaller(second).get("get", { fields: ["username"] })).toMatchObject({
      code: 0,
      data: { username: "harbourbakery" },
    });
    expect(await refresh(first.refresh_token)).toMatchObject({ code: 40107 });
    await advance(366 * DAY);
    expect(await refresh(second.refresh_token)).toMatchObject({ code: 40103 });
  });

  test("what is revoked has ended, with its refresh token, and the other product's login has not", async () => {
    const own = await businessLogin({ account: BIKES });
    const publishing = await login(BIKES);
    const about = { app_id: BUSINESS_APP.client_id, access_token: own.access_token };
    expect((await asApp("token_info/get", about)).data).toMatchObject({ creator_id: own.open_id, scope: own.scope });
    const ended = { ...BUSINESS_APP, access_token: own.access_token };
    expect(await asApp("oauth2/revoke", ended)).toMatchObject({ code: 0 });
    expect(await asApp("oauth2/revoke", ended)).toMatchObject({ code: 40105 });
    expect(await businessCaller(own).get("get", { fields: ["username"] })).toMatchObject({ code: 40105 });
    const again = { ...BUSINESS_APP, grant_type: "refresh_token", refresh_token: own.refresh_token };
    expect(await asApp("oauth2/refresh_token", again)).toMatchObject({ code: 40107 });
    const answer = await send("https://open.tiktokapis.com/v2/user/info/?fields=open_id", {
      headers: { Authorization: `Bearer ${publishing.access_token}` },
    });
    expect(answer.status).toBe(200);
  });
});

const Comment = z.looseObject({ comment_id: z.string(), text: z.string(), reply_list: z.array(z.unknown()) });
const List = z.object({ comments: z.array(Comment), cursor: z.number(), has_more: z.boolean() });
const listed = async (query: object, path = "comment/list") => {
  const { code, data } = await bakery.get(path, { video_id: video, ...query });
  expect(code).toBe(0);
  return List.parse(data);
};
const textsOf = ({ comments }: z.output<typeof List>) => comments.map(({ text }) => text);
const NEWEST = { sort_field: "create_time", sort_order: "desc" };
const READ_ONLY = ALL_BUSINESS.filter((scope) => scope !== "comment.list.manage");

describe("ground rules", () => {
  test("every refusal has status 200 and its code", async () => {
    video = await newVideo();
    const nobody = businessCaller({ ...(await businessLogin()), access_token: "invented" });
    expect(await nobody.get("get", { fields: ["username"] })).toMatchObject({ code: 40105 });
    const silent = businessCaller({ ...(await businessLogin()), access_token: "" });
    expect(await silent.get("get", { fields: ["username"] })).toMatchObject({ code: 40104 });
    const reader = businessCaller(await businessLogin({ ticked: READ_ONLY }));
    const words = { video_id: video, text: "Hello" };
    expect(await reader.post("comment/create", words)).toMatchObject({ code: 40130 });
    const writer = businessCaller(await businessLogin({ ticked: ["comment.list.manage"] }));
    expect(await writer.get("comment/list", { video_id: video })).toMatchObject({ code: 40130 });
    expect(await writer.get("get", { fields: ["username"] })).toMatchObject({ code: 40130 });
    expect(await bakery.get("comment/list", { video_id: video, more: "x" })).toMatchObject({ code: 40002 });
    expect(await bakery.get("comment/list", { video_id: video, max_count: 31 })).toMatchObject({ code: 40002 });
    expect(await bakery.get("get", { fields: ["bio"] })).toMatchObject({ code: 40002 });
    expect(await bakery.post("comment/create", { ...words, more: 1 })).toMatchObject({ code: 40002 });
    expect(await bakery.post("comment/create", { ...words, business_id: "-000Z5002" })).toMatchObject({ code: 40001 });
    expect(await bakery.post("comment/nowhere", words)).toMatchObject({ code: 40007 });
  });

  test("forty calls a minute, of an account at an address; what is too many does not count", async () => {
    video = await newVideo();
    await sandbox.settings({ tiktok_business_calls_per_minute: 2 });
    await advance(2 * MINUTE);
    const codes = [];
    for (let call = 0; call < 3; call += 1) codes.push((await bakery.get("comment/list", { video_id: video })).code);
    expect(codes).toEqual([0, 0, 40100]);
    expect((await bakery.get("get", { fields: ["username"] })).code).toBe(0);
    await advance(MINUTE);
    expect((await bakery.get("comment/list", { video_id: video })).code).toBe(0);
  });

  test("the account's public videos, by the ids that comments want", async () => {
    video = await newVideo();
    const { data } = await bakery.get("video/list", { fields: ["item_id", "caption"], max_count: 1 });
    expect(data).toMatchObject({ videos: [{ item_id: video, caption: "A video" }], has_more: true });
  });
});

describe("comments", () => {
  test("are read in the order that is requested, else in TikTok's own", async () => {
    video = await newVideo();
    for (const text of ["one", "two", "three", "four", "five", "six"]) {
      await newComment(video, text);
      await advance(1_000);
    }
    const byAge = ["six", "five", "four", "three", "two", "one"];
    expect(textsOf(await listed(NEWEST))).toEqual(byAge);
    expect(textsOf(await listed({ ...NEWEST, sort_order: "asc" }))).toEqual(byAge.toReversed());
    const smart = textsOf(await listed({}));
    expect(smart).not.toEqual(byAge);
    expect(smart.toSorted()).toEqual(byAge.toSorted());
    expect(textsOf(await listed({ sort_field: "create_time", sort_type: "desc" }))).toEqual(smart);
    await sandbox.settings({ tiktok_business_order_name: "sort_type" });
    expect(textsOf(await listed({ sort_field: "create_time", sort_type: "desc" }))).toEqual(byAge);
  });

  test("come in pages, which may be short or empty while more follow", async () => {
    video = await newVideo();
    for (const text of ["one", "two", "three"]) await newComment(video, text);
    for (const isShort of [false, true]) {
      await sandbox.settings({ tiktok_business_short_pages: isShort });
      const texts: string[] = [];
      let cursor = 0;
      for (let count = 0; count < 9; count += 1) {
        const page = await listed({ ...NEWEST, max_count: 2, cursor });
        if (isShort && count === 0) expect(page).toMatchObject({ comments: [], has_more: true });
        texts.push(...textsOf(page));
        cursor = page.cursor;
        if (!page.has_more) break;
      }
      expect(texts.toSorted()).toEqual(["one", "three", "two"]);
    }
  });

  test("have the form of the documents, with times as texts or numbers", async () => {
    video = await newVideo();
    const id = await newComment(video, "Where are you?");
    for (const [how, type] of [
      ["text", "string"],
      ["number", "number"],
    ] as const) {
      await sandbox.settings({ tiktok_business_times: how });
      const [comment] = (await listed({})).comments;
      expect(comment).toMatchObject({ comment_id: id, username: "lea", owner: false, status: "PUBLIC", replies: 0 });
      expect(typeof comment?.create_time).toBe(type);
      expect(Math.abs(Number(comment?.create_time) * 1000 - Date.now())).toBeLessThan(10_000);
    }
  });

  test("are answered with the account's name; an answer to an answer joins its thread", async () => {
    video = await newVideo();
    const id = await newComment(video, "Where are you?");
    const reply = { video_id: video, comment_id: id, text: "Here!" };
    const first = z.object({ comment_id: z.string() }).parse((await bakery.post("comment/reply/create", reply)).data);
    await bakery.post("comment/reply/create", { ...reply, comment_id: first.comment_id, text: "And there" });
    for (const text of ["b", "c"]) await bakery.post("comment/reply/create", { ...reply, text });
    const replies = await listed({ ...NEWEST, comment_id: id }, "comment/reply/list");
    expect(textsOf(replies).toSorted()).toEqual(["And there", "Here!", "b", "c"]);
    expect(replies.comments[0]).toMatchObject({ owner: true, username: "harbourbakery", parent_comment_id: id });
    const [thread] = (await listed({ include_replies: "true" })).comments;
    expect([thread?.replies, thread?.reply_list.length]).toEqual([4, 3]);
    const record = z.array(z.looseObject({ text: z.string(), reply_to: z.string().nullable() }));
    const shown = record.parse(await sandbox.control("GET", "comments?platform=tiktok"));
    expect(shown.find(({ text }) => text === "And there")?.reply_to).toBe(id);
  });

  test.for([
    [{ text: "x".repeat(151) }, 40002],
    [{ text: "" }, 40002],
    [{ video_id: "1" }, 40007],
    [{ comment_id: "1" }, 40007],
  ] as const)("an answer with %o is refused", async ([change, code]) => {
    video = await newVideo();
    const comment_id = await newComment(video, "Where are you?");
    const reply = { video_id: video, comment_id, text: "x".repeat(150), ...change };
    expect((await bakery.post("comment/reply/create", reply)).code).toBe(code);
  });

  test("under another account's posts, and where it has turned them off, there is nothing to be had", async () => {
    video = await newVideo(BIKES);
    expect((await bakery.get("comment/list", { video_id: video })).code).toBe(40001);
    const bikes = businessCaller(await businessLogin({ account: BIKES }));
    expect((await bikes.post("comment/create", { video_id: video, text: "Hello" })).code).toBe(40002);
    await sandbox.settings({ tiktok_moderation_ms: MINUTE });
    video = await newVideo();
    expect((await bakery.get("comment/list", { video_id: video })).code).toBe(40007);
    await advance(2 * MINUTE);
    expect((await bakery.get("comment/list", { video_id: video })).code).toBe(0);
  });

  test("hidden ones are listed with all, not with public ones; own ones can be deleted", async () => {
    video = await newVideo();
    const comment_id = await newComment(video, "Rude");
    const hide = (action: string) => bakery.post("comment/hide", { video_id: video, comment_id, action });
    expect((await hide("HIDE")).code).toBe(0);
    expect(textsOf(await listed({ status: "PUBLIC" }))).toEqual([]);
    expect((await listed({})).comments).toMatchObject([{ status: "HIDDEN" }]);
    await hide("UNHIDE");
    expect((await bakery.post("comment/like", { comment_id, action: "LIKE" })).code).toBe(0);
    expect((await listed({ status: "PUBLIC" })).comments).toMatchObject([{ likes: 1, liked: true }]);
    expect((await bakery.post("comment/delete", { comment_id })).code).toBe(40001);
    const own = z
      .object({ comment_id: z.string() })
      .parse((await bakery.post("comment/create", { video_id: video, text: "Mine" })).data);
    expect((await bakery.post("comment/delete", own)).code).toBe(0);
    expect(textsOf(await listed({}))).toEqual(["Rude"]);
  });

  test("faults: done and lost, refused, and a refusal that leaves what would lose the answer waiting", async () => {
    video = await newVideo();
    const words = { video_id: video, text: "Hello" };
    await sandbox.fault("tiktok", "reply", "accept_then_error");
    expect((await bakery.post("comment/create", { ...words, text: "" })).code).toBe(40002);
    expect(await sandbox.faults()).toHaveLength(1);
    expect((await bakery.post("comment/create", words)).code).toBe(50000);
    expect(textsOf(await listed({}))).toEqual(["Hello"]);
    for (const [kind, code] of [
      ["error", 50000],
      ["rate_limit", 40100],
      ["expire_token", 40102],
    ] as const) {
      const own = businessCaller(await businessLogin());
      await sandbox.fault("tiktok", "reply", kind);
      expect((await own.post("comment/create", words)).code).toBe(code);
    }
    await sandbox.fault("tiktok", "comments", "error");
    expect((await bakery.get("comment/list", { video_id: video })).code).toBe(50000);
    expect(textsOf(await listed({}))).toEqual(["Hello"]);
  });
});
