import { describe, test } from "vitest";
import { advance } from "../../support/clock.ts";
import { send, VERIFIER } from "../../support/platform.ts";
import { sandbox } from "../../support/sandbox.ts";
import {
  DAY_MS,
  googleCode,
  googleLogin,
  googleToken,
  later,
  openSession,
  reasonOf,
  simulated,
  YOUTUBE_REDIRECT,
  youtubeApi,
} from "../../support/youtube.ts";

/** What the simulated Google promises of logins, and YouTube of scopes and allowances. */
const yt = simulated();

describe("login", () => {
  const redeem = (code: string, more: Record<string, string> = {}) =>
    googleToken({ grant_type: "authorization_code", code, redirect_uri: YOUTUBE_REDIRECT, ...more });

  test("a code works once, for the very address, and with its verifier", async ({ expect }) => {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(VERIFIER));
    const challenge = btoa(String.fromCharCode(...new Uint8Array(digest)));
    const code_challenge = challenge.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const query = { code_challenge, code_challenge_method: "S256" };
    const wrong = await redeem(await googleCode({ query }), { code_verifier: "x".repeat(50) });
    expect(wrong).toMatchObject({ status: 400, json: { error: "invalid_grant" } });
    expect((await redeem(await googleCode({ query }))).json).toMatchObject({ error: "invalid_grant" });
    const code = await googleCode({ query });
    expect(code).toMatch(/^4\/0/);
    expect((await redeem(code, { code_verifier: VERIFIER })).json).toMatchObject({
      expires_in: 3599,
      token_type: "Bearer",
      refresh_token: expect.stringMatching(/^1\/\//),
    });
    expect((await redeem(code, { code_verifier: VERIFIER })).json).toMatchObject({ error: "invalid_grant" });
    const elsewhere = await redeem(await googleCode(), { redirect_uri: `${YOUTUBE_REDIRECT}/` });
    expect(elsewhere.json).toMatchObject({ error: "redirect_uri_mismatch" });
    expect(await redeem("4/0none", { client_secret: "wrong" })).toMatchObject({
      status: 401,
      json: { error: "invalid_client" },
    });
  });

  test("a refresh token comes offline only, and again only when the person consents again", async ({ expect }) => {
    const account = await sandbox.addAccount("youtube", "Once Only");
    const hasRefresh = async (query: Record<string, string>) =>
      (await googleLogin({ account, query })).refresh_token !== undefined;
    expect(await hasRefresh({ access_type: "online" })).toBe(false);
    const other = await sandbox.addAccount("youtube", "Once More");
    const given = async (query: Record<string, string>) =>
      (await googleLogin({ account: other, query })).refresh_token !== undefined;
    expect([await given({ prompt: "" }), await given({ prompt: "" }), await given({})]).toEqual([true, false, true]);
  });

  test("scopes that were given before are returned only when they are requested", async ({ expect }) => {
    const account = await sandbox.addAccount("youtube", "Step By Step");
    const scopesOf = async (query: Record<string, string>, name: string) =>
      (await googleLogin({ account, scopes: [name], query })).scope.split(" ").length;
    await scopesOf({}, "youtube.upload");
    expect(await scopesOf({}, "youtube.readonly")).toBe(1);
    expect(await scopesOf({ include_granted_scopes: "true" }, "youtube.force-ssl")).toBe(3);
  });

  test("an access token ends after an hour; a refresh token of a project in testing after a week", async ({
    expect,
  }) => {
    await sandbox.settings({ youtube_testing: true });
    const { access_token, refresh_token = "" } = await googleLogin();
    await sandbox.settings({ youtube_testing: false });
    await later(3_601_000);
    expect(reasonOf(await youtubeApi("GET", "/youtube/v3/videos?part=id&id=x", access_token))).toBe("401 authError");
    const renew = () => googleToken({ grant_type: "refresh_token", refresh_token });
    expect((await renew()).status).toBe(200);
    await later(7 * DAY_MS);
    expect(await renew()).toMatchObject({ status: 400, json: { error: "invalid_grant" } });
  });

  test("time-limited access says when it ends, and ends then", async ({ expect }) => {
    await sandbox.settings({ youtube_grant_seconds: 7200 });
    const tokens = await googleLogin();
    expect(tokens).toMatchObject({ refresh_token_expires_in: 7200 });
    await later(7_201_000);
    const renewed = await googleToken({ grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "" });
    expect(renewed.json).toMatchObject({ error: "invalid_grant" });
  });

  test("the hundredth refresh token ends the first", async ({ expect }) => {
    const account = await sandbox.addAccount("youtube", "Many Logins");
    const tokens: string[] = [];
    for (let count = 0; count < 101; count++) tokens.push((await googleLogin({ account })).refresh_token ?? "");
    const renew = (at: number) => googleToken({ grant_type: "refresh_token", refresh_token: tokens[at] ?? "" });
    expect([(await renew(0)).status, (await renew(1)).status, (await renew(100)).status]).toEqual([400, 200, 200]);
  });

  test("revoking one token ends every login of the account", async ({ expect }) => {
    const account = await sandbox.addAccount("youtube", "Revoked");
    const [first, second] = [await googleLogin({ account }), await googleLogin({ account })];
    const revoke = (body: string) =>
      send("https://oauth2.googleapis.com/revoke", { method: "POST", body: new URLSearchParams({ token: body }) });
    expect((await revoke(first.access_token)).status).toBe(200);
    expect(reasonOf(await youtubeApi("GET", "/youtube/v3/videos?part=id&id=x", second.access_token))).toBe(
      "401 authError",
    );
    expect((await revoke(first.access_token)).json).toMatchObject({ error: "invalid_token" });
  });

  test("the token stands in the header; in the query it is refused unless a setting says otherwise", async ({
    expect,
  }) => {
    const path = `https://www.googleapis.com/youtube/v3/channels?part=id&mine=true&access_token=${yt.token}`;
    expect(reasonOf(await send(path))).toBe("401 required");
    await sandbox.settings({ youtube_query_token: "taken" });
    expect((await send(path)).status).toBe(200);
    await sandbox.settings({ youtube_query_token: "refused" });
  });
});

