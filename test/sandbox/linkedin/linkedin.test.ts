import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { advance } from "../../support/clock.ts";
import {
  ALL,
  APP,
  asAna,
  calmLinkedin,
  consent,
  enc,
  entity,
  form,
  login,
  MEMBER,
  OAUTH,
  PAGE,
  published,
  REDIRECT,
  rest,
  restWith,
  SELF_SERVE,
  settings,
  Token,
} from "../../support/linkedin.ts";
import { send } from "../../support/platform.ts";
import { uniquely } from "../../support/random.ts";
import { sandbox } from "../../support/sandbox.ts";

/** What the simulated LinkedIn promises of logins, of its ground rules and of comments. */

let token = "";
let person = "";
beforeAll(async () => {
  ({ token, person } = await asAna());
});
afterEach(calmLinkedin);

const create = (body: object, as = token) => rest(as, "POST", "rest/posts", body);
const created = (commentary: string, more?: Readonly<Record<string, unknown>>) => published(token, commentary, more);

const ANALYSED = "urn:li:organization:9004";

describe("logins", () => {
  test("a scope that the app's products do not open ends the login", async () => {
    expect((await consent(SELF_SERVE, ALL)).get("error")).toBe("unauthorized_scope_error");
    expect((await consent(APP, ["r_member_social"])).get("error")).toBe("unauthorized_scope_error");
  });

  test("a code works once, with the same redirect, and the secret in the form", async () => {
    const code = (await consent(APP, ALL)).get("code") ?? "";
    const grant = { ...APP, grant_type: "authorization_code", code };
    const other = await form("accessToken", { ...grant, redirect_uri: "https://any.test/connect/callback/linkedin" });
    expect(other).toMatchObject({ status: 400, json: { error: "invalid_redirect_uri" } });
    const basic = await send(`${OAUTH}/accessToken`, {
      method: "POST",
      headers: { Authorization: `Basic ${btoa(`${APP.client_id}:${APP.client_secret}`)}` },
      body: new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: REDIRECT }),
    });
    expect(basic).toMatchObject({
      status: 400,
      json: { error_description: 'A required parameter "client_id" is missing' },
    });
    const wrong = await form("accessToken", { ...grant, client_secret: "another", redirect_uri: REDIRECT });
    expect(wrong).toMatchObject({ status: 401, json: { error: "invalid_client" } });
    const right = await form("accessToken", { ...grant, redirect_uri: REDIRECT });
    expect(Token.parse(right.json).scope.split(",")).toEqual(ALL.toSorted());
    const again = await form("accessToken", { ...grant, redirect_uri: REDIRECT });
    expect(again).toMatchObject({ status: 401, json: { error: "invalid_request" } });
  });

  test("a person's id is another for each app", async () => {
    const other = await login(SELF_SERVE, MEMBER);
    const me = await rest(other.access_token, "GET", "v2/userinfo");
    expect(me.json).toMatchObject({ name: "Ana Ruiz" });
    expect(me.text).not.toContain(person.slice("urn:li:person:".length));
  });

  test("another set of scopes ends the tokens before it; the same set does not", async () => {
    const first = await login(APP, MEMBER, "1002");
    await login(APP, MEMBER, "1002");
    expect((await rest(first.access_token, "GET", "v2/userinfo")).status).toBe(200);
    await login(APP, [...MEMBER, "email"], "1002");
    const ended = await rest(first.access_token, "GET", "v2/userinfo");
    expect(ended).toMatchObject({ status: 401, json: { serviceErrorCode: 65601, code: "REVOKED_ACCESS_TOKEN" } });
  });

  test("tokens that are empty, unknown, expired or withdrawn are distinguished", async () => {
    const bare = await send("https://api.linkedin.com/v2/userinfo");
    expect(bare).toMatchObject({ status: 401, json: { serviceErrorCode: 401, code: "EMPTY_ACCESS_TOKEN" } });
    expect((await rest("nonsense", "GET", "v2/userinfo")).json).toMatchObject({ serviceErrorCode: 65600 });
    await settings({ linkedin_access_token_seconds: 60 });
    const short = await login();
    await advance(61_000);
    expect((await rest(short.access_token, "GET", "v2/userinfo")).json).toMatchObject({ serviceErrorCode: 65602 });
    expect((await form("introspectToken", { ...APP, token: short.access_token })).json).toMatchObject({
      active: false,
      status: "expired",
    });
    expect((await form("introspectToken", { ...SELF_SERVE, token: short.access_token })).json).toEqual({
      active: false,
    });
    expect((await form("revoke", { ...APP, token: short.refresh_token })).status).toBe(200);
    const dead = await form("accessToken", { ...APP, grant_type: "refresh_token", refresh_token: short.refresh_token });
    expect(dead).toMatchObject({ status: 400, json: { error: "invalid_request" } });
  });
});

