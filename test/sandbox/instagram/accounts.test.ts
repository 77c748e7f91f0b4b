import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { advance } from "../../support/clock.ts";
import {
  APP,
  accountToken,
  calmInstagram,
  exchange,
  exchangeAtInstagram,
  FERN,
  FERN_PAGE,
  facebookCode,
  graph,
  HARBOUR,
  idIn,
  instagramCode,
  media,
  personToken,
  REDIRECT,
  SCOPES,
  settings,
  tokenIn,
} from "../../support/instagram.ts";
import { facebookPage, send, VERIFIER } from "../../support/platform.ts";
import { sandbox } from "../../support/sandbox.ts";
import { DAY } from "../../support/times.ts";

/** What the simulated Instagram promises of logins, of its hosts, of comments and of messages. */

beforeAll(calmInstagram);
afterEach(calmInstagram);

const error = (code: number, error_subcode?: number) => ({
  error: expect.objectContaining(error_subcode === undefined ? { code } : { code, error_subcode }),
});

describe("Facebook Login", () => {
  test("a code works once, for its redirect and its verifier", async () => {
    const grant = { redirect_uri: REDIRECT, code: await facebookCode(), code_verifier: VERIFIER };
    expect((await exchange({ ...grant, redirect_uri: "https://any.test/elsewhere" })).json).toMatchObject(error(191));
    expect((await exchange({ ...grant, redirect_uri: `${REDIRECT}?x=1` })).status).toBe(400);
    expect((await exchange({ ...grant, code_verifier: "x".repeat(50) })).json).toMatchObject(error(100));
    expect((await exchange(grant)).json).toMatchObject({ token_type: "bearer", expires_in: 3600 });
    expect((await exchange(grant)).json).toMatchObject(error(100, 36009));
  });

  test("the Pages lead to the accounts; one without an account has no field for it", async () => {
    const token = await personToken([FERN]);
    const { json } = await graph({ login: "facebook", token }, "GET", "me/accounts", {
      fields: "id,tasks,instagram_business_account{id,username}",
    });
    expect(json).toMatchObject({
      data: [
        { id: FERN_PAGE, instagram_business_account: { id: FERN, username: "fernandoak" } },
        expect.not.objectContaining({ instagram_business_account: expect.anything() }),
      ],
    });
  });

  test("a login opens the accounts that were selected, and what was allowed", async () => {
    const token = await personToken([FERN], ["pages_show_list", "pages_read_engagement", "instagram_basic"]);
    expect((await graph({ login: "facebook", token }, "GET", FERN, { fields: "username" })).json).toEqual({
      id: FERN,
      username: "fernandoak",
    });
    expect((await graph({ login: "facebook", token }, "GET", HARBOUR)).json).toMatchObject(error(100, 33));
    const made = await graph({ login: "facebook", token }, "POST", `${FERN}/media`, { image_url: media("square.jpg") });
    expect(made).toMatchObject({ status: 403, json: error(200) });
  });

  test("calls have a proof where that is required", async () => {
    const token = await personToken();
    await settings({ instagram_require_appsecret_proof: true });
    expect((await graph({ login: "facebook", token }, "GET", FERN)).json).toMatchObject(error(100));
  });

  test("a long token is exchanged for another, which may or may not live longer; a dead one is not", async () => {
    const token = await personToken();
    const again = (sent: string) => exchange({ grant_type: "fb_exchange_token", fb_exchange_token: sent });
    await advance(10 * DAY);
    expect((await again(token)).json).toMatchObject({ expires_in: 5_184_000 });
    await settings({ instagram_prolongs: false });
    expect((await again(token)).json).toMatchObject({ expires_in: expect.closeTo(50 * 86_400, -2) });
    await advance(51 * DAY);
    expect((await again(token)).json).toMatchObject(error(190, 463));
  });

  test("a token can be revoked, alone", async () => {
    const [one, other] = [await personToken(), await personToken()];
    const app = `${APP.client_id}|${APP.client_secret}`;
    const query = new URLSearchParams({ ...APP, revoke_token: one, access_token: app });
    const answer = await send(`https://graph.facebook.com/v27.0/oauth/revoke?${query}`);
    expect(answer.json).toEqual({ success: true });
    expect((await graph({ login: "facebook", token: one }, "GET", FERN)).json).toMatchObject(error(190, 458));
    expect((await graph({ login: "facebook", token: other }, "GET", FERN)).status).toBe(200);
  });
});

