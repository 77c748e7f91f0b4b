import { env } from "cloudflare:workers";
import { load } from "cheerio";
import { describe, test } from "vitest";
import { z } from "zod";
import { base64Url } from "../../src/core/tokens.ts";
import { createPasskey, type Passkey, type Surroundings, usePasskey } from "../support/authenticator.ts";
import type { Browser, Page } from "../support/browser.ts";
import { advance } from "../support/clock.ts";
import { ORIGIN } from "../support/world.ts";
import {
  CONSOLE_URL,
  filled,
  formTo,
  invite,
  isSignedIn,
  newConsoleBrowser,
  newEmail,
  owned,
  post,
  proofOf,
  signedIn,
} from "./console-browser.ts";

const MINUTE = 60_000;
const HERE: Surroundings = { origin: ORIGIN, rpId: "belfry.test" };

const Options = z.looseObject({
  challenge: z.string(),
  rpId: z.string().optional(),
  user: z.object({ id: z.string() }).exactOptional(),
});

const Answer = z.object({ id: z.string() });

/** The options that a page has for its form with a passkey. */
function optionsOn(page: Page) {
  return Options.parse(JSON.parse(load(page.html)("form[data-passkey]").attr("data-options") ?? "null"));
}

const openAccount = (browser: Browser) => browser.go(`${CONSOLE_URL}/account`);
const openSignIn = (browser: Browser, query = "") => browser.go(`${CONSOLE_URL}/sign-in${query}`);
const send = (browser: Browser, page: Page, end: string, answer: string) =>
  browser.send(filled(formTo(page, end), { answer }));

interface Holder {
  readonly email: string;
  readonly browser: Browser;
  readonly passkey: Passkey;
}

/** A person who has added a passkey. */
async function withPasskey(): Promise<Holder> {
  const email = newEmail();
  const browser = await signedIn({ email });
  const page = await openAccount(browser);
  const { passkey, answer } = await createPasskey(optionsOn(page), HERE);
  const added = await send(browser, page, "/account/passkeys", answer);
  if (!added.html.includes("The passkey is added.")) throw new Error(added.html);
  return { email, browser, passkey };
}

/** Signs in with a passkey in this browser; the fields of `around` that differ make an attack. */
async function signIn(browser: Browser, passkey: Passkey, around: Partial<Surroundings> = {}): Promise<Page> {
  const page = await openSignIn(browser);
  return send(browser, page, "/sign-in/passkey", await usePasskey(passkey, optionsOn(page), { ...HERE, ...around }));
}

