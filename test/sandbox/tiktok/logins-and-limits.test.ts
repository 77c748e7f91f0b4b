import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { newAccount } from "../../support/accounts.ts";
import { advance } from "../../support/clock.ts";
import { send } from "../../support/platform.ts";
import { sandbox } from "../../support/sandbox.ts";
import {
  ALL,
  API,
  APP,
  api,
  BAKERY,
  BIKES,
  calmTiktok,
  consent,
  form,
  initPhotos,
  initVideo,
  login,
  OTHER_APP,
  publishPhotos,
  publishVideo,
  REDIRECT,
  said,
  settings,
  source,
  statusOf,
  Token,
  unique,
} from "../../support/tiktok.ts";
import { DAY } from "../../support/times.ts";

/** What the simulated TikTok promises of logins, of its ground rules and of what it shows. */

let token = "";
beforeAll(async () => {
  await calmTiktok();
  token = (await login()).access_token;
});
afterEach(calmTiktok);

const grantOf = (code: string) => ({ ...APP, grant_type: "authorization_code", code, redirect_uri: REDIRECT });
const codeOf = async (...args: Parameters<typeof consent>) => (await consent(...args))?.get("code") ?? "";

async function hex(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

describe("logins", () => {
  test("the way back reports the scopes that were selected, and only those are given", async () => {
    const back = await consent(ALL, { ticked: ["user.info.basic", "video.publish"] });
    expect(back?.get("scopes")).toBe("user.info.basic,video.publish");
    const answer = await form("token", grantOf(back?.get("code") ?? ""));
    expect(Token.parse(answer.json)).toMatchObject({ scope: "user.info.basic,video.publish", open_id: BAKERY });
    expect((await consent(ALL, { decision: "deny" }))?.get("error")).toBe("access_denied");
  });

  test.for([
    ["client_id in place of client_key", { client_key: "", client_id: APP.client_key }],
    ["scopes between spaces", { scope: "user.info.basic video.publish" }],
    ["a redirect with a query", { redirect_uri: `${REDIRECT}?from=there` }],
    ["a redirect that is not registered", { redirect_uri: "https://any.test/elsewhere" }],
  ] as const)("%s goes nowhere", async ([, query]) => {
    expect(await consent(ALL, { query })).toBeNull();
  });

  test("a code works once, in time, with its redirect; refusals come with status 200", async () => {
    const code = await codeOf();
    const elsewhere = await form("token", { ...grantOf(await codeOf()), redirect_uri: "https://other.test/" });
    expect(elsewhere).toMatchObject({ status: 400, json: { error: "invalid_request" } });
    expect((await form("token", grantOf(code))).json).toMatchObject({ expires_in: 86_400, token_type: "Bearer" });
    expect(await form("token", grantOf(code))).toMatchObject({ status: 200, json: { error: "invalid_grant" } });
    const late = await codeOf();
    await advance(301_000);
    expect(await form("token", grantOf(late))).toMatchObject({ status: 200, json: { error: "invalid_grant" } });
    const wrong = await form("token", { ...grantOf(await codeOf()), client_secret: "another" });
    expect(wrong).toMatchObject({ json: { error: "invalid_client" } });
  });

  test("a challenge is the hex of the verifier's hash; without one a verifier is ignored", async () => {
    const verifier = "a".repeat(50);
    const query = { code_challenge: await hex(verifier), code_challenge_method: "S256" };
    const good = await form("token", { ...grantOf(await codeOf(ALL, { query })), code_verifier: verifier });
    expect(Token.parse(good.json).open_id).toBe(BAKERY);
    const bad = await form("token", { ...grantOf(await codeOf(ALL, { query })), code_verifier: "b".repeat(50) });
    expect(bad.json).toMatchObject({ error: "invalid_grant" });
    const stray = await form("token", { ...grantOf(await codeOf()), code_verifier: verifier });
    expect(Token.parse(stray.json).open_id).toBe(BAKERY);
  });

  const refresh = (refresh_token: string) => form("token", { ...APP, grant_type: "refresh_token", refresh_token });

  test("a refresh token is replaced when it is used, and dies", async () => {
    const first = await login();
    const second = Token.parse((await refresh(first.refresh_token)).json);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await refresh(first.refresh_token)).toMatchObject({ status: 200, json: { error: "invalid_grant" } });
    await settings({ tiktok_refresh_rotation: "same" });
    const third = Token.parse((await refresh(second.refresh_token)).json);
    expect(third.refresh_token).toBe(second.refresh_token);
  });

  test("an access token is valid for a day; a revoked login ends at once, and what it had begun", async () => {
    const own = await login(await newAccount("tiktok"));
    await settings({ processing_ms: 60_000 });
    const task = await publishVideo(own.access_token);
    expect((await form("revoke", { ...APP, token: own.access_token })).status).toBe(200);
    expect(said(await api(own.access_token, "post/publish/creator_info/query/"))).toEqual([
      401,
      "access_token_invalid",
    ]);
    expect((await refresh(own.refresh_token)).json).toMatchObject({ error: "invalid_grant" });
    const again = await login(own.open_id);
    expect((await statusOf(again.access_token, task)).json).toMatchObject({
      data: { status: "FAILED", fail_reason: "auth_removed" },
    });
    await advance(DAY + 1_000);
    expect(said(await api(again.access_token, "post/publish/creator_info/query/"))[1]).toBe("access_token_invalid");
    token = (await login()).access_token;
  });

  test("a person's open_id is another in each app, and a task is its app's alone", async () => {
    const other = await login(BAKERY, ALL, OTHER_APP);
    expect(other.open_id).toBe("-000B5001");
    const task = await publishVideo(token);
    expect(said(await statusOf(other.access_token, task))).toEqual([
      401,
      "token_not_authorized_for_specified_publish_id",
    ]);
  });

  test("an app gets a token of its own for its key and secret alone", async () => {
    const answer = await form("token", { ...APP, grant_type: "client_credentials" });
    expect(z.object({ access_token: z.string() }).parse(answer.json).access_token).toMatch(/^clt\./);
  });
});