describe("the ground rules", () => {
  const read = (more: Record<string, string>) => restWith(more)(token, "GET", "rest/organizationAcls?q=roleAssignee");

  test.for(["202601", "202609", "202609.01", "20260301"])("version %s is served", async (version) => {
    expect((await read({ "Linkedin-Version": version })).status).toBe(200);
  });

  test.for([
    ["202511", "Requested version 20251101 is not active"],
    ["202610", "Requested version 20261001 is not active"],
    ["latest", "Requested version latest is not active"],
  ] as const)("version %s is not", async ([version, message]) => {
    const answer = await read({ "Linkedin-Version": version });
    expect(answer).toMatchObject({ status: 426, json: { code: "NONEXISTENT_VERSION", message } });
  });

  test("no version is a 400; unversioned paths want none", async () => {
    const headers = { Authorization: `Bearer ${token}` };
    const missing = await send("https://api.linkedin.com/rest/organizationAcls?q=roleAssignee", { headers });
    expect(missing).toMatchObject({ status: 400, json: { code: "VERSION_MISSING" } });
    expect((await send("https://api.linkedin.com/v2/userinfo", { headers })).status).toBe(200);
  });

  test("URNs are encoded wholly, in the path and in the query", async () => {
    const urn = await created(uniquely("Encoded"));
    expect((await rest(token, "GET", `rest/posts/${urn}`)).json).toMatchObject({ code: "ILLEGAL_ARGUMENT" });
    expect((await rest(token, "GET", `rest/posts?q=author&author=${PAGE}`)).json).toMatchObject({
      code: "PARAM_INVALID",
    });
    expect((await rest(token, "GET", `rest/posts/${enc(urn)}`)).status).toBe(200);
  });

  test("a strict sandbox refuses parameters that are not documented, another ignores them", async () => {
    expect((await rest(token, "GET", "rest/organizationAcls?q=roleAssignee&prompt=none")).status).toBe(400);
    await settings({ strict: false });
    expect((await rest(token, "GET", "rest/organizationAcls?q=roleAssignee&prompt=none")).status).toBe(200);
  });

  test("a token that may only write reads nothing and comments nowhere, and has few calls a day", async () => {
    const own = (await login(SELF_SERVE, MEMBER)).access_token;
    const sub = z.object({ sub: z.string() }).parse((await rest(own, "GET", "v2/userinfo")).json).sub;
    const author = `urn:li:person:${sub}`;
    const post = await create(entity(uniquely("Self-serve"), { author }), own);
    const urn = enc(post.headers.get("x-restli-id") ?? "");
    expect(post.status).toBe(201);
    const denied = { status: 403, json: { code: "ACCESS_DENIED", serviceErrorCode: 100 } };
    expect(await rest(own, "GET", `rest/posts/${urn}`)).toMatchObject(denied);
    expect(await rest(own, "GET", `rest/posts?q=author&author=${enc(author)}`)).toMatchObject(denied);
    expect(await rest(own, "GET", `rest/socialActions/${urn}/comments`)).toMatchObject(denied);
    const comment = { actor: author, object: decodeURIComponent(urn), message: { text: "First" } };
    expect(await rest(own, "POST", `rest/socialActions/${urn}/comments`, comment)).toMatchObject(denied);
    expect(await rest(own, "GET", "rest/images/urn%3Ali%3Aimage%3AC4x")).toMatchObject(denied);
    expect((await rest(own, "DELETE", `rest/posts/${urn}`)).status).toBe(204);
    await settings({ linkedin_self_serve_calls_per_day: 5 });
    expect(await rest(own, "GET", "v2/userinfo")).toMatchObject({
      status: 429,
      json: { serviceErrorCode: 101, message: expect.stringContaining("MEMBER DAY limit") },
    });
  });
});

describe("comments", () => {
  const path = (urn: string) => `rest/socialActions/${enc(urn).replaceAll("(", "%28").replaceAll(")", "%29")}/comments`;

  test.for([
    ["too long", { message: { text: "a".repeat(1251) } }, 400],
    ["by a page without that role", { actor: ANALYSED }, 403],
    ["on another thing", { object: "urn:li:activity:1" }, 400],
  ] as const)("that are %s are refused", async ([, more, status]) => {
    const urn = await created(uniquely("Refused"));
    const comment = { actor: PAGE, object: urn, message: { text: "x" }, ...more };
    expect((await rest(token, "POST", path(urn), comment)).status).toBe(status);
  });

  test("a closed post takes none; reactions are one of six", async () => {
    const urn = await created(uniquely("Closed"));
    const react = (reactionType: string) =>
      rest(token, "POST", `rest/reactions?actor=${enc(PAGE)}`, { root: urn, reactionType });
    expect((await react("PRAISE")).status).toBe(201);
    expect((await react("MAYBE")).status).toBe(400);
    const closing = { patch: { $set: { commentsState: "CLOSED" } } };
    expect((await rest(token, "POST", `rest/socialMetadata/${enc(urn)}?actor=${enc(PAGE)}`, closing)).status).toBe(204);
    expect((await rest(token, "POST", path(urn), { actor: PAGE, object: urn, message: { text: "x" } })).status).toBe(
      403,
    );
  });

  test("are reported as notifications of the page, with the pair of share and activity", async () => {
    const urn = await created(uniquely("Noticed"));
    const from = Date.now() - 1000;
    await sandbox.control("POST", "comments", {
      platform: "linkedin",
      post_id: urn,
      author: "Ada Reader",
      text: "Seen",
    });
    const query = `q=criteria&actions=List(COMMENT)&organizationalEntity=${enc(PAGE)}&timeRange=(start:${from},end:${Date.now() + 1000})`;
    const answer = await rest(token, "GET", `rest/organizationalEntityNotifications?${query}`);
    const Found = z.object({
      elements: z.array(z.looseObject({ decoratedSourcePost: z.looseObject({ entity: z.string() }) })),
    });
    const own = Found.parse(answer.json).elements.find(({ decoratedSourcePost }) => decoratedSourcePost.entity === urn);
    expect(own).toMatchObject({
      action: "COMMENT",
      sourcePost: expect.stringMatching(/^urn:li:activity:/),
      generatedActivity: expect.stringMatching(/^urn:li:comment:\(activity:\d+,\d+\)$/),
      decoratedGeneratedActivity: { comment: { text: "Seen" } },
    });
  });
});
