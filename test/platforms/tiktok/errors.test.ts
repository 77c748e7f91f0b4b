import { describe, test } from "vitest";
import { z } from "zod";
import { interpretRead, interpretWrite } from "../../../src/platforms/answers.ts";
import type { AccountContext } from "../../../src/platforms/context.ts";
import type { Answered } from "../../../src/platforms/request.ts";
import { TIKTOK } from "../../../src/platforms/tiktok/errors.ts";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import { accountContext, NOW, type Scripted, scriptedSend } from "../../scripted-send.ts";

/** What TikTok's refusals mean, and its logins. */

const Anything = z.unknown();

function answered(status: number, body: unknown, headers: Record<string, string> = {}): Answered {
  return { kind: "answered", status, headers: new Headers(headers), text: JSON.stringify(body), body };
}

const error = (code: string, message = "Because.") => ({ data: {}, error: { code, message, log_id: "L1" } });
const meaning = (status: number, code: string) => interpretWrite(TIKTOK, answered(status, error(code)), Anything, NOW);

describe("a refusal", () => {
  test.for([
    [401, "something_new", "token_expired"],
    [429, "something_new", "throttled"],
    [400, "access_token_invalid", "token_expired"],
    [404, "invalid_params", "rejected"],
    [200, "privacy_level_option_mismatch", "rejected"],
  ] as const)("of %i, %s, is not documented so: only a reading believes it", ([status, code, reason], { expect }) => {
    expect(meaning(status, code).kind).toBe("unknown");
    expect(interpretRead(TIKTOK, answered(status, error(code)), Anything, NOW)).toMatchObject({ reason });
  });

  test("an error of TikTok's own may have done it; reading, it is temporary", ({ expect }) => {
    expect(meaning(500, "internal_error").kind).toBe("unknown");
    expect(meaning(200, "internal_error").kind).toBe("unknown");
    expect(meaning(503, "something_new").kind).toBe("unknown");
    expect(meaning(403, "something_new").kind).toBe("unknown");
    expect(meaning(500, "access_token_invalid").kind).toBe("unknown");
    const read = interpretRead(TIKTOK, answered(500, error("internal_error")), Anything, NOW);
    expect(read).toMatchObject({ kind: "failed", reason: "down" });
  });

  test("a minute is waited for the pace, an hour for what ends by the day; TikTok's own word goes first", ({
    expect,
  }) => {
    expect(meaning(429, "rate_limit_exceeded")).toMatchObject({ retryAfterSeconds: 60 });
    expect(meaning(429, "rate_limit_exceeded")).not.toHaveProperty("limit");
    expect(meaning(403, "reached_active_user_cap")).toMatchObject({ retryAfterSeconds: 3_600, limit: "account" });
    const shown = answered(429, error("rate_limit_exceeded"), { "retry-after": "17" });
    expect(interpretWrite(TIKTOK, shown, Anything, NOW)).toMatchObject({ retryAfterSeconds: 17 });
  });

  test("what has not TikTok's form comes from something on the way", ({ expect }) => {
    const page = (status: number) => interpretWrite(TIKTOK, answered(status, null), Anything, NOW);
    expect(page(403).kind).toBe("unknown");
    expect(page(429)).toMatchObject({ kind: "failed", reason: "throttled" });
    const flat = interpretWrite(TIKTOK, answered(403, { error: "access_denied" }), Anything, NOW);
    expect(flat.kind).toBe("unknown");
  });

  test("ok is none; the reference may be spelt otherwise", ({ expect }) => {
    const fine = answered(200, { data: {}, error: { code: "ok", message: "", log_id: "L" } });
    expect(interpretWrite(TIKTOK, fine, Anything, NOW).kind).toBe("ok");
    const other = answered(403, { error: { code: "spam_risk", message: "", logid: "L2" } });
    expect(interpretWrite(TIKTOK, other, Anything, NOW)).toMatchObject({
      message: expect.stringContaining("(spam_risk, reference L2)"),
    });
  });
});

