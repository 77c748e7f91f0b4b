import { test } from "vitest";
import type { RefusalTable } from "../../src/platforms/refusals.ts";
import { requestToken, type TokenEndpoint } from "../../src/platforms/tokens.ts";
import { accountContext, NOW, type Scripted, scriptedSend } from "../scripted-send.ts";

/**
 * Token endpoints as platforms have them: fields of the form, commas between scopes, refusals with the status
 * of a success.
 */
const TABLE: RefusalTable = {
  title: "Anybody",
  problemOf: () => null,
  rows: [],
  documentedAt: [],
  waitSeconds: () => 9,
  heldBack: [],
};
const ENDPOINT: TokenEndpoint = {
  url: "https://open.example.com/v2/oauth/token/",
  table: TABLE,
  client: { id: "client_key", secret: "client_secret" },
  refusals: ["invalid_grant"],
  assumed: { expiresInSeconds: null, scopes: ["assumed"] },
};
const REFUSAL = { reason: "disconnected", message: "Anybody has ended this connection." } as const;

async function request(answer: Scripted | "lost", endpoint = ENDPOINT) {
  const { send, calls } = scriptedSend(answer);
  const outcome = await requestToken(accountContext(send), endpoint, { grant_type: "refresh_token" }, REFUSAL);
  return { outcome, call: calls[0] };
}

test("the app proves itself by fields of the form, or by Basic authentication", async ({ expect }) => {
  const done = { body: { access_token: "A" } };
  expect((await request(done)).call).toEqual({
    method: "POST",
    url: ENDPOINT.url,
    form: { grant_type: "refresh_token", client_key: "app", client_secret: "app secret" },
  });
  expect((await request(done, { ...ENDPOINT, client: "basic" })).call).toEqual({
    method: "POST",
    url: ENDPOINT.url,
    headers: { authorization: `Basic ${btoa("app:app%20secret")}` },
    form: { grant_type: "refresh_token" },
  });
});

test("scopes come with commas or blanks between them; what is not reported is assumed", async ({ expect }) => {
  const full = { access_token: "A", refresh_token: "R", expires_in: 60, scope: "a.b,c  d, e" };
  expect((await request({ body: full })).outcome).toEqual({
    kind: "ok",
    value: { accessToken: "A", refreshToken: "R", expiresAt: NOW + 60_000, scopes: ["a.b", "c", "d", "e"] },
  });
  expect((await request({ body: { access_token: "A" } })).outcome).toEqual({
    kind: "ok",
    value: { accessToken: "A", refreshToken: null, expiresAt: null, scopes: ["assumed"] },
  });
});

test.for([
  ["a refusal with the status of a success", { body: { error: "invalid_grant" } }, "disconnected"],
  ["a refusal", { status: 400, body: { error: "invalid_grant", error_description: "expired" } }, "disconnected"],
  ["an error that is our fault here", { status: 400, body: { error: "invalid_request" } }, "blocked"],
  [
    "a refusal that misses a parameter",
    { status: 400, body: { error: "invalid_grant", error_description: "Missing required parameter [code]." } },
    "blocked",
  ],
  [
    "a refusal that requires a parameter",
    { status: 400, body: { error: "invalid_grant", error_description: 'A required parameter "code" is missing' } },
    "blocked",
  ],
  ["a redirect address that is not known", { status: 400, body: { error: "redirect_uri_mismatch" } }, "blocked"],
  ["an app that was deleted", { status: 401, body: { error: "deleted_client" } }, "blocked"],
  ["an app that is not known", { status: 401, body: { error: "invalid_client" } }, "blocked"],
  ["an error of its own side", { status: 200, body: { error: "server_error" } }, "down"],
  ["an error without a name of OAuth's", { status: 403, body: { error: "Forbidden" } }, "down"],
  ["a refusal behind a failing gateway", { status: 502, body: { error: "invalid_grant" } }, "down"],
  ["a page", { status: 401, body: "<html>" }, "down"],
  ["a success without a token", { body: { access_token: "" } }, "down"],
  ["a limit", { status: 429, body: { error: "invalid_grant" } }, "throttled"],
  ["no answer", "lost", "down"],
] as const)("%s: %j means %s", async ([, answer, reason], { expect }) => {
  expect((await request(answer)).outcome).toMatchObject({ kind: "failed", reason });
});
