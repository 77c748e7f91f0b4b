import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { sha256Hex } from "../../src/core/tokens.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { without } from "../contract/absent.ts";
import { fieldsOf } from "../support/browser.ts";
import { advance } from "../support/clock.ts";
import {
  begun,
  callbackOf,
  choose,
  decide,
  expectPage,
  MINUTES,
  press,
  READ_ONLY_PAGE,
  start,
  statusOf,
} from "../support/connecting.ts";
import { sandbox } from "../support/sandbox.ts";
import { newBrowser, ORIGIN, Project } from "../support/world.ts";

describe("what can go wrong", () => {
  test("a denied consent: a page, a failed session with the reason, and another try", async ({ expect }) => {
    const { connection, browser } = await begun("myapp://done");
    const denied = await decide(browser, await choose(browser, connection, ["twitter"]), "deny");
    expectPage(expect, denied, 403, "Access was not allowed at X");
    expect(denied.html).toContain("Try again");
    expect(denied.html).not.toContain("Go on without");
    expect(denied.html).toContain('href="myapp://done?status=failed&amp;message=Access%20was%20not%20allowed');
    const { body } = await statusOf(connection);
    expect(body).toEqual({
      status: true,
      expired: false,
      connect_status: "failed",
      platform: "twitter",
      channel_id: null,
      channel_ids: null,
      account_name: null,
      message: "Access was not allowed at X, so no account was connected.",
      updated_at: expect.any(String),
    });
    expectPage(expect, await browser.go(connection.connect_url), 200, "Access was not allowed at X");

    const consent = await press(browser, denied, "/next");
    expect(await statusOf(connection)).toMatchObject({ body: { connect_status: "pending", message: null } });
    await decide(browser, consent, "allow");
    expect(await statusOf(connection)).toMatchObject({ body: { connect_status: "success", platform: "twitter" } });
  });

  test("a denied platform can be left out, before or after another", async ({ expect }) => {
    const { connection, browser } = await begun("https://app.example/done");
    const denied = await decide(browser, await choose(browser, connection, ["facebook", "twitter"]), "deny");
    expectPage(expect, denied, 403, "Facebook is not connected");
    const consent = await press(browser, denied, "/next", "without");
    expect(consent.url).toContain("/x.com/");
    const end = await decide(browser, consent, "allow");
    expect(end.url).toContain("&platform=twitter&status=success");

    const second = await begun("https://app.example/done");
    const accounts = await decide(
      second.browser,
      await choose(second.browser, second.connection, ["facebook", "twitter"]),
      "allow",
    );
    const twitter = await press(second.browser, accounts, "/accounts/facebook");
    const without = await decide(second.browser, twitter, "deny");
    expect(await statusOf(second.connection)).toMatchObject({
      body: {
        connect_status: "failed",
        platform: "twitter",
        channel_id: null,
        channel_ids: [expect.any(Number), expect.any(Number), expect.any(Number)],
      },
    });
    const finished = await press(second.browser, without, "/next", "without");
    expect(finished.url).toContain("&platform=facebook&status=success");
    expect(await statusOf(second.connection)).toMatchObject({ body: { connect_status: "success", message: null } });
  });

  test("what is connected can be kept without the rest", async ({ expect }) => {
    const { connection, browser } = await begun("https://app.example/done");
    const accounts = await decide(browser, await choose(browser, connection, ["facebook", "twitter"]), "allow");
    await press(browser, accounts, "/accounts/facebook");
    const page = await browser.go(connection.connect_url);
    const end = await press(browser, page, "/finish");
    expect(end.url).toContain("&platform=facebook&status=success");
  });

  test("a state works once: a replay changes nothing and leads back", async ({ expect }) => {
    const { connection, browser } = await begun();
    const callback = await callbackOf(browser, await choose(browser, connection, ["twitter"]));
    await browser.go(callback);
    const status = (await statusOf(connection)).body;
    const replay = await browser.go(callback);
    expectPage(expect, replay, 400, "This sign-in was already used");
    expect(replay.html).toContain(`href="/connect/${connection.connect_token}"`);
    expect((await statusOf(connection)).body).toEqual(status);
  });

  test("another browser's callback is refused, and the person's own still works", async ({ expect }) => {
    const { connection, browser } = await begun();
    const callback = await callbackOf(browser, await choose(browser, connection, ["twitter"]));
    const stranger = newBrowser();
    expectPage(expect, await stranger.go(callback), 403, "belongs to another browser");
    await stranger.go(connection.connect_url);
    expectPage(expect, await stranger.go(callback), 403, "belongs to another browser");
    expect(await statusOf(connection)).toMatchObject({ body: { connect_status: "pending" } });
    expectPage(expect, await browser.go(callback), 200, "Connected");
  });

  test("another browser cannot choose from the accounts of a sign-in", async ({ expect }) => {
    const { connection, browser } = await begun();
    const accounts = await decide(browser, await choose(browser, connection, ["facebook"]), "allow");
    const stranger = newBrowser();
    expectPage(expect, await stranger.go(accounts.url), 403, "Signed in elsewhere");
    expectPage(expect, await press(stranger, accounts, "/accounts/facebook"), 403, "not valid here");
    expect(await statusOf(connection)).toMatchObject({ body: { connect_status: "pending" } });
  });

  test("a callback without a code, with an error, or of a platform that is down says so", async ({ expect }) => {
    const { connection, browser } = await begun();
    const back = async (query: (state: string) => string) => {
      const state = new URL((await choose(browser, connection, ["twitter"])).url).searchParams.get("state") ?? "";
      return browser.go(`${ORIGIN}/connect/callback/twitter?${query(state)}`);
    };
    expectPage(expect, await back((state) => `state=${state}`), 400, "returned no permission");
    expectPage(
      expect,
      await back((state) => `state=${state}&error=server_error&error_description=${encodeURIComponent("<b>no</b>")}`),
      400,
      "X did not connect the account: &lt;b&gt;no&lt;/b&gt;",
    );
    expectPage(expect, await back((state) => `state=${state}&code=invented`), 400, "X is not connected");
    expect(await statusOf(connection)).toMatchObject({
      body: { connect_status: "failed", message: expect.any(String) },
    });

    await sandbox.fault("twitter", "token", "error");
    const down = await decide(browser, await choose(browser, connection, ["twitter"]), "allow");
    expectPage(expect, down, 503, "Try again");
    expect(await statusOf(connection)).toMatchObject({ body: { connect_status: "failed" } });
  });

  test("a login that may publish nowhere is a failure with what to do", async ({ expect }) => {
    const { connection, browser } = await begun();
    const consent = await choose(browser, connection, ["facebook"]);
    const page = await decide(browser, consent, "allow", [READ_ONLY_PAGE]);
    expectPage(expect, page, 403, "Ask an admin of the Page");
    expect(await statusOf(connection)).toMatchObject({
      body: { connect_status: "failed", message: expect.stringContaining("Ask an admin of the Page") },
    });
  });

  test("unknown states and platforms are clear pages", async ({ expect }) => {
    const { connection, browser } = await begun();
    await choose(browser, connection, ["twitter"]);
    const at = (path: string) => browser.go(`${ORIGIN}/connect/${path}`);
    expectPage(expect, await at("callback/twitter"), 400, "was already used");
    expectPage(expect, await at("callback/twitter?state=&code=x"), 400, "was already used");
    expectPage(expect, await at("callback/twitter?state=invented&code=x"), 400, "was already used");
    expectPage(expect, await at("callback/twitter?state=a&state=b&code=%FF%00"), 400, "was already used");
    const lost = { method: "POST", body: "x", headers: { "Content-Type": "multipart/form-data" } };
    expectPage(expect, await browser.go(`${ORIGIN}/connect/nowhere`, lost), 404, "Unknown link");
    expectPage(expect, await at("callback/myspace?state=x&code=y"), 404, "Page not found");
    await without(platforms, "twitter", async () =>
      expectPage(expect, await at("callback/twitter?state=x&code=y"), 404, "Page not found"),
    );
    expectPage(expect, await at("callback"), 404, "Unknown link");
    expectPage(expect, await at(`${connection.connect_token}/nowhere`), 404, "Page not found");
    expectPage(expect, await at(`${connection.connect_token}/accounts/facebook`), 404, "Nothing to choose from");
    expectPage(expect, await at(`${connection.connect_token}/accounts/myspace`), 404, "Page not found");
    expect(await statusOf(connection)).toMatchObject({ body: { connect_status: "pending" } });
  });

  test("the state of one platform is not taken by another's callback", async ({ expect }) => {
    const { connection, browser } = await begun();
    const callback = await callbackOf(browser, await choose(browser, connection, ["twitter"]));
    expectPage(expect, await browser.go(callback.replace("/twitter", "/facebook")), 400, "was already used");
    expectPage(expect, await browser.go(callback), 200, "Connected");
  });

  test("a link that is unknown or damaged is a 404 page", async ({ expect }) => {
    const { connect_token: token } = await start(await Project.create());
    for (const strange of [
      "x",
      token.slice(0, -1),
      `${token}x`,
      "%00%FF",
      "💥",
      "a".repeat(5000),
      `${token.slice(0, -1)}.`,
    ]) {
      expectPage(expect, await newBrowser().go(`${ORIGIN}/connect/${strange}`), 404, "Unknown link");
    }
  });

  test("after fifteen minutes every page of the session says that it has expired", async ({ expect }) => {
    const { connection, browser } = await begun("https://app.example/done");
    const page = await browser.go(connection.connect_url);
    const consent = await choose(browser, connection, ["twitter"]);
    const callback = await callbackOf(browser, consent);
    await advance(15 * MINUTES);
    for (const late of [
      await browser.go(connection.connect_url),
      await browser.submit(page, (field) => (field.name === "platform" ? true : undefined)),
      await browser.go(callback),
    ]) {
      expectPage(expect, late, 410, "This link has expired");
      expect(late.html).toContain(
        'href="https://app.example/done?status=failed&amp;message=The%20connection%20session%20has%20expired.',
      );
    }
    expect((await statusOf(connection)).body).toEqual({ status: false, expired: true, connect_status: "expired" });
  });

  test("a session that KV does not have yet answers 503 with a time to try again", async ({ expect }) => {
    const { connection, browser } = await begun();
    for (const { name } of (await env.KV.list({ prefix: "connect:" })).keys) {
      if (name.endsWith(await sha256Hex(connection.connect_token))) await env.KV.delete(name);
    }
    const page = await browser.go(connection.connect_url);
    expectPage(expect, page, 503, "Just a moment");
    expect(page.headers.get("Retry-After")).toBe("5");
    expect(await statusOf(connection)).toMatchObject({ body: { connect_status: "pending" } });
  });

  test("forms are taken only from our own pages in this browser", async ({ expect }) => {
    const { connection, browser } = await begun();
    const page = await browser.go(connection.connect_url);
    const proof = fieldsOf(page).find((field) => field.name === "form")?.value ?? "";
    const body = () => new URLSearchParams({ form: proof, platform: "twitter" });
    const post = (init: RequestInit, by = browser) => by.go(connection.connect_url, { method: "POST", ...init });
    expectPage(expect, await post({ body: body() }, newBrowser()), 403, "not valid here");
    expectPage(expect, await post({ body: new URLSearchParams({ platform: "twitter" }) }), 403, "not valid here");
    expectPage(
      expect,
      await post({ body: body(), headers: { "Sec-Fetch-Site": "cross-site" } }),
      403,
      "not valid here",
    );
    expectPage(
      expect,
      await post({ body: "{", headers: { "Content-Type": "application/json" } }),
      403,
      "not valid here",
    );
    expectPage(
      expect,
      await post({ body: "x", headers: { "Content-Type": "multipart/form-data" } }),
      403,
      "not valid here",
    );
    const file = new FormData();
    file.append("form", new File([proof], "proof.txt"));
    expectPage(expect, await post({ body: file }), 403, "not valid here");
    expectPage(expect, await post({ body: "x".repeat(300_000) }), 413, "too large");
    const nulled = await post({ body: body(), headers: { Origin: "null", "Sec-Fetch-Site": "same-origin" } });
    expect(nulled.url).toContain("/x.com/");
  });

  test("another method is refused on a page too", async ({ expect }) => {
    const { connection, browser } = await begun();
    const page = await browser.go(connection.connect_url, { method: "DELETE" });
    expectPage(expect, page, 405, "GET");
    expect(page.headers.get("Allow")).toBe("GET, HEAD, POST");
  });
});