describe("Instagram Login", () => {
  test("sends back a code with a mark; it works once, without the mark", async () => {
    const { code, mark } = await instagramCode();
    expect(mark).toBe("#_");
    expect(await exchangeAtInstagram({ code: `${code}#_` })).toMatchObject({
      status: 400,
      json: { error_type: "OAuthException", code: 400, error_message: expect.any(String) },
    });
    const answer = await exchangeAtInstagram({ code });
    // A number that a number cannot hold.
    expect(answer.text).toContain(`"user_id":${FERN}`);
    expect(answer.json).toMatchObject({ permissions: expect.arrayContaining(["instagram_business_basic"]) });
    expect((await exchangeAtInstagram({ code })).status).toBe(400);
    expect((await exchangeAtInstagram({ code, client_id: APP.client_id })).json).toMatchObject({
      error_message: "Invalid platform app",
    });
  });

  test("may answer in a list, with the permissions as a text", async () => {
    await settings({ instagram_exchange: "wrapped" });
    const { json } = await exchangeAtInstagram({ code: (await instagramCode()).code });
    expect(json).toMatchObject({ data: [{ permissions: expect.stringContaining("instagram_business_basic,") }] });
  });

  test("refreshes a token that is a day old, and no other", async () => {
    const token = await accountToken();
    const refresh = (sent: string) =>
      send(
        `https://graph.instagram.com/refresh_access_token?${new URLSearchParams({ grant_type: "ig_refresh_token", access_token: sent })}`,
      );
    expect((await refresh(token)).status).toBe(400);
    await advance(DAY + 1000);
    const renewed = tokenIn(await refresh(token));
    await advance(59 * DAY);
    expect((await refresh(token)).json).toMatchObject(error(190, 463));
    expect(
      (await graph({ login: "instagram", token: renewed }, "GET", "me", { fields: "user_id,username" })).json,
    ).toMatchObject({
      user_id: FERN,
      username: "fernandoak",
    });
  });

  test("deletes nothing, and uploads nothing by parts", async () => {
    const token = await accountToken();
    const container = await graph({ login: "instagram", token }, "POST", `${FERN}/media`, {
      image_url: media("square.jpg"),
    });
    const made = await graph({ login: "instagram", token }, "POST", `${FERN}/media_publish`, {
      creation_id: idIn(container),
    });
    expect((await graph({ login: "instagram", token }, "DELETE", idIn(made))).json).toMatchObject(error(100));
    const fields = { media_type: "REELS", upload_type: "resumable" };
    expect((await graph({ login: "instagram", token }, "POST", `${FERN}/media`, fields)).json).toMatchObject(
      error(100),
    );
  });
});

describe("hosts", () => {
  test("a token is of one login, and works on its host alone", async () => {
    const [facebook, instagram] = [await personToken(), await accountToken()];
    expect((await graph({ login: "instagram", token: facebook }, "GET", "me")).json).toMatchObject(error(190));
    expect((await graph({ login: "facebook", token: instagram }, "GET", FERN)).json).toMatchObject(error(190));
  });

  test("Facebook's are shared: the token decides whose a request is", async () => {
    await settings({ facebook_require_appsecret_proof: false });
    const page = await facebookPage();
    expect((await graph({ login: "facebook", token: page }, "GET", "104000000000001", { fields: "name" })).status).toBe(
      200,
    );
    expect((await graph({ login: "facebook", token: page }, "GET", FERN)).status).toBe(400);
    const answer = await send("https://graph.facebook.com/v27.0/me", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ access_token: await personToken(), hide: "true" }),
    });
    await settings({ facebook_require_appsecret_proof: true });
    expect(answer.json).toMatchObject(error(100));
  });
});