describe("scopes", () => {
  const CALLS = [
    ["GET", "channels?part=id&mine=true"],
    ["GET", "videos?part=id&id=x"],
    ["DELETE", "videos?id=x"],
    ["GET", "comments?part=id&parentId=x"],
  ] as const;

  test.for([
    ["youtube.upload", [403, 403, 403, 403]],
    ["youtube.readonly", [200, 200, 403, 403]],
    ["youtube", [200, 200, 404, 403]],
    ["youtube.force-ssl", [200, 200, 404, 404]],
  ] as const)("%s alone opens %j", async ([scope, statuses], { expect }) => {
    const { access_token } = await googleLogin({
      scopes: ["youtube", "youtube.upload", "youtube.readonly", "youtube.force-ssl"],
      ticked: [scope],
    });
    const answers = [];
    for (const [method, path] of CALLS) answers.push(await youtubeApi(method, `/youtube/v3/${path}`, access_token));
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    for (const answer of answers.filter(({ status }) => status === 403)) {
      expect(reasonOf(answer)).toBe("403 insufficientPermissions");
    }
  });
});

describe("allowances", () => {
  /** At the start of a day of Google's quota, without earlier calls. */
  async function newDay(): Promise<void> {
    await later(2 * DAY_MS);
  }

  test("of uploads, of everything else, and of the channel are three; refused calls count", async ({ expect }) => {
    await newDay();
    const read = () => youtubeApi("GET", "/youtube/v3/videos?part=id&id=x", yt.token);
    await sandbox.settings({ youtube_uploads_per_day: 2, youtube_units_per_day: 60 });
    await openSession();
    expect(reasonOf(await openSession({ snippet: { title: "" } }))).toBe("400 invalidTitle");
    expect(reasonOf(await openSession())).toBe("403 quotaExceeded");
    expect((await read()).status).toBe(200);
    // A deletion costs fifty, also where there is nothing to delete.
    expect((await youtubeApi("DELETE", "/youtube/v3/videos?id=none", yt.token)).status).toBe(404);
    expect(reasonOf(await youtubeApi("DELETE", "/youtube/v3/videos?id=none", yt.token))).toBe("403 quotaExceeded");
    expect((await read()).status).toBe(200);
    await sandbox.settings({ youtube_uploads_per_day: 100, youtube_channel_uploads_per_day: 0 });
    expect(reasonOf(await openSession())).toBe("400 uploadLimitExceeded");
  });

  test("start again at midnight Pacific time, not before", async ({ expect }) => {
    await newDay();
    const hour = () =>
      Number(
        new Intl.DateTimeFormat("en", { timeZone: "America/Los_Angeles", hour: "numeric", hourCycle: "h23" }).format(
          Date.now(),
        ),
      );
    while (hour() !== 22) await advance(1_800_000);
    await later(0);
    await sandbox.settings({ youtube_uploads_per_day: 1 });
    await openSession();
    await later(1_800_000);
    expect(reasonOf(await openSession())).toBe("403 quotaExceeded");
    await later(2 * 3_600_000);
    expect((await openSession()).status).toBe(200);
  });
});