describe("the ground rules", () => {
  test("fields must be named, be known, and be allowed", async () => {
    const user = (fields: string, as = token) => api(as, `user/info/?fields=${fields}`, undefined, "GET");
    expect(said(await user(""))).toEqual([400, "invalid_params"]);
    expect(said(await user("open_id,shoe_size"))).toEqual([400, "invalid_params"]);
    const basic = (await login(BAKERY, ["user.info.basic"])).access_token;
    expect(said(await user("open_id,username", basic))).toEqual([401, "scope_not_authorized"]);
    expect((await user("open_id,username")).json).toMatchObject({
      data: { user: { open_id: BAKERY, username: "harbourbakery" } },
    });
    expect(said(await api(basic, "post/publish/creator_info/query/"))).toEqual([401, "scope_not_authorized"]);
  });

  test("calls are counted by the minute, each way for itself", async () => {
    await settings({ tiktok_creator_info_per_minute: 2, tiktok_status_per_minute: 1 });
    const own = (await login()).access_token;
    const info = () => api(own, "post/publish/creator_info/query/").then(said);
    expect([await info(), await info(), await info()].map(([status]) => status)).toEqual([200, 200, 429]);
    expect(said(await statusOf(own, "nothing"))).toEqual([400, "invalid_publish_id"]);
    expect(said(await statusOf(own, "nothing"))).toEqual([429, "rate_limit_exceeded"]);
    await advance(60_001);
    expect(await info()).toEqual([200, "ok"]);
  });

  test("there is no way to delete or to change a post", async () => {
    for (const path of ["post/publish/delete/", "video/delete/", "post/publish/update/"]) {
      expect((await api(token, path)).status).toBe(404);
    }
  });
});

