import { describe, test } from "vitest";
import { threads } from "../../../src/platforms/threads/index.ts";
import { accountContext, NOW, type Scripted, scriptedSend } from "../../scripted-send.ts";

/** Logging in at Threads, renewing, and our app as Threads sees it. */

const { oauth } = threads;
const { renewal } = threads.grants.publish;
const GRANT = { code: "C#_", redirectUri: "https://belfry.example/connect/callback/threads", codeVerifier: null };
const SCOPES = [...(oauth.scopesWith?.({}) ?? [])];
const DAYS = 24 * 60 * 60 * 1000;

const SHORT: Scripted = { body: { access_token: "SHORT", user_id: "26000000000000001" } };
const LONG: Scripted = { body: { access_token: "LONG", token_type: "bearer", expires_in: 5_183_944 } };
const APP: Scripted = { body: { access_token: "TH|app|x", token_type: "bearer" } };
const debugged = (scopes: readonly string[]): Scripted => ({ body: { data: { is_valid: true, scopes } } });
const ME: Scripted = {
  body: {
    id: "26000000000000001",
    username: "fernandoak",
    name: "Fern & Oak",
    threads_profile_picture_url: "https://p/1",
  },
};
const flat = (error_message: string): Scripted => {
  return { status: 400, body: { error_type: "OAuthException", code: 400, error_message } };
};
const graphError = (code: number, message: string, error_subcode?: number): Scripted => {
  return { status: 400, body: { error: { code, message, type: "OAuthException", error_subcode } } };
};

async function exchange(...answers: readonly (Scripted | "lost")[]) {
  const { send, calls } = scriptedSend(...answers);
  return { outcome: await oauth.exchange(accountContext(send), GRANT), calls };
}

test("the consent page gets every scope, by commas, without a challenge", ({ expect }) => {
  const app = { id: "app", secret: "s" };
  const url = oauth.authorizeUrl(app, { redirectUri: GRANT.redirectUri, state: "S", codeChallenge: null });
  expect(`${url.origin}${url.pathname}`).toBe("https://threads.net/oauth/authorize");
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: "app",
    redirect_uri: GRANT.redirectUri,
    response_type: "code",
    scope:
      "threads_basic,threads_content_publish,threads_delete,threads_read_replies,threads_manage_replies,threads_manage_insights",
    state: "S",
  });
});

test("a login that lacks deletion and replies can publish", async ({ expect }) => {
  const scopes = ["threads_basic", "threads_content_publish"];
  const { outcome } = await exchange(SHORT, LONG, APP, debugged(scopes), ME);
  expect(outcome).toMatchObject({ accounts: [{ grants: { publish: { scopes } }, unusableReason: null }] });
});

test.for([
  ["the app's token is refused", [{ status: 400, body: { error_type: "x", error_message: "y" } }]],
  ["its answer is lost", ["lost"]],
  ["the token cannot be looked at", [APP, graphError(100, "Unknown")]],
] as const)("what was granted is taken for what was asked where %s", async ([, answers], { expect }) => {
  const { outcome } = await exchange(SHORT, LONG, ...answers, ME);
  expect(outcome).toMatchObject({ accounts: [{ grants: { publish: { scopes: SCOPES } } }] });
});

test("a profile without a name goes by its handle", async ({ expect }) => {
  const { outcome } = await exchange(SHORT, LONG, APP, debugged(SCOPES), { body: { id: "1", username: "fern" } });
  expect(outcome).toMatchObject({ accounts: [{ name: "fern", username: "fern", pictureUrl: null }] });
});

test.for([
  ["a code that was used", [flat("This authorization code has been used")], "rejected"],
  ["a code that is over", [flat("This authorization code has expired")], "rejected"],
  ["our app", [flat("Invalid platform app")], "blocked"],
  ["our secret", [flat("Error validating client secret")], "blocked"],
  ["our redirect address", [flat("Error validating verification code. … redirect_uri is identical")], "blocked"],
  ["something else", [flat("Oops")], "blocked"],
  ["nothing that it documents", [{ status: 500, body: "<html>" }], "down"],
  ["nothing, for the answer is lost", ["lost"], "down"],
  ["the second exchange, in its other form", [SHORT, graphError(190, "Session has expired", 463)], "token_expired"],
  ["the profile, in its other form", [SHORT, LONG, APP, debugged(SCOPES), graphError(2, "Service")], "down"],
] as const)("Threads' word may be about %s", async ([, answers, reason], { expect }) => {
  expect((await exchange(...answers)).outcome).toMatchObject({ kind: "failed", reason });
});

describe("renewing", () => {
  const refresh = async (answer: Scripted | "lost") => {
    const { send, calls } = scriptedSend(answer);
    const context = accountContext(send);
    const credentials = { ...context.credentials, refreshToken: null, scopes: SCOPES };
    return { outcome: await renewal.refresh({ ...context, credentials }), calls };
  };

  test("presents the token itself, which must be more than a day old", async ({ expect }) => {
    const { outcome, calls } = await refresh({ body: { access_token: "NEW", expires_in: 5_184_000 } });
    expect(outcome).toEqual({
      kind: "refreshed",
      credentials: { accessToken: "NEW", refreshToken: null, expiresAt: NOW + 60 * DAYS, scopes: SCOPES },
    });
    expect(calls[0]).toMatchObject({
      method: "GET",
      url: "https://graph.threads.net/refresh_access_token",
      query: { grant_type: "th_refresh_token", access_token: "TOKEN" },
    });
    expect(renewal).toMatchObject({ by: "access_token" });
    expect(renewal.minAgeSeconds).toBeGreaterThan(24 * 60 * 60);
  });

  test.for([
    ["the token's end", graphError(190, "Session has expired", 463), "disconnected"],
    ["that the app was removed", graphError(190, "Not authorized", 458), "disconnected"],
    ["a token that is too young", graphError(100, "must be at least 24 hours old"), "down"],
    ["a limit", graphError(4, "Limit"), "throttled"],
    ["a gateway's page", { status: 400, body: "<html>" }, "down"],
    ["no answer", "lost", "down"],
  ] as const)("%s: only Threads' word on the token ends a connection", async ([, answer, reason], { expect }) => {
    expect((await refresh(answer)).outcome).toMatchObject({ kind: "failed", reason });
  });
});

describe("our app, as Threads sees it", () => {
  const findingsOn = (answer: Scripted | "lost") =>
    oauth.setup.check?.(accountContext(scriptedSend(answer).send), GRANT.redirectUri);

  test.for([
    ["knows id and secret", APP, true, "accepts"],
    ["does not, in the flat form", flat("Invalid platform app"), false, "does not accept"],
    ["does not, in Graph's form", graphError(101, "Error validating client secret."), false, "does not accept"],
    ["cannot be asked", "lost", false, "did not answer"],
    ["is behind a gateway", { status: 401, body: "<html>" }, false, "did not answer"],
  ] as const)("which %s", async ([, answer, isGood, words], { expect }) => {
    const message = expect.stringContaining(words);
    expect(await findingsOn(answer)).toMatchObject([{ topic: "credentials", isGood, message }]);
  });
});
