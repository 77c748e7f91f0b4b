import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { send } from "../../support/platform.ts";
import { uniquely } from "../../support/random.ts";
import { sandbox } from "../../support/sandbox.ts";
import {
  ACME,
  APP,
  actingWith,
  api,
  calmThreads,
  clock,
  exchangeToken,
  FERN,
  failing,
  idIn,
  LOST,
  redeem,
  SCOPES,
  threadsCode,
  threadsLogin,
  tokenCall,
  tokenIn,
} from "../../support/threads.ts";
import { HOUR } from "../../support/times.ts";

/** What the simulated Threads promises of logins, tokens and containers (threads.md §4.2). */

const { settings } = sandbox;
const flat = (error_message: unknown) => ({
  status: 400,
  json: { error_type: "OAuthException", code: 400, error_message },
});

let token = "";
beforeAll(async () => {
  token = await threadsLogin();
});
beforeEach(calmThreads);

const acting = () => actingWith(token);
type Acting = ReturnType<typeof acting>;
const text: Acting["text"] = (...given) => acting().text(...given);
const publish: Acting["publish"] = (id) => acting().publish(id);
const published: Acting["published"] = (...given) => acting().published(...given);
const status: Acting["status"] = (id) => acting().status(id);

describe("logging in", () => {
  test("by GET or POST, once, to the very address, with an id of more digits than a number holds", async () => {
    const code = await threadsCode();
    expect(await redeem(code, { redirect_uri: "https://other.test/connect/callback/threads" })).toMatchObject(
      flat(expect.stringContaining("redirect_uri")),
    );
    const answer = await redeem(code, {}, "GET");
    expect(answer.text).toContain(`"user_id":${FERN}`);
    expect(await redeem(code)).toMatchObject(flat("This authorization code has been used"));
    expect((await redeem(await threadsCode())).status).toBe(200);
  });

  test("takes an hour at most, and the app's own id and secret", async () => {
    const code = await threadsCode();
    await clock(HOUR + 1000);
    expect(await redeem(code)).toMatchObject(flat("This authorization code has expired"));
    expect(await redeem(await threadsCode(), { client_id: "1" })).toMatchObject(flat("Invalid platform app"));
    expect(await redeem(await threadsCode(), { client_secret: "x" })).toMatchObject(
      flat(expect.stringContaining("secret")),
    );
  });

  test("comes back with a fragment; a refusal with its reason", async () => {
    const query = { client_id: APP.client_id, scope: SCOPES, response_type: "code", state: "s" };
    const redirect_uri = "https://any.test/connect/callback/threads";
    const form = (decision: string) =>
      new URLSearchParams([
        ...Object.entries({ ...query, redirect_uri }).map(([name, value]) => [`query.${name}`, value]),
        ["decision", decision],
        ["account", FERN],
      ]);
    const decide = (decision: string) =>
      send("https://threads.net/oauth/authorize", { method: "POST", body: form(decision) });
    expect((await decide("allow")).headers.get("location")).toMatch(/code=AQB\w+&state=s#_$/);
    expect((await decide("deny")).headers.get("location")).toContain("error=access_denied&error_reason=user_denied");
  });

  test.for([
    ["an address that is not registered", { redirect_uri: "https://any.test/elsewhere" }],
    ["another app", { client_id: "1" }],
    ["a scope that it does not know", { scope: "threads_basic,threads_everything" }],
    ["no basic scope", { scope: "threads_content_publish" }],
  ] as const)("begins with no page for %s", async ([, wrong]) => {
    const query = {
      client_id: APP.client_id,
      scope: SCOPES,
      response_type: "code",
      redirect_uri: "https://a.test/connect/callback/threads",
    };
    const address = `https://www.threads.net/oauth/authorize?${new URLSearchParams({ ...query, ...wrong })}`;
    expect((await send(address)).status).toBe(400);
  });
});

describe("tokens", () => {
  test("of an hour become ones of sixty days, which are refreshed after a day and until their end", async () => {
    const short = tokenIn(await redeem(await threadsCode()));
    const long = await exchangeToken(short);
    expect(long.json).toMatchObject({ token_type: "bearer", expires_in: 5_184_000 });
    expect((await exchangeToken(tokenIn(long))).status).not.toBe(200);
    const refresh = (access_token: string) =>
      tokenCall("GET", "/refresh_access_token", { grant_type: "th_refresh_token", access_token });
    expect(await refresh(tokenIn(long))).toMatchObject(failing(100));
    expect((await refresh(short)).status).not.toBe(200);
    await clock(2 * HOUR);
    expect(await exchangeToken(short)).toMatchObject(failing(190, 463));
    await clock(25 * HOUR);
    const newer = await refresh(tokenIn(long));
    expect(newer.status).toBe(200);
    await clock(61 * 24 * HOUR);
    expect(await refresh(tokenIn(long))).toMatchObject(failing(190, 463));
    expect((await api("GET", "me", tokenIn(newer))).status).toBe(200);
  });

  test("say what they allow, to the app", async () => {
    const app = tokenIn(await tokenCall("GET", "/oauth/access_token", { ...APP, grant_type: "client_credentials" }));
    expect(app).toMatch(/^TH\|/);
    const own = await threadsLogin(FERN, "threads_basic,threads_content_publish");
    const { json } = await api("GET", "debug_token", app, { input_token: own });
    expect(json).toMatchObject({
      data: { is_valid: true, user_id: FERN, scopes: ["threads_basic", "threads_content_publish"] },
    });
  });

  test("stand in the query, a form, a multipart form or a header", async () => {
    const url = "https://graph.threads.net/v1.0/me/threads";
    const authorization = `Bearer ${token}`;
    const form = new FormData();
    for (const [name, value] of Object.entries({ access_token: token, media_type: "TEXT", text: "x" }))
      form.set(name, value);
    const json = { method: "POST", headers: { authorization, "content-type": "application/json" } };
    for (const sent of [
      send(`${url}?${new URLSearchParams({ access_token: token, media_type: "TEXT", text: "x" })}`, { method: "POST" }),
      send(url, { method: "POST", body: form }),
      send(url, { ...json, body: JSON.stringify({ media_type: "TEXT", text: "x" }) }),
    ]) {
      expect(idIn(await sent)).toMatch(/^1784\d{13}$/);
    }
  });

  test.for([
    ["threads_content_publish", () => "POST me/threads"],
    ["threads_delete", (id: string) => `DELETE ${id}`],
    ["threads_read_replies", () => "GET me/replies"],
    ["threads_manage_replies", (id: string) => `POST ${id}/manage_reply`],
  ] as const)("without %s are refused what needs it", async ([scope, call]) => {
    const less = await threadsLogin(
      FERN,
      SCOPES.split(",")
        .filter((one) => one !== scope)
        .join(","),
    );
    const [method = "GET", path = ""] = call(await published(uniquely("Scoped"))).split(" ");
    const verb = z.enum(["GET", "POST", "DELETE"]).parse(method);
    expect(await api(verb, path, less, {})).toMatchObject({ ...failing(10), status: 403 });
  });
});

describe("containers", () => {
  test("go from IN_PROGRESS over FINISHED to PUBLISHED, and end after a day", async () => {
    await settings({ processing_ms: 10_000 });
    const id = idIn(await text(uniquely("States")));
    expect(await status(id)).toEqual({ id, status: "IN_PROGRESS" });
    expect(await publish(id)).toMatchObject(failing(9007, 2_207_027));
    await clock(11_000);
    expect(await status(id)).toEqual({ id, status: "FINISHED" });
    await clock(24 * HOUR);
    expect(await status(id)).toEqual({ id, status: "EXPIRED" });
    expect(await publish(id)).toMatchObject(LOST);
    await clock(12_000);
    expect((await publish(id)).status).toBe(200);
    expect(await status(id)).toEqual({ id, status: "PUBLISHED" });
  });

  test.for([
    ["lost", 0],
    ["same", 0],
    ["doubled", 1],
  ] as const)("that are published twice: %s", async ([mode, more]) => {
    await settings({ threads_second_publish: mode });
    const words = uniquely("Twice");
    const id = idIn(await text(words));
    const first = idIn(await publish(id));
    const second = await publish(id);
    if (mode === "lost") expect(second).toMatchObject(LOST);
    else expect(idIn(second) === first).toBe(mode === "same");
    expect(await sandbox.postsWith(words)).toHaveLength(1 + more);
  });

  test("are not found at first where a setting says so, also finished and of texts", async () => {
    await settings({ threads_publish_race: 2 });
    const id = idIn(await text(uniquely("Race")));
    expect([await publish(id), await publish(id)]).toMatchObject([LOST, LOST]);
    expect((await publish(id)).status).toBe(200);
  });

  test("may go live late, and read FINISHED until then", async () => {
    await settings({ threads_late_publish_ms: 60_000 });
    const words = uniquely("Late");
    const id = idIn(await text(words));
    const post = idIn(await publish(id));
    expect([await status(id), await api("GET", post, token)]).toMatchObject([{ status: "FINISHED" }, failing(100, 33)]);
    expect(await sandbox.postsWith(words)).toEqual([]);
    await clock(61_000);
    expect(await status(id)).toMatchObject({ status: "PUBLISHED" });
    expect(await sandbox.postsWith(words)).toHaveLength(1);
  });

  test("are no posts, and posts no containers", async () => {
    const post = await published(uniquely("A post"));
    const wrong = await api("GET", post, token, { fields: "status" });
    expect(wrong).toMatchObject(failing(100));
    expect(wrong.text).toContain("Tried accessing nonexisting field (status)");
    expect(await publish(post)).toMatchObject(LOST);
  });

  test("belong to their profile; a stale number of it is as lost", async () => {
    const other = await threadsLogin(ACME);
    const id = idIn(await text(uniquely("Mine")));
    expect(await actingWith(other).publish(id)).toMatchObject(LOST);
    expect(await api("POST", `${ACME}/threads`, token, { media_type: "TEXT", text: "x" })).toMatchObject(LOST);
  });

  test("of texts can publish themselves", async () => {
    const words = uniquely("At once");
    await text(words, { auto_publish_text: "true" });
    expect(await sandbox.postsWith(words)).toHaveLength(1);
  });
});
