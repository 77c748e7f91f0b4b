import { describe, test } from "vitest";
import type { AccountContext, AppContext } from "../../../src/platforms/context.ts";
import { instagram } from "../../../src/platforms/instagram/index.ts";
import { accountContext, NOW, type Scripted, scriptedSend } from "../../scripted-send.ts";
import { DAY } from "../../support/times.ts";
import { list } from "../meta/graph-answers.ts";

/** Logging in by both of Instagram's products, what a login yields, how it is renewed and ended. */

const { oauth } = instagram;
const { renewal, inspect, revoke } = instagram.grants.publish;
const REDIRECT = "https://belfry.example/connect/callback/instagram";
const GRANT = { code: "C", redirectUri: REDIRECT, codeVerifier: "V" };
const SCOPES = [
  "instagram_basic",
  "instagram_content_publish",
  "pages_show_list",
  "pages_read_engagement",
  "instagram_manage_comments",
];

const ADS = ["ads_management", "ads_read", "pages_manage_ads"];

const granted = (...scopes: readonly string[]): Scripted => ({
  body: { data: scopes.map((permission) => ({ permission, status: "granted" })) },
});
const token = (access_token: string, more: object = {}): Scripted => ({ body: { access_token, ...more } });
const LOGIN = [token("S"), token("L", { expires_in: 5_184_000 }), granted(...SCOPES)];
const CONSENT = NOW / 1000 + 90 * 86_400;
const ME: Scripted = { body: { data: { is_valid: true, user_id: "122", data_access_expires_at: CONSENT } } };
const FERN = {
  id: "17841400000000001",
  username: "fernandoak",
  name: "Fern & Oak",
  profile_picture_url: "https://cdn/1",
};
const page = (id: string, name: string, account: object | null, tasks?: readonly string[]) => ({
  id,
  name,
  ...(tasks ? { tasks } : {}),
  ...(account ? { instagram_business_account: account } : {}),
});

const byInstagram = <C extends AppContext>(context: C): C => ({
  ...context,
  app: { id: "ig app", secret: "ig secret", options: { login: "instagram" } },
});

async function exchange(...answers: readonly (Scripted | "lost")[]) {
  const { send, calls } = scriptedSend(...answers);
  return { outcome: await oauth.exchange(accountContext(send), GRANT), calls };
}
async function exchangeByInstagram(...answers: readonly (Scripted | "lost")[]) {
  const { send, calls } = scriptedSend(...answers);
  return { outcome: await oauth.exchange(byInstagram(accountContext(send)), { ...GRANT, code: "C#_" }), calls };
}

describe("the consent page", () => {
  const url = (options: Readonly<Record<string, string>>) =>
    oauth.authorizeUrl(
      { id: "app", secret: "s", options },
      { redirectUri: REDIRECT, state: "S", codeChallenge: "challenge" },
    );

  test("is Facebook's, unless the operator says otherwise", ({ expect }) => {
    for (const options of [{}, { login: "facebook" }, { login: "something" }]) {
      const { host, pathname, searchParams } = url(options);
      expect([host, pathname]).toEqual(["www.facebook.com", "/v27.0/dialog/oauth"]);
      expect(searchParams.get("scope")?.split(",")).toEqual(oauth.scopesWith?.({}));
      expect(searchParams.get("code_challenge")).toBe("challenge");
    }
  });

  test("requests ads where the operator has enabled boosts, and only there", ({ expect }) => {
    const requested = (options: Readonly<Record<string, string>>) => url(options).searchParams.get("scope")?.split(",");
    const others = oauth.scopes.filter((scope) => !ADS.includes(scope));
    expect(requested({ ads: "yes" })).toEqual([...others, ...ADS]);
    for (const ads of ["no", "true", ""]) expect(requested({ ads })).toEqual(others);
    expect(requested({ ads: "yes", login: "instagram" })?.join()).not.toContain("ads");
  });

  test("is Instagram's where the app is of Instagram Login", ({ expect }) => {
    const { host, pathname, searchParams } = url({ login: "instagram" });
    expect([host, pathname]).toEqual(["www.instagram.com", "/oauth/authorize"]);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: "app",
      redirect_uri: REDIRECT,
      response_type: "code",
      state: "S",
      scope: [
        "instagram_business_basic,instagram_business_content_publish",
        "instagram_business_manage_comments,instagram_business_manage_messages",
        "instagram_business_manage_insights",
      ].join(","),
    });
  });
});