describe("a login", () => {
  const redirectUri = "https://belfry.example.com/connect/callback/tiktok";
  const app = { id: "KEY", secret: "SECRET" };
  const SCOPES = "user.info.basic,user.info.profile,video.publish,video.list,user.info.stats";
  const token = {
    open_id: "-000X",
    scope: SCOPES,
    access_token: "act.1!4001",
    expires_in: 86_400,
    refresh_token: "rft.1!4001",
    refresh_expires_in: 31_536_000,
    token_type: "Bearer",
  };
  const user = {
    open_id: "-000X",
    display_name: "Harbour Bakery",
    username: "harbourbakery",
    avatar_url: "https://p/a",
  };
  const profile = { body: { data: { user }, error: { code: "ok", message: "", log_id: "L" } } };

  async function exchange(...answers: readonly (Scripted | "lost")[]) {
    const { send, calls } = scriptedSend(...answers);
    const grant = { code: "c*1!2", redirectUri, codeVerifier: null };
    return { outcome: await tiktok.oauth.exchange({ send, app, now: NOW }, grant), calls };
  }

  test("begins with a client_key, scopes between commas, and no PKCE", ({ expect }) => {
    const url = tiktok.oauth.authorizeUrl(app, { redirectUri, state: "S", codeChallenge: null });
    expect(`${url.origin}${url.pathname}`).toBe("https://www.tiktok.com/v2/auth/authorize/");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_key: "KEY",
      response_type: "code",
      scope: SCOPES,
      redirect_uri: redirectUri,
      state: "S",
      disable_auto_auth: "1",
    });
    expect(tiktok.oauth.pkce).toBe(false);
  });

  test("without a refresh token can do nothing here", async ({ expect }) => {
    const { refresh_token: _, ...brief } = token;
    expect((await exchange({ body: brief }, profile)).outcome).toMatchObject({
      accounts: [{ grants: {}, unusableReason: expect.stringContaining("one day") }],
    });
  });

  test.for([
    ["invalid_grant", 400, "rejected"],
    ["invalid_client", 401, "blocked"],
    ["invalid_client", 200, "blocked"],
    ["server_error", 200, "down"],
    ["temporarily_unavailable", 503, "down"],
  ] as const)("refused with %s and status %i: %s", async ([said, status, reason], { expect }) => {
    const { outcome } = await exchange({ status, body: { error: said, error_description: "No.", log_id: "L" } });
    expect(outcome).toMatchObject({ kind: "failed", reason });
  });

  const contextOf = (send: AccountContext["send"]) => ({ ...accountContext(send), app });

  test.for([
    ["one that was over, in the other form", { status: 401, body: error("access_token_invalid") }, { kind: "revoked" }],
    ["a wrong secret", { status: 401, body: { error: "invalid_client" } }, { kind: "failed", reason: "blocked" }],
    ["a temporary error", { status: 200, body: { error: "server_error" } }, { kind: "failed", reason: "down" }],
    ["no answer", "lost", { kind: "failed", reason: "down" }],
  ] as const)("is ended with %s", async ([, answer, outcome], { expect }) => {
    const { send, calls } = scriptedSend(answer);
    expect(await tiktok.grants.publish.revoke(contextOf(send))).toMatchObject(outcome);
    expect(calls[0]).toMatchObject({
      url: "https://open.tiktokapis.com/v2/oauth/revoke/",
      form: { client_key: "KEY", client_secret: "SECRET", token: "TOKEN" },
    });
  });

  test.for([
    ["a token", { body: { access_token: "clt.1", expires_in: 7200 } }, true],
    ["a refusal", { status: 200, body: { error: "invalid_client" } }, false],
    ["a temporary error", { status: 200, body: { error: "server_error" } }, false],
    ["no answer", "lost", false],
  ] as const)("for the app alone informs the doctor, by %s", async ([, answer, isGood], { expect }) => {
    const { send } = scriptedSend(answer);
    const findings = await tiktok.oauth.setup.check?.({ send, app, now: NOW }, redirectUri);
    expect(findings).toMatchObject([{ topic: "credentials", isGood }]);
  });
});