describe("what an account lets a post be", () => {
  const infoOf = async (as: string) => (await api(as, "post/publish/creator_info/query/")).json;

  test("public and private accounts offer other levels; what is disabled must be reported", async () => {
    expect(await infoOf(token)).toMatchObject({
      data: { privacy_level_options: ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"] },
    });
    const bikes = (await login(BIKES)).access_token;
    expect(await infoOf(bikes)).toMatchObject({
      data: {
        privacy_level_options: ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
        comment_disabled: true,
        max_video_post_duration_sec: 180,
      },
    });
    const init = (post_info: object) => initVideo(bikes, source(1000), post_info).then(said);
    expect(await init({})).toEqual([403, "privacy_level_option_mismatch"]);
    expect(await init({ privacy_level: "SELF_ONLY" })).toEqual([400, "invalid_params"]);
    expect(await init({ privacy_level: "SELF_ONLY", disable_comment: true })).toEqual([200, "ok"]);
    expect(await init({ privacy_level: "SELF_ONLY", disable_comment: true, brand_content_toggle: true })).toEqual([
      400,
      "invalid_params",
    ]);
  });

  test("the cap of a day is reported with status 200 here, and with 403 where a post begins", async () => {
    const own = (await login(await newAccount("tiktok"))).access_token;
    await settings({ tiktok_posts_per_day: 1 });
    await publishVideo(own);
    expect(said(await api(own, "post/publish/creator_info/query/"))).toEqual([200, "spam_risk_too_many_posts"]);
    expect(said(await initVideo(own, source(1000)))).toEqual([403, "spam_risk_too_many_posts"]);
    expect(said(await initPhotos(own, [sandbox.media("square.jpg")]))).toEqual([403, "spam_risk_too_many_posts"]);
    await advance(DAY + 1_000);
    const later = (await login()).access_token;
    expect(said(await api(later, "post/publish/creator_info/query/"))).toEqual([200, "ok"]);
    token = later;
  });

  test("a banned account, and an app with as many accounts as it may have", async () => {
    const account = (tasks: string[]) => sandbox.control("POST", "accounts", { platform: "tiktok", name: "B", tasks });
    const Made = z.object({ id: z.string() });
    const banned = (await login(Made.parse(await account(["banned"])).id)).access_token;
    expect(said(await api(banned, "post/publish/creator_info/query/"))).toEqual([
      200,
      "spam_risk_user_banned_from_posting",
    ]);
    await publishVideo(token);
    await settings({ tiktok_posting_users_per_day: 1 });
    const another = (await login(Made.parse(await account([])).id)).access_token;
    expect(said(await api(another, "post/publish/creator_info/query/"))).toEqual([200, "reached_active_user_cap"]);
  });

  test("an app that was not audited posts privately, by private accounts", async () => {
    await settings({ tiktok_audited: false });
    const refused = [403, "unaudited_client_can_only_post_to_private_accounts"];
    expect(said(await initVideo(token, source(1000), { privacy_level: "SELF_ONLY" }))).toEqual(refused);
    const bikes = (await login(BIKES)).access_token;
    const quiet = { disable_comment: true };
    const wide = await initVideo(bikes, source(1000), { ...quiet, privacy_level: "FOLLOWER_OF_CREATOR" });
    expect(said(wide)).toEqual(refused);
    expect(said(await initVideo(bikes, source(1000), { ...quiet, privacy_level: "SELF_ONLY" }))).toEqual([200, "ok"]);
  });
});

describe("the account's list", () => {
  const Listed = z.object({
    data: z.object({
      videos: z.array(z.looseObject({ id: z.string(), title: z.string().optional() })),
      cursor: z.number(),
      has_more: z.boolean(),
    }),
  });
  const list = async (as: string, body: object = {}) =>
    Listed.parse((await api(as, "video/list/?fields=id,title,share_url,create_time", body)).json).data;

  test("shows public posts only, newest first, page by page, late, and of a caption the beginning", async () => {
    const own = (await login(await newAccount("tiktok"))).access_token;
    const [first, last] = [unique("First"), unique(`${"Long ".repeat(40)}`)];
    await publishVideo(own, { title: first });
    await publishVideo(own, { title: "For me", privacy_level: "SELF_ONLY" });
    await advance(1_000);
    await publishPhotos(own, [sandbox.media("square.jpg")], { description: last });
    const page = await list(own, { max_count: 1 });
    expect(page).toMatchObject({ videos: [{ title: last.slice(0, 150) }], has_more: true });
    const next = await list(own, { max_count: 1, cursor: page.cursor });
    expect(next).toMatchObject({ videos: [{ title: first }], has_more: false });
    await settings({ tiktok_listing_lag_ms: 60_000 });
    expect((await list(own)).videos).toEqual([]);
    expect(said(await api(own, "video/list/", {}))).toEqual([400, "invalid_params"]);
    expect(said(await api(own, "video/list/?fields=id", { max_count: 21 }))).toEqual([400, "invalid_params"]);
  });

  test("a post is requested by its id; other people's are not found", async () => {
    const own = (await login(await newAccount("tiktok"))).access_token;
    await publishVideo(own);
    const [video] = (await list(own)).videos;
    const query = (as: string) =>
      api(as, "video/query/?fields=id", { filters: { video_ids: [video?.id] } }).then(({ json }) => json);
    expect(await query(own)).toMatchObject({ data: { videos: [{ id: video?.id }] } });
    expect(await query(token)).toMatchObject({ data: { videos: [] } });
  });
});

test("without a token there is no answer but that", async () => {
  const bare = await send(`${API}/post/publish/creator_info/query/`, { method: "POST" });
  expect(said(bare)).toEqual([401, "access_token_invalid"]);
});
