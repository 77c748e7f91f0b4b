import { load } from "cheerio";
import { describe, test } from "vitest";
import { advance } from "../support/clock.ts";
import { Project } from "../support/world.ts";
import {
  CONSOLE_URL,
  enterCode,
  filled,
  formTo,
  isSignedIn,
  newAccount,
  newConsoleBrowser,
  newEmail,
  post,
  proofOf,
  requestCode,
  signedIn,
  signInLink,
} from "./console-browser.ts";

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

const wrongCode = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");

describe("a sign-in link", () => {
  test("signs in once, and opening it alone changes nothing", async ({ expect }) => {
    const link = await signInLink({ email: newEmail() });
    const [first, second] = [newConsoleBrowser(), newConsoleBrowser()];
    const [pageOfFirst, pageOfSecond] = [await first.go(link), await second.go(link)];
    expect(await isSignedIn(first)).toBe(false);
    expect((await first.submit(pageOfFirst)).url).toBe(`${CONSOLE_URL}/projects`);
    const refused = await second.submit(pageOfSecond);
    expect(refused.status).toBe(422);
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([true, false]);
    expect((await second.go(link)).html).toContain("was used or has expired");
  });

  test("expires after an hour", async ({ expect }) => {
    const link = await signInLink({ email: newEmail() });
    const browser = newConsoleBrowser();
    const page = await browser.go(link);
    await advance(61 * MINUTE);
    expect((await browser.submit(page)).status).toBe(422);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("leads to the project that it names", async ({ expect }) => {
    const { name } = await Project.create();
    const browser = newConsoleBrowser();
    const page = await browser.submit(await browser.go(await signInLink({ email: newEmail(), project: name })));
    expect(page.html).toContain("Access tokens");
    expect(page.html).toContain(name);
  });
});

describe("a code", () => {
  test("signs in, and only once", async ({ expect }) => {
    const browser = newConsoleBrowser();
    const { page, code } = await requestCode(browser, await newAccount());
    expect(code).toMatch(/^\d{6}$/);
    expect((await enterCode(browser, page, code)).url).toBe(`${CONSOLE_URL}/projects`);
    await post(browser, "/sign-out", { form: proofOf(await browser.go(`${CONSOLE_URL}/projects`)) });
    const again = await browser.go(page.url);
    expect((await enterCode(browser, again, code)).html).toContain("was used or has expired");
  });

  test("takes five attempts: the sixth is refused although it is right", async ({ expect }) => {
    const browser = newConsoleBrowser();
    const { page, code } = await requestCode(browser, await newAccount());
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect((await enterCode(browser, page, wrongCode(code))).status).toBe(422);
    }
    expect((await enterCode(browser, page, code)).html).toContain("was used or has expired");
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("works only in the browser that requested it", async ({ expect }) => {
    const email = await newAccount();
    const [own, other] = [newConsoleBrowser(), newConsoleBrowser()];
    const { code, page } = await requestCode(own, email);
    const stolen = await other.go(`${CONSOLE_URL}/sign-in/code`);
    expect((await enterCode(other, stolen, code)).status).toBe(422);
    expect(await isSignedIn(other)).toBe(false);
    await enterCode(own, page, code);
    expect(await isSignedIn(own)).toBe(true);
  });

  test("of two forms at the same moment signs in one", async ({ expect }) => {
    const browser = newConsoleBrowser();
    const { page, code } = await requestCode(browser, await newAccount());
    const fields = { form: proofOf(page), code, to: "/console" };
    const answers = await Promise.all([1, 2].map(() => post(browser, "/sign-in/code", fields)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 422]);
  });

  test("expires after ten minutes", async ({ expect }) => {
    const browser = newConsoleBrowser();
    const { page, code } = await requestCode(browser, await newAccount());
    await advance(10 * MINUTE + 1000);
    expect((await enterCode(browser, page, code)).status).toBe(422);
  });

  test("is limited to ten an hour for an address", async ({ expect }) => {
    const email = await newAccount();
    const browser = newConsoleBrowser();
    for (let count = 0; count < 10; count++) expect((await requestCode(browser, email)).code).not.toBe("");
    const { page } = await requestCode(browser, email);
    expect([page.status, page.html]).toEqual([429, expect.stringContaining("Too many codes")]);
  });

  test("is not issued to an address without an account: a fresh deployment has none", async ({ expect }) => {
    const browser = newConsoleBrowser();
    const { page, code } = await requestCode(browser, newEmail());
    expect([page.status, code]).toEqual([200, ""]);
    for (const guess of ["000000", "123456"]) expect((await enterCode(browser, page, guess)).status).toBe(422);
    expect(await isSignedIn(browser)).toBe(false);
  });
});

describe("a session", () => {
  test("is listed with its device and the place that Cloudflare names, or without", async ({ expect }) => {
    const email = newEmail();
    const firefox = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };
    const known = await signedIn({ email }, newConsoleBrowser(firefox, {}, { city: "Münster", country: "DE" }));
    await signedIn({ email }, newConsoleBrowser({}, {}, { country: "PT" }));
    await signedIn({ email }, newConsoleBrowser());
    const page = await known.go(`${CONSOLE_URL}/account`);
    const $ = load(page.html);
    const listed = $('ul[aria-label="Where you are signed in"] li .what').toArray();
    const shown = listed.map((one) => [$(one).find(".name").text(), $(one).find(".facts span").first().text()]);
    expect(shown).toHaveLength(3);
    expect(shown).toEqual(expect.arrayContaining([["Firefox on Linux", "Münster, DE"]]));
    expect(shown.map(([, place]) => place).toSorted()).toEqual(["Münster, DE", "PT", "Unknown place"]);
  });

  test("is new at every sign-in, and the browser's old one ends", async ({ expect }) => {
    const email = await newAccount();
    const cookies: string[] = [];
    const browser = newConsoleBrowser();
    for (let count = 0; count < 2; count++) {
      const page = await browser.go(await signInLink({ email }));
      const answer = await browser.send(formTo(page, new URL(page.url).pathname), undefined, undefined, () => false);
      cookies.push(/__Host-belfry_session=([^;]+)/.exec(answer.headers.get("Set-Cookie") ?? "")?.[1] ?? "");
    }
    const [first = "", second = ""] = cookies;
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(second).not.toBe(first);
    const page = await newConsoleBrowser({ Cookie: `__Host-belfry_session=${first}` }).go(CONSOLE_URL);
    expect(page.url).toContain("/sign-in");
  });

  test("that was planted by another does not become the person's (fixation)", async ({ expect }) => {
    const [email, own] = [newEmail(), newEmail()];
    const attacker = await signedIn({ email: own });
    // The person's browser has every cookie of the attacker's.
    const victim = await attacker.copy();
    await signedIn({ email }, victim);
    expect((await victim.go(`${CONSOLE_URL}/account`)).html).toContain(email);
    const seen = await attacker.go(`${CONSOLE_URL}/account`);
    expect([seen.html.includes(email), await isSignedIn(attacker)]).toEqual([false, false]);
    const invented = newConsoleBrowser({ Cookie: `__Host-belfry_session=${"A".repeat(43)}` });
    expect(await isSignedIn(invented)).toBe(false);
  });

  test("does not work after the sign-out, which clears the browser (replay)", async ({ expect }) => {
    const link = await signInLink({ email: newEmail() });
    const browser = newConsoleBrowser();
    const page = await browser.go(link);
    const entered = await browser.send(formTo(page, new URL(link).pathname), undefined, undefined, () => false);
    const cookie = /__Host-belfry_session=[^;]+/.exec(entered.headers.get("Set-Cookie") ?? "")?.[0] ?? "";
    const replay = newConsoleBrowser({ Cookie: cookie });
    expect(await isSignedIn(replay)).toBe(true);
    const left = await post(browser, "/sign-out", { form: proofOf(await browser.go(`${CONSOLE_URL}/projects`)) });
    // "cookies" would delete those of every host of the operator's domain.
    expect(left.headers.get("Clear-Site-Data")).toBe('"cache", "storage"');
    const dropped = left.headers.getSetCookie().filter((one) => one.includes("Max-Age=0"));
    expect(dropped.map((one) => one.split("=")[0]).sort()).toEqual(
      ["begun", "flash", "session"].map((name) => `__Host-belfry_${name}`),
    );
    expect(await isSignedIn(replay)).toBe(false);
  });

  test("without the prefix of this host is ignored over https", async ({ expect }) => {
    const link = await signInLink({ email: newEmail() });
    const browser = newConsoleBrowser();
    const page = await browser.go(link);
    const entered = await browser.send(formTo(page, new URL(link).pathname), undefined, undefined, () => false);
    const header = entered.headers.get("Set-Cookie") ?? "";
    expect(header).toMatch(/__Host-belfry_session=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax/);
    const value = /belfry_session=([^;]+)/.exec(header)?.[1] ?? "";
    expect(await isSignedIn(newConsoleBrowser({ Cookie: `belfry_session=${value}` }))).toBe(false);
  });

  test("ends after 30 days without use, and after 90 days in all", async ({ expect }) => {
    const email = newEmail();
    const browser = await signedIn({ email });
    for (let day = 0; day < 80; day += 20) {
      expect(await isSignedIn(browser)).toBe(true);
      await advance(20 * DAY);
    }
    expect(await isSignedIn(browser)).toBe(true);
    await advance(11 * DAY);
    expect(await isSignedIn(browser)).toBe(false);
    const idle = await signedIn({ email });
    await advance(31 * DAY);
    expect(await isSignedIn(idle)).toBe(false);
  });

  test("is listed with its device, and ended one by one or all", async ({ expect }) => {
    const email = newEmail();
    const phone = newConsoleBrowser({ "User-Agent": "Mozilla/5.0 (iPhone) AppleWebKit Version/18 Safari/604" });
    await signedIn({ email }, phone);
    const laptop = await signedIn({ email });
    const page = await laptop.go(`${CONSOLE_URL}/account`);
    expect(page.html).toContain("Safari on iPhone");
    const foreign = await signedIn({ email: newEmail() });
    const { action } = formTo(page, "/end");
    const own = proofOf(await foreign.go(`${CONSOLE_URL}/account`));
    expect((await post(foreign, action.slice(CONSOLE_URL.length), { form: own })).status).toBe(404);
    await laptop.send(formTo(page, "/end"));
    expect([await isSignedIn(phone), await isSignedIn(laptop)]).toEqual([false, true]);
    await signedIn({ email }, phone);
    await laptop.send(formTo(await laptop.go(`${CONSOLE_URL}/account`), "/end-all"));
    expect([await isSignedIn(phone), await isSignedIn(laptop)]).toEqual([false, false]);
  });
});

describe("a form", () => {
  test("with another browser's proof, or one from before the sign-in, is refused", async ({ expect }) => {
    const email = newEmail();
    const [browser, other] = [await signedIn({ email }), await signedIn({ email })];
    const stolen = proofOf(await other.go(`${CONSOLE_URL}/account`));
    expect((await post(browser, "/account/sessions/end-all", { form: stolen })).status).toBe(403);
    const before = proofOf(await browser.go(`${CONSOLE_URL}/account`));
    await signedIn({ email }, browser);
    expect((await post(browser, "/account/sessions/end-all", { form: before })).status).toBe(403);
    expect((await post(browser, "/account/sessions/end-all", {})).status).toBe(403);
    expect(await isSignedIn(other)).toBe(true);
  });

  test.for([
    ["another site", { Origin: "https://evil.test", "Sec-Fetch-Site": "cross-site" }],
    ["a neighbour of this site", { Origin: "https://a.belfry.test", "Sec-Fetch-Site": "same-site" }],
    ["an old browser on another site", { Origin: "https://evil.test", "Sec-Fetch-Site": "" }],
    ["a page without an origin", { Origin: "null", "Sec-Fetch-Site": "cross-site" }],
  ] as const)("from %s is refused", async ([, headers], { expect }) => {
    const sent = { ...headers };
    const browser = newConsoleBrowser(sent);
    const page = await browser.go(`${CONSOLE_URL}/sign-in`);
    const answer = await browser.send(filled(formTo(page, "/sign-in"), { email: "a@example.com" }));
    expect(answer.status).toBe(403);
  });

  test("leads only to pages of the console", async ({ expect }) => {
    for (const to of ["https://evil.test", "//evil.test", "/console/../docs", "/consoleevil"]) {
      const page = await newConsoleBrowser().go(`${CONSOLE_URL}/sign-in?to=${encodeURIComponent(to)}`);
      expect(formTo(page, "/sign-in").fields.find(({ name }) => name === "to")?.value).toBe("/console");
    }
  });
});
