import { env } from "cloudflare:workers";
import { beforeAll, describe, test } from "vitest";
import type { AppCredentials } from "../../../src/platforms/context.ts";
import { linkedin } from "../../../src/platforms/linkedin/index.ts";
import { readConfig } from "../../../src/service/config.ts";
import { accountContext, NOW, type Scripted, scriptedSend } from "../../scripted-send.ts";

/** Logging in at LinkedIn, and what a login yields. */

const { oauth } = linkedin;
const { renewal } = linkedin.grants.publish;
const GRANT = { code: "C", redirectUri: "https://belfry.example/connect/callback/linkedin", codeVerifier: null };
const MEMBER = ["openid", "profile", "w_member_social"];
const PAGES = [
  "rw_organization_admin",
  "r_organization_social",
  "w_organization_social",
  "r_organization_social_feed",
  "w_organization_social_feed",
  "w_member_social_feed",
];

const token = (scopes: readonly string[], more: object = {}): Scripted => ({
  body: { access_token: "A", expires_in: 5_184_000, scope: scopes.join(","), token_type: "Bearer", ...more },
});
const ME: Scripted = { body: { sub: "zX81", name: "Ana Ruiz", picture: "https://media.licdn.com/1" } };
const acls = (...elements: readonly object[]): Scripted => ({ body: { elements } });
const acl = (id: number, role: string, more: object = {}) => {
  return { role, state: "APPROVED", organization: `urn:li:organization:${id}`, ...more };
};
const page = (localizedName: string, vanityName: string): Scripted => ({ body: { id: 1, localizedName, vanityName } });

async function exchange(...answers: readonly (Scripted | "lost")[]) {
  const { send, calls } = scriptedSend(...answers);
  return { outcome: await oauth.exchange(accountContext(send), GRANT), calls };
}

describe("the consent page", () => {
  const scopesOf = (options: AppCredentials["options"]) => {
    const app = { id: "app", secret: "s", ...(options === undefined ? {} : { options }) };
    const url = oauth.authorizeUrl(app, { redirectUri: GRANT.redirectUri, state: "S", codeChallenge: null });
    expectPlain(url);
    return url.searchParams.get("scope")?.split(" ");
  };
  const expectPlain = ({ search }: URL) => {
    if (search.includes("+")) throw new Error(`A plus in ${search}`);
  };

  test("requests both products, unless the operator names fewer", ({ expect }) => {
    expect(scopesOf(undefined)).toEqual([...MEMBER, ...PAGES]);
    expect(scopesOf({ products: "member" })).toEqual(MEMBER);
    expect(scopesOf({ products: "pages" })).toEqual(PAGES);
    expect(scopesOf({ products: "pages, member" })).toEqual([...MEMBER, ...PAGES]);
    expect(scopesOf({ products: "something" })).toEqual([...MEMBER, ...PAGES]);
  });
});

test("the code is exchanged with the secret in the form; the person comes first, then the pages by name", async ({
  expect,
}) => {
  const { outcome, calls } = await exchange(
    token([...MEMBER, ...PAGES], { refresh_token: "R", refresh_token_expires_in: 31_536_000 }),
    ME,
    acls(acl(1, "ANALYST"), acl(2, "CONTENT_ADMIN"), acl(2, "ADMINISTRATOR")),
    page("Fern & Oak", "fern"),
    { status: 403, body: { status: 403, code: "ACCESS_DENIED" } },
  );
  expect(calls[0]?.form).toEqual({
    grant_type: "authorization_code",
    code: "C",
    redirect_uri: GRANT.redirectUri,
    client_id: "app",
    client_secret: "app secret",
  });
  const publish = {
    accessToken: "A",
    refreshToken: "R",
    expiresAt: NOW + 5_184_000_000,
    scopes: [...MEMBER, ...PAGES],
  };
  expect(outcome).toMatchObject({
    kind: "granted",
    accounts: [
      { id: "urn:li:person:zX81", name: "Ana Ruiz", pictureUrl: "https://media.licdn.com/1", grants: { publish } },
      {
        id: "urn:li:organization:2",
        name: "Fern & Oak",
        username: "fern",
        attributes: { role: "ADMINISTRATOR" },
        grants: { publish },
      },
      {
        id: "urn:li:organization:1",
        name: "Page 1",
        grants: {},
        unusableReason: expect.stringContaining("post as Page 1"),
      },
    ],
  });
});

