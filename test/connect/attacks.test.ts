import { env } from "cloudflare:workers";
import { sign } from "hono/jwt";
import { describe, test } from "vitest";
import { sha256Hex } from "../../src/core/tokens.ts";
import { formsOf, type Page } from "../support/browser.ts";
import { advance } from "../support/clock.ts";
import { begun, callbackOf, choose, expectPage, MINUTES, start, statusOf } from "../support/connecting.ts";
import { newBrowser, ORIGIN, Project } from "../support/world.ts";

/** What a page cost, as its headers say outside production. */
function costOf({ headers }: Pick<Page, "headers">): string {
  const timing = headers.get("Server-Timing") ?? "";
  return `${/calls=\d+/.exec(timing)?.[0]} ${/reads=\d+/.exec(timing)?.[0]}`;
}
const NOTHING = "calls=0 reads=0";
/** A page that knows its project, by the address or the cookie of a genuine session, has its branding. */
const BRAND = "calls=1 reads=0";

const changed = (url: string, name: string, value: string): string => {
  const address = new URL(url);
  address.searchParams.set(name, value);
  return address.href;
};

describe("a callback", () => {
  test("with an unsigned state reads nothing from D1 but the brand of the cookie's session", async ({ expect }) => {
    const { connection, browser } = await begun();
    const callback = await callbackOf(browser, await choose(browser, connection, ["twitter"]));
    const state = new URL(callback).searchParams.get("state") ?? "";
    const [header, payload = "", signature] = state.split(".");
    const claims = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    const strange = [
      "",
      "invented",
      "x".repeat(10_000),
      `${header}.${payload}.${signature?.split("").reverse().join("")}`,
      await sign(claims, "a signing key that the attacker made up himself", "HS256"),
      await sign({ ...claims, exp: claims.exp + 1000 }, "another key of the attacker, long enough for this", "HS256"),
      // Signed by us, for another purpose.
      connection.connect_token,
    ];
    for (const one of strange) {
      const page = await browser.go(changed(callback, "state", one));
      expectPage(expect, page, 400, "This sign-in was already used");
      expect([one.slice(0, 20), costOf(page)]).toEqual([one.slice(0, 20), BRAND]);
    }
    const elsewhere = await browser.go(callback.replace("/callback/twitter", "/callback/facebook"));
    expectPage(expect, elsewhere, 400, "This sign-in was already used");
    expect(costOf(elsewhere)).toBe(BRAND);
    expect(costOf(await newBrowser().go(changed(callback, "state", "invented")))).toBe(NOTHING);
    expect(await statusOf(connection)).toMatchObject({ body: { connect_status: "pending" } });
    expectPage(expect, await browser.go(callback), 200, "Connected");
  });

  test("without the cookie of its browser, or with another's, reads nothing either", async ({ expect }) => {
    const { connection, browser } = await begun();
    const callback = await callbackOf(browser, await choose(browser, connection, ["twitter"]));
    const stranger = newBrowser();
    const bare = await stranger.go(callback);
    expectPage(expect, bare, 403, "belongs to another browser");
    await stranger.go((await begun()).connection.connect_url);
    const other = await stranger.go(callback);
    expectPage(expect, other, 403, "belongs to another browser");
    expect([costOf(bare), costOf(other)]).toEqual([NOTHING, BRAND]);
    expectPage(expect, await browser.go(callback), 200, "Connected");
  });

  test("of an expired session reads D1 only for the brand", async ({ expect }) => {
    const { connection, browser } = await begun("myapp://done");
    const callback = await callbackOf(browser, await choose(browser, connection, ["twitter"]));
    await advance(16 * MINUTES);
    const late = await browser.go(callback);
    expectPage(expect, late, 410, "This link has expired");
    expect(late.html).toContain('href="myapp://done?status=failed');
    expect(costOf(late)).toBe("calls=1 reads=1");
  });

  test.for(["facebook", "twitter"])(
    "with the code of another person's login at %s connects nothing",
    async (platform, { expect }) => {
      const victim = await begun();
      const theirs = await callbackOf(victim.browser, await choose(victim.browser, victim.connection, [platform]));
      const attacker = await begun();
      const own = await callbackOf(attacker.browser, await choose(attacker.browser, attacker.connection, [platform]));
      const stolen = new URL(theirs).searchParams.get("code") ?? "";
      const page = await attacker.browser.go(changed(own, "code", stolen));
      expect(page.status).toBe(400);
      expect(await statusOf(attacker.connection)).toMatchObject({
        body: { connect_status: "failed", channel_ids: null },
      });
    },
  );
});