describe("with Facebook Login", () => {
  test("the token also buys ads, where all that this takes was allowed", async ({ expect }) => {
    const grantsWith = async (...scopes: readonly string[]) => {
      const login = [token("S"), token("L", { expires_in: 5_184_000 }), granted(...SCOPES, ...scopes)];
      const { outcome } = await exchange(...login, list(page("1", "One", FERN, ["MANAGE"])), ME);
      return outcome.kind === "granted" ? outcome.accounts[0]?.grants : null;
    };
    const all = await grantsWith(...ADS);
    expect(all?.ads).toEqual(all?.publish);
    expect(all?.ads).toMatchObject({ accessToken: "L", scopes: [...SCOPES, ...ADS] });
    expect(Object.keys((await grantsWith("ads_management", "ads_read")) ?? {})).toEqual(["publish"]);
  });

  test("one odd Page or permission hides no other", async ({ expect }) => {
    const permissions = {
      body: { data: [null, { permission: 7 }, ...SCOPES.map((permission) => ({ permission, status: "granted" }))] },
    };
    const odd = [null, 7, {}, { id: "8", name: "Odd", instagram_business_account: { id: {} } }];
    const fern = { ...page("1", "One", { ...FERN, name: null, profile_picture_url: {} }), tasks: null };
    const list = { body: { data: [...odd, fern] } };
    const { outcome } = await exchange(token("S"), token("L", { expires_in: 5_184_000 }), permissions, list, ME);
    expect(outcome).toMatchObject({ accounts: [{ id: FERN.id, name: "fernandoak", unusableReason: null }] });
  });

  test("an account of two Pages is offered once, by the Page that lets it be used", async ({ expect }) => {
    const { outcome } = await exchange(
      ...LOGIN,
      list(page("1", "One", FERN, ["ANALYZE"]), page("2", "Two", FERN, ["MANAGE"])),
      ME,
    );
    expect(outcome).toMatchObject({ accounts: [{ attributes: { page_id: "2" }, unusableReason: null }] });
  });

  test.for([
    ["no Page", list(), "shared no Facebook Page"],
    ["Pages without an account", list(page("2", "Two", null)), "linked to an Instagram business or creator account"],
  ] as const)("%s is reported", async ([, list, words], { expect }) => {
    const { outcome } = await exchange(...LOGIN, list, ME);
    expect(outcome).toMatchObject({ kind: "failed", reason: "rejected", message: expect.stringContaining(words) });
  });

  test("a permission without which nothing can be read ends the login with its name", async ({ expect }) => {
    const { outcome } = await exchange(token("S"), token("L"), granted("instagram_basic", "instagram_content_publish"));
    expect(outcome).toMatchObject({ kind: "failed", message: expect.stringContaining("pages_show_list") });
  });

  test.for([
    ["a code that was used", { status: 400, body: { error: { code: 100, error_subcode: 36009 } } }, "rejected"],
    ["a wrong secret", { status: 400, body: { error: { code: 101, type: "OAuthException" } } }, "blocked"],
    ["no answer", "lost", "down"],
  ] as const)("%s", async ([, answer, reason], { expect }) => {
    expect((await exchange(answer)).outcome).toMatchObject({ kind: "failed", reason });
  });
});