test("the version is on versioned calls only, and none of them names a role", async ({ expect }) => {
  const { calls } = await exchange(token([...MEMBER, ...PAGES]), ME, acls());
  expect(calls[1]?.url).toBe("https://api.linkedin.com/v2/userinfo");
  expect(calls[1]?.headers).not.toHaveProperty("linkedin-version");
  expect(calls[2]).toMatchObject({
    url: "https://api.linkedin.com/rest/organizationAcls",
    query: { q: "roleAssignee", state: "APPROVED" },
    headers: { "linkedin-version": "202609", "x-restli-method": "FINDER" },
  });
});

test.for([
  ["organization", { organization: "urn:li:organization:7" }],
  ["organizationTarget", { organizationTarget: "urn:li:organization:7" }],
] as const)("a page is named by %s", async ([, name], { expect }) => {
  const found = acls({ role: "ADMINISTRATOR", state: "APPROVED", ...name });
  const { outcome } = await exchange(token(PAGES), found, page("Seven", "seven"));
  expect(outcome).toMatchObject({ accounts: [{ id: "urn:li:organization:7", name: "Seven", unusableReason: null }] });
});

test.for([
  ["that was only asked for", { state: "REQUESTED" }],
  ["on something else", { organization: "urn:li:organizationBrand:7" }],
] as const)("a role %s is none", async ([, more], { expect }) => {
  const { outcome } = await exchange(token(PAGES), acls(acl(7, "ADMINISTRATOR", more)));
  expect(outcome).toMatchObject({ kind: "failed", reason: "rejected" });
});

test.for(["ADMINISTRATOR", "CONTENT_ADMINISTRATOR", "CONTENT_ADMIN", "DIRECT_SPONSORED_CONTENT_POSTER"])(
  "%s may post as the page",
  async (role, { expect }) => {
    const { outcome } = await exchange(token(PAGES), acls(acl(7, role)), page("Seven", "seven"));
    expect(outcome).toMatchObject({ accounts: [{ attributes: { role }, unusableReason: null }] });
  },
);

test("what a login was not given makes its accounts unusable, and says what is missing", async ({ expect }) => {
  const { outcome } = await exchange(
    token(["openid", "profile", "rw_organization_admin", "r_organization_social"]),
    ME,
    acls(acl(7, "ADMINISTRATOR")),
    page("Seven", "seven"),
  );
  expect(outcome).toMatchObject({
    accounts: [
      { grants: {}, unusableReason: expect.stringContaining("w_member_social") },
      { grants: {}, unusableReason: expect.stringContaining("w_organization_social") },
    ],
  });
});

test("an answer that does not repeat the scopes gives all that were requested", async ({ expect }) => {
  const { outcome } = await exchange({ body: { access_token: "A" } }, ME, acls());
  const publish = { expiresAt: NOW + 5_184_000_000, scopes: [...MEMBER, ...PAGES] };
  expect(outcome).toMatchObject({ accounts: [{ id: "urn:li:person:zX81", grants: { publish } }] });
});

test("a login of an app for people only requests no pages", async ({ expect }) => {
  const { outcome, calls } = await exchange(token(MEMBER), ME);
  expect(outcome).toMatchObject({ accounts: [{ id: "urn:li:person:zX81" }] });
  expect(calls).toHaveLength(2);
});

const REVOKED: Scripted = { status: 401, body: { status: 401, serviceErrorCode: 65601 } };

test("a token that is not in effect yet is tried three times, and then the login fails for now", async ({ expect }) => {
  const late = await exchange(token(MEMBER), REVOKED, REVOKED, ME);
  expect(late.outcome).toMatchObject({ kind: "granted" });
  const never = await exchange(token(MEMBER), REVOKED, REVOKED, REVOKED);
  expect(never.outcome).toMatchObject({ kind: "failed", reason: "down" });
});

test.for([
  ["who the person is", [token(MEMBER), "lost"]],
  ["which pages there are", [token(PAGES), { status: 503 }]],
  ["what a page is called", [token(PAGES), acls(acl(7, "ADMINISTRATOR")), "lost"]],
] as const)("a login that does not learn %s fails for now", async ([, answers], { expect }) => {
  expect((await exchange(...answers)).outcome).toMatchObject({ kind: "failed", reason: "down" });
});

const oauthError = (status: number, error: string, error_description: string): Scripted => {
  return { status, body: { error, error_description } };
};

test.for([
  ["a code that is over", oauthError(400, "invalid_redirect_uri", "… authorization code expired"), "rejected"],
  ["a code that was used", oauthError(401, "invalid_request", "authorization code not found"), "rejected"],
  ["our request", oauthError(400, "invalid_request", 'A required parameter "client_id" is missing'), "blocked"],
  ["our secret", oauthError(401, "invalid_client", "Client authentication failed"), "blocked"],
  ["nothing that it documents", { status: 500, body: "<html>" }, "down"],
] as const)("LinkedIn's word at the token endpoint may be about %s", async ([, answer, reason], { expect }) => {
  expect((await exchange(answer)).outcome).toMatchObject({ kind: "failed", reason });
});