describe("a passkey", () => {
  test("signs in without an e-mail address, in any browser that has it", async ({ expect }) => {
    const { email, passkey } = await withPasskey();
    const browser = newConsoleBrowser();
    expect((await signIn(browser, passkey)).status).toBe(200);
    expect((await openAccount(browser)).html).toContain(`You are signed in as ${email}.`);
    expect((await openAccount(browser)).html).toMatch(/Last used <time/);
  });

  test("is bound to the host of the service, and needs the person verified", async ({ expect }) => {
    const options = Options.parse(optionsOn(await openSignIn(newConsoleBrowser())));
    expect(options).toMatchObject({ rpId: "belfry.test", userVerification: "required" });
    expect(options).not.toHaveProperty("allowCredentials");
    const { browser } = await withPasskey();
    expect(optionsOn(await openAccount(browser))).toMatchObject({
      rp: { id: "belfry.test" },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      excludeCredentials: [{ type: "public-key" }],
    });
  });

  test.for([
    ["for another origin", { origin: "https://evil.test" }],
    ["for another port of this host", { origin: `${ORIGIN}:8443` }],
    ["for another host", { rpId: "evil.test" }],
    ["for the account of another", { userHandle: btoa("person-1").replaceAll("=", "") }],
    ["without the person being verified", { flags: 0x01 }],
    ["without a person being present", { flags: 0x04 }],
  ] as const)("that signed %s is refused", async ([, around], { expect }) => {
    const { passkey } = await withPasskey();
    const browser = newConsoleBrowser();
    const answer = await signIn(browser, passkey, around);
    expect([answer.status, answer.html]).toEqual([422, expect.stringContaining("This passkey does not sign in here.")]);
    expect(await isSignedIn(browser)).toBe(false);
    await signIn(browser, passkey);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test("that signed with another key is refused", async ({ expect }) => {
    const [{ passkey }, other] = [await withPasskey(), await withPasskey()];
    const browser = newConsoleBrowser();
    expect((await signIn(browser, { ...passkey, keys: other.passkey.keys })).status).toBe(422);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("of another account does not confirm who a person is", async ({ expect }) => {
    const [own, other] = [await withPasskey(), await withPasskey()];
    const confirm = async (passkey: Passkey, to = "/console") => {
      const page = await openSignIn(own.browser, `?again=1&to=${to}`);
      return send(own.browser, page, "/sign-in/passkey", await usePasskey(passkey, optionsOn(page), HERE));
    };
    await advance(11 * MINUTE);
    expect((await confirm(other.passkey)).status).toBe(422);
    expect((await openAccount(own.browser)).html).toContain(own.email);
    expect((await confirm(own.passkey)).status).toBe(200);
    // To accept an invitation, a person may become the one whom it is for.
    const link = await invite(await owned(), { email: other.email, role: "viewer" });
    expect((await confirm(other.passkey, `/console${link}`)).html).toContain("Accept the invitation");
  });

  test.for([
    ["the counter stands still", (passkey: Passkey) => passkey.counter, 422],
    ["the counter goes back", (passkey: Passkey) => passkey.counter - 1, 422],
    ["the counter goes on", (passkey: Passkey) => passkey.counter + 1, 200],
  ] as const)("with a copy of which %s", async ([, next, status], { expect }) => {
    const { passkey } = await withPasskey();
    passkey.counter = 5;
    await signIn(newConsoleBrowser(), passkey);
    passkey.counter = next(passkey);
    expect((await signIn(newConsoleBrowser(), passkey)).status).toBe(status);
  });
});

describe("a challenge", () => {
  test("works once, also for two forms at the same moment", async ({ expect }) => {
    const { passkey } = await withPasskey();
    const browser = newConsoleBrowser();
    const page = await openSignIn(browser);
    const answer = await usePasskey(passkey, optionsOn(page), HERE);
    const fields = { form: proofOf(page), to: "/console", answer };
    const answers = await Promise.all([1, 2].map(() => post(browser, "/sign-in/passkey", fields)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 422]);
    await post(browser, "/sign-out", { form: proofOf(await openAccount(browser)) });
    const again = { form: proofOf(await openSignIn(browser)), to: "/console", answer };
    expect((await post(browser, "/sign-in/passkey", again)).status).toBe(422);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("works only in the browser that got it, and for ten minutes", async ({ expect }) => {
    const { passkey } = await withPasskey();
    const [victim, attacker] = [newConsoleBrowser(), newConsoleBrowser()];
    const stolen = await usePasskey(passkey, optionsOn(await openSignIn(victim)), HERE);
    expect((await send(attacker, await openSignIn(attacker), "/sign-in/passkey", stolen)).status).toBe(422);
    await advance(10 * MINUTE + 1000);
    expect((await send(victim, await openSignIn(victim), "/sign-in/passkey", stolen)).status).toBe(422);
    expect([await isSignedIn(victim), await isSignedIn(attacker)]).toEqual([false, false]);
  });

  test("to sign in adds no passkey, and one to add a passkey signs no one in", async ({ expect }) => {
    const { browser, passkey, email } = await withPasskey();
    const account = await openAccount(browser);
    const signInPage = await openSignIn(browser, "?again=1");
    const added = await createPasskey({ ...optionsOn(account), challenge: optionsOn(signInPage).challenge }, HERE);
    expect((await send(browser, account, "/account/passkeys", added.answer)).status).toBe(422);
    const used = await usePasskey(passkey, optionsOn(account), HERE);
    expect((await send(browser, signInPage, "/sign-in/passkey", used)).status).toBe(422);
    // Nor does one of another account in the same browser.
    await signedIn({ email: newEmail() }, browser);
    const late = await createPasskey(optionsOn(account), HERE);
    expect((await send(browser, await openAccount(browser), "/account/passkeys", late.answer)).status).toBe(422);
    await signedIn({ email }, browser);
    expect(load((await openAccount(browser)).html)("form[action$='/remove']")).toHaveLength(1);
  });
});

describe("the passkeys of an account", () => {
  test("are listed, renamed and removed", async ({ expect }) => {
    const { browser, passkey } = await withPasskey();
    const page = await openAccount(browser);
    const rename = load(page.html)("form[action*='/account/passkeys/']").first().attr("action") ?? "";
    const renamed = await browser.send(filled(formTo(page, rename), { name: "Key in the safe" }));
    expect(renamed.html).toContain("Key in the safe");
    const removed = await browser.send(formTo(renamed, "/remove"));
    expect(removed.html).toContain("The passkey is removed.");
    expect(removed.html).not.toContain("Key in the safe");
    expect((await signIn(newConsoleBrowser(), passkey)).status).toBe(422);
  });

  test("are added and removed only within ten minutes of a sign-in", async ({ expect }) => {
    const { browser } = await withPasskey();
    await advance(11 * MINUTE);
    const page = await openAccount(browser);
    const { answer } = await createPasskey(optionsOn(page), HERE);
    for (const sent of [
      await send(browser, page, "/account/passkeys", answer),
      await browser.send(formTo(page, "/remove")),
    ]) {
      expect(sent.html).toContain("Confirm that it is you");
    }
    expect(load((await openAccount(browser)).html)("form[action$='/remove']")).toHaveLength(1);
  });

  test("have no other account's passkey", async ({ expect }) => {
    const { browser, passkey } = await withPasskey();
    const page = await openAccount(browser);
    const { answer } = await createPasskey(optionsOn(page), HERE);
    // A key with the same id exists already.
    const id = "UPDATE passkeys SET credential_id = ? WHERE credential_id = ?";
    await env.DB.prepare(id)
      .bind(Answer.parse(JSON.parse(answer)).id, base64Url(passkey.credentialId))
      .run();
    expect((await send(browser, page, "/account/passkeys", answer)).html).toContain("already in use");
  });

  test.for(["", "null", "{}", "[1]", '{"id":"a","rawId":"a","type":"public-key","response":{}}'])(
    "do not change by %s instead of a passkey",
    async (answer, { expect }) => {
      const { browser } = await withPasskey();
      expect((await send(browser, await openAccount(browser), "/account/passkeys", answer)).status).toBe(422);
      const stranger = newConsoleBrowser();
      expect((await send(stranger, await openSignIn(stranger), "/sign-in/passkey", answer)).status).toBe(422);
    },
  );
});

test("the script of the page is a small file of its own", async ({ expect }) => {
  const page = await openSignIn(newConsoleBrowser());
  const path = load(page.html)("script[src]").attr("src") ?? "";
  const script = await newConsoleBrowser().go(`${ORIGIN}${path}`);
  expect([script.status, script.headers.get("Content-Type")]).toEqual([200, expect.stringContaining("javascript")]);
  expect(script.html.length).toBeLessThan(12 * 1024);
  expect((await newConsoleBrowser().go(`${CONSOLE_URL}/scripts/none.js`)).status).toBe(404);
});