describe("with Instagram Login", () => {
  const SHORT = { access_token: "S", user_id: "17841400000000001" };
  const PERMISSIONS = ["instagram_business_basic", "instagram_business_content_publish"];
  const LONG = token("L", { token_type: "bearer", expires_in: 5_183_944 });
  const WHO: Scripted = { body: { user_id: "17841400000000001", id: "9", username: "fernandoak" } };

  test.for([
    ["flat, its permissions a list", { ...SHORT, permissions: PERMISSIONS }],
    ["in a list, its permissions a text", { data: [{ ...SHORT, permissions: PERMISSIONS.join(",") }] }],
  ])("the answer may come %s", async ([, body], { expect }) => {
    const { outcome, calls } = await exchangeByInstagram({ body }, LONG, WHO);
    expect(calls.map(({ url }) => url)).toEqual([
      "https://api.instagram.com/oauth/access_token",
      "https://graph.instagram.com/access_token",
      "https://graph.instagram.com/v27.0/me",
    ]);
    // Without the mark of the address; no PKCE there.
    expect(calls[0]?.form).toEqual({
      client_id: "ig app",
      client_secret: "ig secret",
      grant_type: "authorization_code",
      redirect_uri: REDIRECT,
      code: "C",
    });
    expect(outcome).toEqual({
      kind: "granted",
      accounts: [
        {
          id: "17841400000000001",
          // By this id Instagram reports that our app was removed.
          login: "9",
          name: "fernandoak",
          username: "fernandoak",
          pictureUrl: null,
          attributes: { login: "instagram" },
          unusableReason: null,
          grants: {
            publish: {
              accessToken: "L",
              refreshToken: null,
              expiresAt: NOW + 5_183_944_000,
              scopes: ["instagram_basic", "instagram_content_publish"],
            },
          },
        },
      ],
    });
  });

  test("a permission that was switched off is named", async ({ expect }) => {
    const { outcome } = await exchangeByInstagram({ body: { ...SHORT, permissions: ["instagram_business_basic"] } });
    expect(outcome).toMatchObject({ message: expect.stringContaining("instagram_business_content_publish") });
  });

  const refused = (error_message: string, code = 400): Scripted => {
    return { status: code, body: { error_type: "OAuthException", code, error_message } };
  };
  test.for([
    ["a code that is over", refused("This authorization code has been used"), "rejected"],
    ["an app that it does not know", refused("Invalid platform app"), "blocked"],
    ["a redirect that is not registered", refused("Invalid redirect_uri"), "blocked"],
    ["too many logins", refused("Too many", 429), "throttled"],
    ["a gateway's page", { status: 502, body: "<html>" }, "down"],
    ["no answer", "lost", "down"],
  ] as const)("%s", async ([, answer, reason], { expect }) => {
    expect((await exchangeByInstagram(answer)).outcome).toMatchObject({ kind: "failed", reason });
  });
});

describe("renewal", () => {
  function contextOf(send: AccountContext["send"], login: string): AccountContext {
    const context = accountContext(send, { attributes: { login } });
    const ends = { expiresAt: NOW + 10 * DAY, ...(login === "facebook" ? { reconnectBy: NOW + 30 * DAY } : {}) };
    const credentials = { ...context.credentials, ...ends, refreshToken: null, scopes: ["a"] };
    return { ...context, credentials };
  }
  async function refresh(login: string, answer: Scripted | "lost") {
    const { send, calls } = scriptedSend(answer);
    return { outcome: await renewal.refresh(contextOf(send, login)), calls };
  }

  test("is by the token itself, a day old at least", ({ expect }) => {
    expect(renewal).toMatchObject({ by: "access_token", minAgeSeconds: 86_400 });
  });

  test.for([
    ["facebook", "https://graph.facebook.com/v27.0/oauth/access_token", "fb_exchange_token"],
    ["instagram", "https://graph.instagram.com/refresh_access_token", "ig_refresh_token"],
  ] as const)("with %s Login", async ([login, url, grant_type], { expect }) => {
    const { outcome, calls } = await refresh(login, token("N", { expires_in: 5_184_000 }));
    expect(calls).toMatchObject([{ method: "GET", url, query: { grant_type } }]);
    const credentials = { accessToken: "N", refreshToken: null, expiresAt: NOW + 60 * DAY, scopes: ["a"] };
    // What the person allowed for a time is not prolonged with it.
    const kept = login === "facebook" ? { ...credentials, reconnectBy: NOW + 30 * DAY } : credentials;
    expect(outcome).toEqual({ kind: "refreshed", credentials: kept });
  });

  test("that prolongs nothing is none: the account owner is notified, and the connection lasts until its end", async ({
    expect,
  }) => {
    const { outcome } = await refresh("facebook", token("N", { expires_in: 10 * 86_400 }));
    expect(outcome).toMatchObject({ kind: "failed", reason: "permission_missing" });
  });

  test.for(["facebook", "instagram"])(
    "that is refused with %s Login ends the connection",
    async (login, { expect }) => {
      const over = { status: 400, body: { error: { code: 190, error_subcode: 463, type: "OAuthException" } } };
      expect((await refresh(login, over)).outcome).toMatchObject({ reason: "token_expired" });
      expect((await refresh(login, "lost")).outcome).toMatchObject({ reason: "down" });
    },
  );
});