describe("renewing", () => {
  const refresh = (...answers: readonly (Scripted | "lost")[]) => {
    const { send, calls } = scriptedSend(...answers);
    const context = accountContext(send);
    const expiresAt = answers.length > 1 ? NOW + 1000 : NOW;
    const credentials = { ...context.credentials, expiresAt, scopes: MEMBER };
    return renewal.refresh({ ...context, credentials }).then((outcome) => ({ outcome, calls }));
  };

  test("gives a new token by the same refresh token, and keeps what was allowed", async ({ expect }) => {
    const { outcome, calls } = await refresh({
      body: { access_token: "A2", expires_in: 5_184_000, refresh_token: "REFRESH", refresh_token_expires_in: 100 },
    });
    expect(outcome).toMatchObject({
      kind: "refreshed",
      credentials: { accessToken: "A2", refreshToken: "REFRESH", expiresAt: NOW + 5_184_000_000, scopes: MEMBER },
    });
    expect(calls[0]?.form).toMatchObject({ grant_type: "refresh_token", refresh_token: "REFRESH" });
  });

  test.for([
    ["LinkedIn's word", oauthError(400, "invalid_request", "The provided refresh token is expired"), "disconnected"],
    ["a gateway's page", { status: 400, body: "<html>" }, "down"],
    ["a limit", { status: 429 }, "throttled"],
    ["no answer", "lost", "down"],
  ] as const)("%s: only LinkedIn's word ends a connection", async ([, answer, reason], { expect }) => {
    expect((await refresh(answer)).outcome).toMatchObject({ kind: "failed", reason });
  });

  const OVER = oauthError(400, "invalid_request", "The provided refresh token is invalid, expired or revoked");

  test.for([
    ["that works on is shown as expiring", { body: { active: true, status: "active" } }, "permission_missing"],
    ["that is revoked too is over", { body: { active: false, status: "revoked" } }, "disconnected"],
    ["of which nothing is known now is asked for again", "lost", "down"],
    ["of which a gateway answers is asked for again", { status: 403, body: "<html>" }, "down"],
  ] as const)("no more, an access token %s", async ([, answer, reason], { expect }) => {
    const { outcome, calls } = await refresh(OVER, answer);
    expect(outcome).toMatchObject({ kind: "failed", reason });
    expect(calls[1]).toMatchObject({
      url: "https://www.linkedin.com/oauth/v2/introspectToken",
      form: { client_id: "app", client_secret: "app secret", token: "TOKEN" },
    });
  });

  test("needs a refresh token", async ({ expect }) => {
    const context = accountContext(scriptedSend().send);
    const credentials = { ...context.credentials, refreshToken: null };
    expect(await renewal.refresh({ ...context, credentials })).toMatchObject({ reason: "disconnected" });
  });
});

describe("our app, as LinkedIn sees it", () => {
  const findingsOn = (answer: Scripted | "lost") =>
    oauth.setup.check?.(accountContext(scriptedSend(answer).send), GRANT.redirectUri);
  const KNOWN: Scripted = { body: { active: false } };

  test.for([
    ["knows id and secret", KNOWN, true, "accepts"],
    ["does not", oauthError(401, "invalid_client", "Client authentication failed"), false, "does not accept"],
    ["cannot be asked", "lost", false, "did not answer"],
    ["is behind a gateway", { status: 401, body: "<html>" }, false, "did not answer"],
  ] as const)("which %s", async ([, answer, isGood, words], { expect }) => {
    const message = expect.stringContaining(words);
    expect(await findingsOn(answer)).toMatchObject([{ topic: "credentials", isGood, message }]);
  });
});

describe("the operator's variables", () => {
  const given = { ...env, LINKEDIN_CLIENT_ID: "id", LINKEDIN_CLIENT_SECRET: "secret" };
  let set: AppCredentials | null = null;
  beforeAll(() => {
    set = readConfig({ ...given, LINKEDIN_VERSION: "202701", LINKEDIN_PRODUCTS: "" }).appCredentials("linkedin", false);
  });

  test("reach the adapter under its own names; what is empty is not set", ({ expect }) => {
    expect(set).toEqual({ id: "id", secret: "secret", options: { version: "202701" } });
    expect(readConfig({ ...given }).appCredentials("linkedin", false)).toEqual({
      id: "id",
      secret: "secret",
      options: {},
    });
  });
});
