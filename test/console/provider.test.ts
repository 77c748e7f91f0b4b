import { env } from "cloudflare:workers";
import { beforeEach, describe, test, vi } from "vitest";
import { quiet, requests } from "../support/between.ts";
import type { Browser, Page } from "../support/browser.ts";
import { advance } from "../support/clock.ts";
import { ISSUER, OidcServer, REGISTRATION } from "../support/oidc-server.ts";
import { call } from "../support/world.ts";
import {
  CONSOLE_URL,
  invite,
  isSignedIn,
  newAccount,
  newConsoleBrowser,
  newEmail,
  owned,
  peek,
} from "./console-browser.ts";

let server: OidcServer;
beforeEach(async () => {
  quiet();
  server = await OidcServer.start();
  // What is refused is in the operator's log.
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

const newVisitor = (variables: object = {}) => newConsoleBrowser({}, { ...REGISTRATION, ...variables });

/** The address at the provider to which the button leads. */
const begin = async (browser: Browser, to = "/console") =>
  (await peek(browser, `/sign-in/provider?to=${encodeURIComponent(to)}`)).url;

let people = 0;
const someone = (email: string, other: object = {}) => ({
  sub: `subject-${++people}`,
  email,
  email_verified: true,
  ...other,
});

async function signIn(browser: Browser, claims: object, change: (back: URL) => void = () => undefined): Promise<Page> {
  const back = server.authorize(await begin(browser), claims);
  change(back);
  return browser.go(back.href);
}

describe("sign-in with a provider", () => {
  test("signs in the account with the verified address", async ({ expect }) => {
    const email = await newAccount();
    const browser = newVisitor();
    expect((await browser.go(`${CONSOLE_URL}/sign-in`)).html).toContain("Continue with Example ID");
    const address = new URL(await begin(browser));
    expect(address.origin).toBe(ISSUER);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      response_type: "code",
      scope: "openid email",
      code_challenge_method: "S256",
      redirect_uri: `${CONSOLE_URL}/sign-in/provider/callback`,
    });
    const page = await signIn(browser, someone(email.toUpperCase()));
    expect([page.status, page.url]).toEqual([200, `${CONSOLE_URL}/projects`]);
    expect((await browser.go(`${CONSOLE_URL}/account`)).html).toContain(email);
    // The secret and the verifier are in no address.
    expect(requests(ISSUER).filter((request) => request.includes("?"))).toEqual([]);
  });

  test("returns to the page that required it", async ({ expect }) => {
    const browser = newVisitor();
    const back = server.authorize(await begin(browser, "/console/account"), someone(await newAccount()));
    expect((await browser.go(back.href)).url).toBe(`${CONSOLE_URL}/account`);
  });

  type Attack = (back: URL) => void;
  const ANSWERS: readonly (readonly [string, Attack])[] = [
    ["of another issuer", (back) => back.searchParams.set("iss", "https://evil.example.org")],
    ["without an issuer", (back) => back.searchParams.delete("iss")],
    ["with another state", (back) => back.searchParams.set("state", "x".repeat(43))],
    ["without a state", (back) => back.searchParams.delete("state")],
    ["with another code", (back) => back.searchParams.set("code", "another")],
    ["with an error", (back) => back.searchParams.set("error", "access_denied")],
  ];
  test.for(ANSWERS)("refuses an answer %s", async ([, change], { expect }) => {
    const browser = newVisitor();
    expect((await signIn(browser, someone(await newAccount()), change)).html).toContain("You are not signed in");
    expect(await isSignedIn(browser)).toBe(false);
  });

  test.for([
    ["with another nonce", { nonce: "another" }],
    ["without a nonce", { nonce: undefined }],
    ["of another issuer", { iss: "https://evil.example.org" }],
    ["for another client", { aud: "another" }],
    ["that has expired", { exp: 1 }],
    ["without a subject", { sub: undefined }],
  ])("refuses a token %s", async ([, wrong], { expect }) => {
    const browser = newVisitor();
    server.wrong = Object(wrong);
    expect((await signIn(browser, someone(await newAccount()))).html).toContain("You are not signed in");
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("refuses a token that the provider did not sign", async ({ expect }) => {
    const browser = newVisitor();
    const back = server.authorize(await begin(browser), someone(await newAccount()));
    await server.replaceKeys();
    expect((await browser.go(back.href)).html).toContain("You are not signed in");
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("works once: neither the code nor the state counts again", async ({ expect }) => {
    const browser = newVisitor();
    const claims = someone(await newAccount());
    const address = await begin(browser);
    const back = server.authorize(address, claims);
    const copy = await browser.copy();
    await browser.go(back.href);
    expect(await isSignedIn(browser)).toBe(true);
    // The same browser's cookies from before, with the same answer and with a new code.
    for (const again of [back, server.authorize(address, claims)]) {
      expect((await copy.go(again.href)).html).toContain("was used, has expired, or began in another browser");
      expect(await isSignedIn(copy)).toBe(false);
    }
  });

  test("ends in the browser in which it began, within ten minutes", async ({ expect }) => {
    const [victim, attacker] = [newVisitor(), newVisitor()];
    const back = server.authorize(await begin(attacker), someone(await newAccount()));
    await begin(victim);
    for (const browser of [victim, newVisitor()]) {
      expect((await browser.go(back.href)).html).toContain("began in another browser");
      expect(await isSignedIn(browser)).toBe(false);
    }
    await advance(600_001);
    await attacker.go(back.href);
    expect(await isSignedIn(attacker)).toBe(false);
  });

  test.for([
    ["is not verified", { email_verified: false }],
    ["is not said to be verified", { email_verified: undefined }],
    ["is said to be verified in another type", { email_verified: "true" }],
    ["is absent", { email: undefined }],
  ])("refuses an address that %s", async ([, other], { expect }) => {
    const browser = newVisitor();
    const page = await signIn(browser, someone(await newAccount(), Object(other)));
    expect(page.html).toContain("has not verified your e-mail address");
    expect(await isSignedIn(browser)).toBe(false);
  });
});

describe("the subject at the provider", () => {
  test("decides: a new address there keeps the account, and opens no other one", async ({ expect }) => {
    const [first, second] = [await newAccount(), await newAccount()];
    const claims = someone(first);
    await signIn(newVisitor(), claims);
    const moved = newVisitor();
    await signIn(moved, { ...claims, email: second });
    expect((await moved.go(`${CONSOLE_URL}/account`)).html).toContain(`You are signed in as ${first}.`);
  });

  test("of another person with the same address later does not get the account", async ({ expect }) => {
    const email = await newAccount();
    await signIn(newVisitor(), someone(email));
    const heir = newVisitor();
    expect((await signIn(heir, someone(email))).html).toContain("has no account here that you can use this way");
    expect(await isSignedIn(heir)).toBe(false);
  });
});

describe("an account by a provider", () => {
  test.for([
    ["closed", false, false],
    ["invited", false, true],
    ["open", true, true],
  ] as const)("is created with SIGN_UP %s: %s, invited: %s", async ([mode, alone, invited], { expect }) => {
    const variables = { SIGN_UP: mode };
    const stranger = newVisitor(variables);
    await signIn(stranger, someone(newEmail()));
    expect(await isSignedIn(stranger)).toBe(alone);
    const email = newEmail();
    await invite(await owned(), { email, role: "viewer" });
    const guest = newVisitor(variables);
    await signIn(guest, someone(email));
    expect(await isSignedIn(guest)).toBe(invited);
  });

  test("from an invitation link joins the project", async ({ expect }) => {
    const owner = await owned();
    const link = await invite(owner, { email: "", role: "editor" });
    const browser = newVisitor();
    const email = newEmail();
    const back = server.authorize(await begin(browser, `/console${link}`), someone(email));
    expect((await browser.go(back.href)).html).toContain(`You are now a member of ${owner.project.name}.`);
    expect((await browser.go(`${CONSOLE_URL}/account`)).html).toContain(email);
  });

  test("does not replace the person who confirms who they are", async ({ expect }) => {
    const [email, other] = [await newAccount(), await newAccount()];
    const browser = newVisitor();
    await signIn(browser, someone(email));
    expect((await signIn(browser, someone(other))).html).toContain("another account than the one that is signed in");
    expect((await browser.go(`${CONSOLE_URL}/account`)).html).toContain(email);
  });
});

describe("a provider that is not set up", () => {
  test.for(["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"] as const)(
    "completely is named on the page and in the doctor's report: %s",
    async (missing, { expect }) => {
      const browser = newVisitor({ [missing]: "" });
      const page = await browser.go(`${CONSOLE_URL}/sign-in`);
      expect(page.html).toContain(`The operator must also set: ${missing}.`);
      expect(page.html).not.toContain("Continue with");
      expect((await browser.go(`${CONSOLE_URL}/sign-in/provider`)).html).toContain("no sign-in with a provider");
      expect((await browser.go(`${CONSOLE_URL}/sign-in/provider/callback`)).html).toContain(
        "no sign-in with a provider",
      );
    },
  );

  test("at all is not mentioned", async ({ expect }) => {
    const page = await newConsoleBrowser().go(`${CONSOLE_URL}/sign-in`);
    expect(page.html).not.toMatch(/Continue with|OIDC/);
    const report = await call("GET", "/internal/doctor", { headers: { "X-Operator-Key": env.OPERATOR_KEY } });
    expect(report.body).toMatchObject({ sign_in: { provider: null, lacking: [] } });
  });

  test.for(["http://id.example.org", "https://127.0.0.1", "https://id.internal"])(
    "with the address %s is not called",
    async (issuer, { expect }) => {
      const browser = newVisitor({ OIDC_ISSUER: issuer });
      expect((await browser.go(`${CONSOLE_URL}/sign-in/provider`)).html).toContain("cannot be reached");
    },
  );
});