describe("a session has ten open states at most", () => {
  test("of an eleventh login the first one has expired, the others have not", async ({ expect }) => {
    const { connection, browser } = await begun();
    const callbacks: string[] = [];
    for (let tab = 0; tab < 11; tab++) {
      callbacks.push(await callbackOf(browser, await choose(browser, connection, ["twitter"])));
      await advance(100);
    }
    const open = await env.DB.prepare("SELECT count(*) AS n FROM oauth_states WHERE token_hash = ?")
      .bind(await sha256Hex(connection.connect_token))
      .first("n");
    expect(open).toBe(10);
    const [first = "", second = ""] = callbacks;
    expectPage(expect, await browser.go(first), 400, "can be used once");
    expectPage(expect, await browser.go(second), 200, "Connected");
  });

  test("however many browsers open its link; and another session's are its own", async ({ expect }) => {
    const project = await Project.create();
    const connection = await start(project);
    const other = await start(project);
    const mine = newBrowser();
    const kept = await callbackOf(mine, await choose(mine, other, ["twitter"]));
    for (let visitor = 0; visitor < 12; visitor++) await choose(newBrowser(), connection, ["facebook"]);
    const open = await env.DB.prepare("SELECT count(*) AS n FROM oauth_states WHERE token_hash = ?")
      .bind(await sha256Hex(connection.connect_token))
      .first("n");
    expect(open).toBe(10);
    expectPage(expect, await mine.go(kept), 200, "Connected");
  });

  test("which costs no call more", async ({ expect }) => {
    const { connection, browser } = await begun();
    const page = await browser.go(connection.connect_url);
    const [form] = formsOf(page);
    if (!form) throw new Error("No form.");
    const sent = await browser.send(
      form,
      ({ name }) => name === "platform" || undefined,
      undefined,
      () => false,
    );
    // The session, and the login.
    expect(costOf(sent)).toBe("calls=2 reads=1");
  });
});

describe("a form of the connect pages", () => {
  const paths = ["", "/next", "/finish", "/accounts/facebook"];

  test("with a session that nobody signed asks only for the brand of the cookie's session", async ({ expect }) => {
    const { connection, browser } = await begun();
    const page = await browser.go(connection.connect_url);
    const proof = formsOf(page)[0]?.fields.find(({ name }) => name === "form")?.value ?? "";
    const invented = `${connection.connect_token.slice(0, -4)}AAAA`;
    for (const path of paths) {
      const body = new URLSearchParams({ form: proof, platform: "twitter" });
      const answer = await browser.go(`${ORIGIN}/connect/${invented}${path}`, { method: "POST", body });
      expectPage(expect, answer, 404, "Unknown link");
      expect([path, costOf(answer)]).toEqual([path, BRAND]);
    }
  });

  test("with no token, another browser's or another session's asks only for the brand", async ({ expect }) => {
    const { connection, browser } = await begun();
    await browser.go(connection.connect_url);
    const elsewhere = await begun();
    const proofOf = (page: Page) => formsOf(page)[0]?.fields.find(({ name }) => name === "form")?.value ?? "";
    const foreign = proofOf(await elsewhere.browser.go(connection.connect_url));
    const other = proofOf(await browser.go(elsewhere.connection.connect_url));
    for (const path of paths) {
      for (const form of ["", "invented", foreign, other]) {
        const body = new URLSearchParams({ form, platform: "twitter" });
        const answer = await browser.go(`${connection.connect_url}${path}`, { method: "POST", body });
        expectPage(expect, answer, 403, "This form is not valid here");
        expect([path, costOf(answer)]).toEqual([path, BRAND]);
      }
    }
    const own = proofOf(await browser.go(connection.connect_url));
    const cross = await browser.go(`${connection.connect_url}/finish`, {
      method: "POST",
      body: new URLSearchParams({ form: own }),
      headers: { "Sec-Fetch-Site": "cross-site" },
    });
    expect([cross.status, costOf(cross)]).toEqual([403, BRAND]);
  });

  test("and any address with an invented session read nothing", async ({ expect }) => {
    const browser = newBrowser();
    for (const path of ["/connect/invented", "/connect/a.b.c", "/connect/a.b.c/accounts/facebook", "/connect/x/y/z"]) {
      const page = await browser.go(`${ORIGIN}${path}`);
      expect([path, page.status, costOf(page)]).toEqual([path, 404, NOTHING]);
    }
  });
});
