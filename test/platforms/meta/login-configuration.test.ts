import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { AppCredentials } from "../../../src/platforms/context.ts";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import { instagram } from "../../../src/platforms/instagram/index.ts";
import { createSend } from "../../../src/platforms/request.ts";
import { sandbox } from "../../support/sandbox.ts";

/**
 * Facebook Login for Business: a configuration takes the place of scopes, and a person allows all of it or
 * nothing. The sandbox's dialog knows both forms.
 */
const PLATFORMS = { facebook, instagram } as const;
type Name = keyof typeof PLATFORMS;
/** Those of the sandbox's apps: one with every permission, and one that lacks the permission to publish. */
const LOGIN_CONFIGS = {
  facebook: { whole: "710000000000001", reading: "710000000000002" },
  instagram: { whole: "720000000000001", reading: "720000000000002" },
} as const;
const APPS: Readonly<Record<Name, AppCredentials>> = {
  facebook: { id: "100000000000001", secret: "sandbox-facebook-secret" },
  instagram: { id: "100000000000002", secret: "sandbox-instagram-secret" },
};
const redirectOf = (name: Name) => `https://belfry.test/connect/callback/${name}`;
const request = (name: Name) => ({ redirectUri: redirectOf(name), state: "S", codeChallenge: null });
const send = createSend({ sandboxUrl: "http://sandbox.test", fetch: (input, init) => env.SANDBOX.fetch(input, init) });

beforeEach(async () => {
  await sandbox.control("POST", "reset");
});

function dialogOf(name: Name, options: AppCredentials["options"]): URL {
  return PLATFORMS[name].oauth.authorizeUrl({ ...APPS[name], ...(options ? { options } : {}) }, request(name));
}

const open = (url: URL) => env.SANDBOX.fetch(`http://sandbox.test/${url.host}${url.pathname}${url.search}`);

/** Presses “Continue” with one account; no scope is ticked, as in a dialog without boxes. */
async function allow(name: Name, url: URL): Promise<string> {
  const form = new FormData();
  for (const [key, value] of url.searchParams) form.set(`query.${key}`, value);
  const [account = ""] = await sandbox.accounts(name);
  form.set(name === "facebook" ? "page" : "account", account);
  form.set("decision", "allow");
  const address = `http://sandbox.test/${url.host}${url.pathname}${url.search}`;
  const answer = await env.SANDBOX.fetch(address, { method: "POST", body: form, redirect: "manual" });
  return new URL(answer.headers.get("location") ?? "https://none.test").searchParams.get("code") ?? "";
}

describe.for(["facebook", "instagram"] as const)("%s", (name) => {
  const { oauth } = PLATFORMS[name];

  test("without a configuration the login requests scopes", () => {
    const { searchParams } = dialogOf(name, undefined);
    expect([searchParams.has("scope"), searchParams.has("config_id")]).toEqual([true, false]);
  });

  test("with one it requests nothing else", () => {
    const { searchParams } = dialogOf(name, { config: LOGIN_CONFIGS[name].whole });
    expect(searchParams.get("config_id")).toBe(LOGIN_CONFIGS[name].whole);
    expect(["scope", "auth_type"].map((one) => searchParams.has(one))).toEqual([false, false]);
    expect(searchParams.get("response_type")).toBe("code");
  });

  test("all permissions of the configuration are granted", async () => {
    const options = { config: LOGIN_CONFIGS[name].whole };
    await sandbox.settings({ [`${name}_login_product`]: "business" });
    const url = dialogOf(name, options);
    const page = await (await open(url)).text();
    expect(page).not.toContain('name="scope"');
    const code = await allow(name, url);
    const context = { send, app: { ...APPS[name], options }, now: Date.now() };
    const grant = { code, redirectUri: redirectOf(name), codeVerifier: null };
    const granted = await oauth.exchange(context, grant);
    expect(granted).toMatchObject({ kind: "granted", accounts: [{ unusableReason: null }] });
  });

  test("a configuration that lacks a permission is named to the operator, not to the person", async () => {
    const options = { config: LOGIN_CONFIGS[name].reading };
    const code = await allow(name, dialogOf(name, options));
    const context = { send, app: { ...APPS[name], options }, now: Date.now() };
    const granted = await oauth.exchange(context, { code, redirectUri: redirectOf(name), codeVerifier: null });
    const reasons = granted.kind === "granted" ? granted.accounts.map((one) => one.unusableReason) : [granted.message];
    expect(reasons.join()).toContain("must add them to the configuration of Facebook Login for Business");
  });

  test("an app of Facebook Login for Business refuses scopes, and every app a configuration that it lacks", async () => {
    const refused = async (url: URL) => {
      const answer = await open(url);
      return [answer.status, await answer.text()] as const;
    };
    const [status, words] = await refused(dialogOf(name, { config: "123456789" }));
    expect([status, words.includes("Invalid configuration")]).toEqual([400, true]);
    const beside = dialogOf(name, { config: LOGIN_CONFIGS[name].whole });
    beside.searchParams.set("scope", "pages_show_list");
    // The configuration decides.
    expect((await open(beside)).status).toBe(200);
    await sandbox.settings({ [`${name}_login_product`]: "business" });
    const [without, said] = await refused(dialogOf(name, undefined));
    expect([without, said.includes("Feature unavailable")]).toEqual([400, true]);
    await sandbox.settings({ [`${name}_login_product`]: "classic" });
    expect((await open(dialogOf(name, { config: LOGIN_CONFIGS[name].whole }))).status).toBe(400);
    expect((await open(dialogOf(name, undefined))).status).toBe(200);
  });
});

test("Instagram Login has no configurations", () => {
  const { searchParams } = dialogOf("instagram", { login: "instagram", config: "720000000000001" });
  expect([searchParams.has("scope"), searchParams.has("config_id")]).toEqual([true, false]);
});
