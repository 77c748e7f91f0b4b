import { load } from "cheerio";
import { describe, test, vi } from "vitest";
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
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

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

  test("comes once an hour with eight digits after ten without success, at most twenty a day", async ({ expect }) => {
    const email = await newAccount();
    const request = async () => (await requestCode(newConsoleBrowser(), email)).code;
    for (let count = 0; count < 10; count++) expect(await request()).toMatch(/^\d{6}$/);
    const later: string[] = [];
    for (let hour = 0; hour < 14; hour++) {
      await advance(HOUR + MINUTE);
      later.push(await request(), await request());
    }
    // One an hour, and the second one of each hour is refused; after twenty of a day, all are.
    expect(later.slice(0, 20).filter((_, index) => index % 2 === 0)).toEqual(
      Array.from({ length: 10 }, () => expect.stringMatching(/^\d{8}$/)),
    );
    expect(later.filter((_, index) => index % 2 === 1 || index >= 20).every((code) => code === "")).toBe(true);
    await advance(DAY);
    const own = newConsoleBrowser();
    const { page, code } = await requestCode(own, email);
    await enterCode(own, page, code);
    expect([code, await isSignedIn(own)]).toEqual([expect.stringMatching(/^\d{6}$/), true]);
  });

  test("of eight digits signs in, and then codes are short again", async ({ expect }) => {
    const email = await newAccount();
    for (let count = 0; count < 10; count++) await requestCode(newConsoleBrowser(), email);
    await advance(HOUR + MINUTE);
    const own = newConsoleBrowser();
    const { page, code } = await requestCode(own, email);
    await enterCode(own, page, code);
    expect([code, await isSignedIn(own)]).toEqual([expect.stringMatching(/^\d{8}$/), true]);
    expect((await requestCode(newConsoleBrowser(), email)).code).toMatch(/^\d{6}$/);
    // A browser that has signed in before is not held up by others.
    for (let count = 0; count < 10; count++) await requestCode(newConsoleBrowser(), email);
    expect((await requestCode(newConsoleBrowser(), email)).code).toBe("");
    expect((await requestCode(own, email)).code).not.toBe("");
  });

  test("counts against an IPv6 network in whichever spelling: thirty a /64, sixty a /48", async ({ expect }) => {
    const request = async (address: string) => {
      const browser = newConsoleBrowser({ "CF-Connecting-IP": address });
      return (await requestCode(browser, newEmail())).page.status;
    };
    const answers = async (addresses: readonly string[]) => {
      const statuses: number[] = [];
      for (const address of addresses) statuses.push(await request(address));
      return statuses.filter((status) => status === 200).length;
    };
    const own = Array.from({ length: 34 }, (_, index) =>
      index % 2 === 0 ? `2001:db8::${(index + 1).toString(16)}` : `2001:0db8:0:0:0:0:0:${index}`,
    );
    expect(await answers(own)).toBe(30);
    expect(await answers(Array.from({ length: 34 }, (_, index) => `2001:db8:0:${index + 1}::1`))).toBe(30);
    expect(await answers(["2001:db8:1::1", "2001:db8::ffff"])).toBe(1);
  });

  test("is refused to strangers beyond the service's own limit, which the operator learns once", async ({ expect }) => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const variables = { MAX_SIGN_IN_CODES_AN_HOUR: "3", LOG_LEVEL: "errors" };
    await advance(HOUR + MINUTE);
    const known = newConsoleBrowser({}, variables);
    const email = await newAccount();
    const first = await requestCode(known, email);
    await enterCode(known, first.page, first.code);
    // A code that was used does not count.
    const statuses: number[] = [];
    for (let count = 0; count < 5; count++) {
      statuses.push((await requestCode(newConsoleBrowser({}, variables), newEmail())).page.status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect((await requestCode(known, email)).code).not.toBe("");
    const events = log.mock.calls.flatMap(([line]) => (String(line).includes("sign_in_codes_limited") ? [line] : []));
    expect(events).toHaveLength(1);
    log.mockRestore();
    await advance(HOUR + MINUTE);
    expect((await requestCode(newConsoleBrowser({}, variables), newEmail())).page.status).toBe(200);
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