describe("comments and messages", () => {
  async function livePost(token: string): Promise<string> {
    const container = await graph({ login: "facebook", token }, "POST", `${FERN}/media`, {
      image_url: media("square.jpg"),
    });
    return idIn(
      await graph({ login: "facebook", token }, "POST", `${FERN}/media_publish`, { creation_id: idIn(container) }),
    );
  }
  const Written = z.looseObject({ id: z.string() });
  const write = async (post_id: string, author: string, text: string) =>
    Written.parse(await sandbox.control("POST", "comments", { platform: "instagram", post_id, author, text })).id;

  test("answers hang under the top-level comment; hidden ones take none; own ones cannot be hidden", async () => {
    const token = await personToken();
    const post = await livePost(token);
    const theirs = await write(post, "ada.l", "Is this still in stock?");
    const answer = idIn(await graph({ login: "facebook", token }, "POST", `${theirs}/replies`, { message: "Yes" }));
    await graph({ login: "facebook", token }, "POST", `${answer}/replies`, { message: "It is" });
    const own = idIn(await graph({ login: "facebook", token }, "POST", `${post}/comments`, { message: "Ours" }));
    const fields = "id,text,username,hidden,replies{text,parent_id}";
    expect((await graph({ login: "facebook", token }, "GET", `${post}/comments`, { fields })).json).toMatchObject({
      data: [
        { id: own, username: "fernandoak" },
        {
          id: theirs,
          username: "ada.l",
          replies: {
            data: [
              { text: "It is", parent_id: theirs },
              { text: "Yes", parent_id: theirs },
            ],
          },
        },
      ],
    });
    for (const id of [theirs, own]) await graph({ login: "facebook", token }, "POST", id, { hide: "true" });
    const listed = async (login: "facebook" | "instagram", by: string) => {
      const { json } = await graph({ login, token: by }, "GET", `${post}/comments`, { fields: "id,hidden" });
      return json;
    };
    expect(JSON.stringify(await listed("facebook", token))).not.toContain(theirs);
    const hidden = async (id: string) =>
      (await graph({ login: "facebook", token }, "GET", id, { fields: "hidden" })).json;
    expect([await hidden(theirs), await hidden(own)]).toMatchObject([{ hidden: true }, { hidden: false }]);
    expect(
      (await graph({ login: "facebook", token }, "POST", `${theirs}/replies`, { message: "No" })).json,
    ).toMatchObject(error(100));
    expect((await graph({ login: "facebook", token }, "DELETE", theirs)).json).toEqual({ success: true });
    expect((await graph({ login: "facebook", token }, "GET", theirs)).json).toMatchObject(error(100, 33));
  });

  test("at most fifty are on a page, and none where they were switched off", async () => {
    const token = await personToken();
    const post = await livePost(token);
    for (let at = 0; at < 52; at++) await write(post, "ada.l", `Number ${at}`);
    const page = await graph({ login: "facebook", token }, "GET", `${post}/comments`, { limit: "100" });
    expect(page.json).toMatchObject({ data: { length: 50 }, paging: { next: expect.any(String) } });
    await graph({ login: "facebook", token }, "POST", post, { comment_enabled: "false" });
    expect(
      (await graph({ login: "facebook", token }, "POST", `${post}/comments`, { message: "x" })).json,
    ).toMatchObject(error(100));
  });

  const reply = (comment_id: string, text = "Here is the link") => ({
    recipient: JSON.stringify({ comment_id }),
    message: JSON.stringify({ text }),
  });

  test("a comment is answered in private once, within a week, by the Page's token at the Page", async () => {
    const token = await personToken();
    const post = await livePost(token);
    const [first, second] = [await write(post, "ada.l", "One"), await write(post, "ada.l", "Two")];
    const page = tokenIn(await graph({ login: "facebook", token }, "GET", FERN_PAGE, { fields: "access_token" }));
    const say = (as: string, node: string, id: string, text?: string) =>
      graph({ login: "facebook", token: as }, "POST", `${node}/messages`, reply(id, text));
    expect((await say(page, FERN, first)).json).toMatchObject(error(3));
    expect((await say(token, FERN_PAGE, first)).json).toMatchObject(error(190));
    expect((await say(page, FERN_PAGE, first, "é".repeat(501))).json).toMatchObject(error(100, 2534015));
    expect((await say(page, FERN_PAGE, first)).json).toMatchObject({ message_id: expect.any(String) });
    expect((await say(page, FERN_PAGE, first)).json).toMatchObject(error(10900));
    const said = { platform: "instagram", fields: "messages{id,message,from,created_time}" };
    const conversations = (as: string, user_id?: string) =>
      graph(
        { login: "facebook", token: as },
        "GET",
        `${FERN_PAGE}/conversations`,
        user_id === undefined ? said : { ...said, user_id },
      );
    const shown = { message: "Here is the link", from: { id: FERN }, created_time: expect.any(String) };
    expect((await conversations(page)).json).toMatchObject({ data: [{ messages: { data: [shown] } }] });
    expect((await conversations(page, "1")).json).toEqual({ data: [] });
    expect((await conversations(token)).json).toMatchObject(error(190));
    await advance(8 * DAY);
    expect((await say(page, FERN_PAGE, second)).json).toMatchObject(error(10, 2534040));
    expect(await sandbox.control("GET", "messages?platform=instagram")).toMatchObject([
      { comment_id: first, recipient: "ada.l", text: "Here is the link" },
    ]);
  });

  test("with Instagram Login it is the account that answers", async () => {
    const token = await accountToken();
    const container = await graph({ login: "instagram", token }, "POST", `${FERN}/media`, {
      image_url: media("square.jpg"),
    });
    const post = idIn(
      await graph({ login: "instagram", token }, "POST", `${FERN}/media_publish`, { creation_id: idIn(container) }),
    );
    const comment = await write(post, "bea.k", "One");
    const answer = await graph({ login: "instagram", token }, "POST", `${FERN}/messages`, reply(comment));
    expect(answer.json).toMatchObject({ message_id: expect.any(String) });
  });
});

