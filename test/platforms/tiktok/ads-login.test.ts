import { describe, test } from "vitest";
import type { BoostTerms } from "../../../src/platforms/advertising.ts";
import { adsLogin } from "../../../src/platforms/tiktok/ads/login.ts";
import { fromUnits, leastMinor, toUnits } from "../../../src/platforms/tiktok/ads/money.ts";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import { NOW, type Scripted, scriptedSend } from "../../scripted-send.ts";
import { ACME, API, BOOST, linked, listed, ok, on, refused } from "./ads-script.ts";

/** The login for TikTok's ads, the ad accounts that it opens, and their money. */

const { ads, grants } = tiktok;

describe("the login for ads", () => {
  const { oauth } = adsLogin;
  const redirectUri = "https://belfry.example/connect/callback/tiktok/ads/";
  const app = { id: "ads app", secret: "secret" };
  const TOKEN = ok({ access_token: "T", advertiser_ids: ["7411", "7412"], scope: [1, 690] });
  const exchange = async (...answers: readonly (Scripted | "lost")[]) => {
    const { send, calls } = scriptedSend(...answers);
    const outcome = await oauth.exchange({ send, app, now: NOW }, { code: "AC", redirectUri, codeVerifier: null });
    return { outcome, calls };
  };

  test("is requested with the app alone, and returns a code of another name", ({ expect }) => {
    if (!("authorizeUrl" in oauth)) throw new Error("This login asks nothing.");
    const url = oauth.authorizeUrl(app, { redirectUri, state: "S", codeChallenge: null });
    expect(`${url.origin}${url.pathname}`).toBe("https://business-api.tiktok.com/portal/auth");
    expect(Object.fromEntries(url.searchParams)).toEqual({ app_id: "ads app", state: "S", redirect_uri: redirectUri });
    expect(oauth.codeParameter).toBe("auth_code");
  });

  test("gives a grant to the TikTok accounts behind the ad accounts, each by the first of those", async ({
    expect,
  }) => {
    const other = { identity_id: "idn2", username: "bikes" };
    const { outcome, calls } = await exchange(
      TOKEN,
      linked(ACME),
      linked({ ...ACME, identity_id: "x" }, other, {
        identity_id: "nameless",
      }),
    );
    const granted = (accountId: string) => ({
      ads: { accessToken: "T", refreshToken: null, expiresAt: null, scopes: ["1", "690"], accountId },
    });
    expect(outcome).toMatchObject({
      kind: "granted",
      accounts: [
        { id: "idn", name: "Acme Ltd", username: "Acme", grants: granted("7411"), unusableReason: null },
        { id: "idn2", name: "bikes", username: "bikes", grants: granted("7412"), unusableReason: null },
      ],
    });
    // One login: its end ends both, and its token is never shown.
    const logins = outcome.kind === "granted" ? outcome.accounts.map(({ login }) => login) : [];
    expect(new Set(logins).size).toBe(1);
    expect(logins[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(calls[0]).toMatchObject({
      url: `${API}/oauth2/access_token/`,
      json: { app_id: "ads app", secret: "secret", auth_code: "AC" },
    });
    expect(calls[1]).toMatchObject({
      url: `${API}/identity/get/`,
      headers: { "access-token": "T" },
      query: { advertiser_id: "7411", identity_type: "TT_USER", page: 1, page_size: 100 },
    });
  });

  test("skips an ad account that may not be read", async ({ expect }) => {
    const { outcome } = await exchange(TOKEN, refused(40001), linked(ACME));
    expect(outcome).toMatchObject({ accounts: [{ username: "Acme", grants: { ads: { accountId: "7412" } } }] });
  });

  test.for([
    [[refused(40110)], "rejected", "Start again"],
    [[refused(40101)], "blocked", "our app for ads"],
    [["lost"], "down", "lost"],
    [[ok({ access_token: "T", advertiser_ids: [] })], "rejected", "select one"],
    [[TOKEN, linked(), linked()], "rejected", "TikTok Ads Manager"],
    [[TOKEN, linked(), refused(40001)], "permission_missing", "Ads Manager"],
    [[TOKEN, refused(50000)], "down", "temporary"],
  ] as const)("%j is %s", async ([answers, reason, words], { expect }) => {
    const { outcome } = await exchange(...answers);
    expect(outcome).toMatchObject({ kind: "failed", reason, message: expect.stringContaining(words) });
  });

  test("shows how to link another account", ({ expect }) => {
    expect(adsLogin.mismatch?.("@bikes", "@acme")).toContain("linked with @bikes, but the connected account is @acme");
  });

  test.for([
    [[ok({})], { kind: "revoked" }],
    [[refused(40105)], { kind: "revoked" }],
    [[refused(50000)], { kind: "failed", reason: "down" }],
  ] as const)("ended and answered %j is %j", async ([answers, end], { expect }) => {
    const { outcome, calls } = await on(answers, async (context) => grants.ads.revoke?.(context));
    expect(outcome).toMatchObject(end);
    expect(calls[0]).toMatchObject({
      url: `${API}/oauth2/revoke_token/`,
      json: { app_id: "app", secret: "app secret", access_token: "TOKEN" },
    });
  });

  test("is checked by what it opens", async ({ expect }) => {
    const { outcome, calls } = await on([listed({ advertiser_id: "7411" })], async (context) =>
      grants.ads.inspect?.(context),
    );
    expect(outcome).toEqual({ kind: "alive", reconnectBy: null });
    expect(calls[0]).toMatchObject({ url: `${API}/oauth2/advertiser/get/`, query: { app_id: "app" } });
    const over = await on([refused(40105)], async (context) => grants.ads.inspect?.(context));
    expect(over.outcome).toMatchObject({ reason: "token_expired", message: expect.stringContaining("for ads") });
  });
});

describe("money", () => {
  test.for([
    [1999, "USD", 19.99],
    [14_099, "EUR", 140.99],
    [2500, "JPY", 2500],
    [12_345, "KWD", 12.345],
    [999_999_999_99, "USD", 999_999_999.99],
  ] as const)("%d minor units of %s are %d", ([minor, currency, units], { expect }) => {
    expect(toUnits(minor, currency)).toBe(units);
    expect(JSON.stringify(toUnits(minor, currency))).toBe(String(units));
    expect(fromUnits(units, currency)).toBe(minor);
    expect(fromUnits(String(units), currency)).toBe(minor);
  });

  test("what is no number is nothing, and more digits are rounded", ({ expect }) => {
    expect([fromUnits("-", "USD"), fromUnits("12.4", "USD"), fromUnits("0.126", "USD")]).toEqual([0, 1240, 13]);
  });

  test("the least is known of two currencies", ({ expect }) => {
    expect([leastMinor("USD", 7), leastMinor("JPY", 1), leastMinor("EUR", 1)]).toEqual([14_000, 2000, null]);
  });
});

describe("ad accounts", () => {
  const info = (more: object) => listed({ advertiser_id: "7411", name: "Acme", currency: "USD", ...more });

  test("are those of the login, with what keeps them from spending", async ({ expect }) => {
    const shown = listed(
      { advertiser_id: "7411", name: "Acme", currency: "USD", timezone: "Europe/Paris", status: "STATUS_ENABLE" },
      { advertiser_id: "7412", currency: "JPY", timezone: "nowhere", status: "STATUS_LIMIT" },
    );
    const ids = listed({ advertiser_id: "7411" }, { advertiser_id: "7412" });
    const { outcome, calls } = await on([ids, shown], (context) => ads.accounts(context));
    const acme = { id: "7411", name: "Acme", currency: "USD", decimals: 2, timeZone: "Europe/Paris", problem: null };
    const limited = { id: "7412", name: "7412", currency: "JPY", decimals: 0, timeZone: null };
    expect(outcome).toEqual({
      kind: "accounts",
      accounts: [acme, { ...limited, problem: expect.stringContaining("STATUS_LIMIT") }],
    });
    expect(calls[1]?.query).toEqual({
      advertiser_ids: '["7411","7412"]',
      fields: '["advertiser_id","name","currency","timezone","status"]',
    });
  });

  test.for([
    ["lifetime", "USD", 14_000],
    ["daily", "USD", 2000],
    ["lifetime", "JPY", 14_000],
    ["daily", "EUR", 1],
  ] as const)("take at least so much: %s, %s: %d", async ([budgetType, currency, least], { expect }) => {
    const terms: BoostTerms = { ...BOOST, budgetType };
    const { outcome } = await on([info({ currency })], (context) => ads.floor(context, terms));
    expect(outcome).toMatchObject({ kind: "floor", leastMinor: least, account: { id: "7411", currency } });
  });

  test("that the login has not are reported", async ({ expect }) => {
    const { outcome } = await on([listed()], (context) => ads.floor(context, BOOST));
    expect(outcome).toMatchObject({ reason: "rejected", message: expect.stringContaining("7411") });
  });
});