describe("inspection", () => {
  const inspecting = (login: string, answer: Scripted | "lost") =>
    inspect(accountContext(scriptedSend(answer).send, { attributes: { login } }));
  const refused = (code: number, error_subcode?: number): Scripted => ({
    status: 400,
    body: { error: { code, error_subcode, type: "OAuthException" } },
  });

  test("with Facebook Login checks that the token is of our app, and until when the person's consent lasts", async ({
    expect,
  }) => {
    expect(await inspecting("facebook", ME)).toEqual({ kind: "alive", reconnectBy: NOW + 90 * DAY });
    expect(await inspecting("facebook", { body: { data: { is_valid: true } } })).toEqual({
      kind: "alive",
      reconnectBy: null,
    });
    expect(await inspecting("facebook", { body: { data: { is_valid: false } } })).toMatchObject({
      reason: "disconnected",
    });
    // Of these none speaks of the token.
    for (const answer of ["lost", refused(190), refused(101)] as const) {
      expect(await inspecting("facebook", answer)).toMatchObject({ kind: "failed", reason: "down" });
    }
  });

  test("with Instagram Login reads the account", async ({ expect }) => {
    expect(await inspecting("instagram", { body: { user_id: "17841" } })).toEqual({ kind: "alive", reconnectBy: null });
    expect(await inspecting("instagram", refused(190, 463))).toMatchObject({ reason: "token_expired" });
    expect(await inspecting("instagram", "lost")).toMatchObject({ reason: "down" });
  });

  test("a login goes on without what our app reads of it", async ({ expect }) => {
    const { outcome } = await exchange(...LOGIN, list(page("1", "One", FERN)), refused(101), refused(101));
    expect(outcome).toMatchObject({ accounts: [{ login: null, unusableReason: null }] });
  });
});

describe("revocation", () => {
  async function end(login: string, ...answers: readonly (Scripted | "lost")[]) {
    const { send, calls } = scriptedSend(...answers);
    return { outcome: await revoke(accountContext(send, { attributes: { login } })), calls };
  }

  test("ends the person's token, and not the app's access to their Pages", async ({ expect }) => {
    const { outcome, calls } = await end("facebook", { body: { success: true } });
    expect(outcome).toEqual({ kind: "revoked" });
    expect(calls).toMatchObject([
      { method: "GET", url: "https://graph.facebook.com/v27.0/oauth/revoke", query: { revoke_token: "TOKEN" } },
    ]);
  });

  test("of a login that has ended is done; other refusals are not", async ({ expect }) => {
    const over = { status: 400, body: { error: { code: 190, error_subcode: 458, type: "OAuthException" } } };
    expect((await end("facebook", over)).outcome).toEqual({ kind: "revoked" });
    expect((await end("facebook", "lost")).outcome).toMatchObject({ kind: "failed", reason: "down" });
  });

  test("Instagram Login has no call for it, and says so", async ({ expect }) => {
    const { outcome, calls } = await end("instagram");
    expect(outcome).toMatchObject({ kind: "failed", code: "unsupported_by_platform" });
    expect(calls).toEqual([]);
  });
});