test("what is not allowed at the login is not done: every scope is checked", async () => {
  const lacking = (scope: string) =>
    personToken(
      [FERN],
      SCOPES.filter((one) => one !== scope),
    );
  const post = async (token: string) => {
    const container = await graph({ login: "facebook", token }, "POST", `${FERN}/media`, {
      image_url: media("square.jpg"),
    });
    return graph({ login: "facebook", token }, "POST", `${FERN}/media_publish`, { creation_id: idIn(container) });
  };
  const whole = await personToken();
  const live = idIn(await post(whole));
  const withoutComments = await lacking("instagram_manage_comments");
  expect((await graph({ login: "facebook", token: withoutComments }, "GET", `${live}/comments`)).status).toBe(403);
  expect(
    (await graph({ login: "facebook", token: await lacking("instagram_manage_contents") }, "DELETE", live)).status,
  ).toBe(403);
  expect(
    (await graph({ login: "facebook", token: await lacking("instagram_basic") }, "GET", `${FERN}/media`)).status,
  ).toBe(403);
  expect(
    (await graph({ login: "facebook", token: await lacking("pages_read_engagement") }, "GET", `${FERN}/media`)).status,
  ).toBe(403);
  expect((await graph({ login: "facebook", token: whole }, "DELETE", live)).json).toEqual({
    success: true,
    deleted_id: live,
  });
});
