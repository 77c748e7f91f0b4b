import { env } from "cloudflare:workers";
import { describe, type ExpectStatic, test } from "vitest";
import { z } from "zod";
import { sha256Hex } from "../src/core/tokens.ts";
import { type Browser, fieldsOf, type Page } from "./support/browser.ts";
import { advance } from "./support/clock.ts";
import { sandbox } from "./support/sandbox.ts";
import { createPost, HANDLES, newBrowser, ORIGIN, PAGES, Project, projectWith } from "./support/world.ts";

const READ_ONLY_PAGE = "104000000000004";
const MINUTES = 60_000;

const Started = z.strictObject({
  status: z.literal(true),
  connect_url: z.string(),
  connect_token: z.string(),
  expires_in: z.literal(900),
});

interface Connection extends z.output<typeof Started> {
  readonly project: Project;
}

async function start(project: Project, redirectUrl?: string): Promise<Connection> {
  const answer = await project.call("POST", "/social/connect-channel", {
    body: { userId: "user-7", ...(redirectUrl === undefined ? {} : { redirectUrl }) },
  });
  return { project, ...Started.parse(answer.body) };
}

async function begun(redirectUrl?: string) {
  const connection = await start(await Project.create(), redirectUrl);
  return { connection, browser: newBrowser() };
}

function statusOf({ project, connect_token }: Connection, token = connect_token) {
  return project.call("GET", `/social/connect-status?connect_token=${encodeURIComponent(token)}`);
}

/** Ticks the platforms; the page after is the first one's consent page. */
async function choose(browser: Browser, { connect_url }: Connection, platforms: readonly string[]): Promise<Page> {
  const page = await browser.go(connect_url);
  return browser.submit(page, (field) => (field.name === "platform" ? platforms.includes(field.value) : undefined));
}

/** Presses a button of a consent page with only these accounts ticked; all, when none are named. */
function decide(
  browser: Browser,
  consent: Page,
  decision: "allow" | "deny",
  accounts?: readonly string[],
): Promise<Page> {
  const isAccount = (name: string) => name === "page" || name === "account";
  return browser.submit(
    consent,
    (field) => (isAccount(field.name) && accounts ? accounts.includes(field.value) : undefined),
    { decision },
  );
}

/** The callback address to which the platform sends this browser, not yet visited. */
async function callbackOf(browser: Browser, consent: Page): Promise<string> {
  const body = new URLSearchParams({ decision: "allow" });
  for (const { name, value, type, checked } of fieldsOf(consent.html)) {
    if (type === "hidden" || checked) body.append(name, value);
  }
  const page = await browser.go(consent.url, { method: "POST", body }, (url) => !url.pathname.startsWith("/connect/"));
  return page.url;
}

/** Sends one of the page's forms, by the end of its action. */
async function press(browser: Browser, page: Page, actionEnd: string, field?: string): Promise<Page> {
  const forms = page.html.match(/<form\b[\s\S]*?<\/form>/g) ?? [];
  const form = forms.find((text) => text.includes(`${actionEnd}"`) && (!field || text.includes(`name="${field}"`)));
  if (!form) throw new Error(`No form to ${actionEnd} on ${page.url}: ${page.html}`);
  return browser.submit({ ...page, html: form }, () => undefined);
}

function expectPage(expect: ExpectStatic, page: Page, status: number, words: string): void {
  expect({ status: page.status, type: page.headers.get("Content-Type") }).toEqual({
    status,
    type: "text/html; charset=UTF-8",
  });
  expect(page.html).toContain(words);
}

describe("connect-channel", () => {
  test("opens a session with a page and fifteen minutes", async ({ expect }) => {
    const { connect_url, connect_token } = await start(await Project.create());
    expect(connect_url).toBe(`${ORIGIN}/connect/${connect_token}`);
    expect(connect_token).toMatch(/^[A-Za-z0-9_-]{64}$/);
  });

  test.for([
    [{}, "userId", "required"],
    [{ userId: "" }, "userId", "empty"],
    [{ userId: 7 }, "userId", "string"],
    [{ userId: "x".repeat(256) }, "userId", "255"],
    [{ userId: "u", redirectUrl: "" }, "redirectUrl", "absolute URL"],
    [{ userId: "u", redirectUrl: "/done" }, "redirectUrl", "absolute URL"],
    [{ userId: "u", redirectUrl: "javascript:alert(1)" }, "redirectUrl", "javascript"],
    [{ userId: "u", redirectUrl: "https://a:b@app.example" }, "redirectUrl", "password"],
    [{ userId: "u", redirectUrl: `https://app.example/${"x".repeat(2048)}` }, "redirectUrl", "2048"],
  ] as const)("refuses %o", async ([body, field, word], { expect }) => {
    const project = await Project.create();
    const answer = await project.call("POST", "/social/connect-channel", { body });
    expect(answer).toMatchObject({
      status: 422,
      body: { status: false, errors: { [field]: [expect.stringContaining(word)] } },
    });
  });

  test("gives the same session again for the same Idempotency-Key, and a new one without", async ({ expect }) => {
    const project = await Project.create();
    const ask = (userId: string) =>
      project.call("POST", "/social/connect-channel", { body: { userId }, headers: { "Idempotency-Key": "k1" } });
    const first = await ask("a");
    const again = await ask("a");
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await ask("b")).toMatchObject({ status: 422, body: { code: "idempotency_conflict" } });
    const [one, other] = [await start(project), await start(project)];
    expect(one.connect_token).not.toBe(other.connect_token);
    const stored = await env.DB.prepare("SELECT answer FROM idempotency_keys").all<{ answer: string }>();
    expect(JSON.stringify(stored.results)).not.toContain(Started.parse(first.body).connect_token);
  });
});

describe("connect-status", () => {
  const nothing = { platform: null, channel_id: null, channel_ids: null, account_name: null, message: null };

  test("is pending, with nothing known, before and while the person chooses", async ({ expect }) => {
    const { connection, browser } = await begun();
    const expected = {
      status: true,
      expired: false,
      connect_status: "pending",
      ...nothing,
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/),
    };
    const before = await statusOf(connection);
    expect(before).toMatchObject({ status: 200 });
    expect(before.body).toEqual(expected);
    await choose(browser, connection, ["twitter"]);
    expect((await statusOf(connection)).body).toEqual(expected);
    expect(before.headers.get("Server-Timing")).toContain('d1;desc="calls=1 ');
  });

  test("does not know tokens that were invented, changed, or another project's", async ({ expect }) => {
    const { connection } = await begun();
    const { connect_token: token } = connection;
    const other = await start(await Project.create());
    const flipped = `${token.slice(0, 30)}${token[30] === "A" ? "B" : "A"}${token.slice(31)}`;
    for (const strange of [
      flipped,
      token.slice(1),
      `${token}A`,
      "x",
      "a".repeat(64),
      "💥",
      "%00",
      other.connect_token,
    ]) {
      const answer = await statusOf(connection, strange);
      expect(answer).toMatchObject({
        status: 404,
        body: { status: false, message: expect.any(String), code: "not_found" },
      });
    }
  });

  test("wants the token", async ({ expect }) => {
    const project = await Project.create();
    expect(await project.call("GET", "/social/connect-status")).toMatchObject({
      status: 422,
      body: { errors: { connect_token: [expect.any(String)] } },
    });
  });

  test("is expired after 900 seconds, in exactly three keys, whatever was done before", async ({ expect }) => {
    const { connection, browser } = await begun();
    const other = await start(connection.project);
    await choose(browser, connection, ["twitter"]);
    await advance(899_000);
    expect((await statusOf(connection)).status).toBe(200);
    await advance(2_000);
    for (const session of [connection, other]) {
      const answer = await statusOf(session);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual({ status: false, expired: true, connect_status: "expired" });
    }
    const stranger = await start(await Project.create());
    await advance(901_000);
    expect((await statusOf(connection, stranger.connect_token)).body).toMatchObject({ code: "not_found" });
  });
});

describe("connecting through the pages", () => {
  test("one account goes straight back to the application", async ({ expect }) => {
    const { connection, browser } = await begun("https://app.example/done?tab=1#part");
    const consent = await choose(browser, connection, ["twitter"]);
    expect(consent.url).toMatch(/^http:\/\/sandbox\.test\/x\.com\/i\/oauth2\/authorize\?/);
    expect(new URL(consent.url).searchParams.get("code_challenge_method")).toBe("S256");
    const end = await decide(browser, consent, "allow", [HANDLES.fern]);
    const { body } = await statusOf(connection);
    const { channel_id: id, account_name: name } = z
      .object({ channel_id: z.int(), account_name: z.string() })
      .parse(body);
    expect(end.status).toBe(303);
    expect(end.url).toBe(
      `https://app.example/done?tab=1&channel_id=${id}&channel_ids=${id}&platform=twitter&status=success&connect_token=${connection.connect_token}#part`,
    );
    expect(body).toEqual({
      status: true,
      expired: false,
      connect_status: "success",
      platform: "twitter",
      channel_id: id,
      channel_ids: [id],
      account_name: name,
      message: null,
      updated_at: expect.any(String),
    });
  });

  test("several platforms are gone through in turn, and several accounts are named together", async ({ expect }) => {
    const { connection, browser } = await begun("myapp://done");
    const facebook = await choose(browser, connection, ["facebook", "twitter"]);
    expect(facebook.url).toContain("www.facebook.com");
    const accounts = await decide(browser, facebook, "allow");
    expectPage(expect, accounts, 200, "You may not publish on Read Only Gazette");
    expect(fieldsOf(accounts.html).filter((field) => field.name === "account")).toEqual(
      [PAGES.fern, PAGES.harbour, PAGES.bikes, READ_ONLY_PAGE].map((value) =>
        expect.objectContaining({ value, checked: value !== READ_ONLY_PAGE, disabled: value === READ_ONLY_PAGE }),
      ),
    );
    const wanted: string[] = [PAGES.fern, PAGES.bikes];
    const consent = await browser.submit(accounts, (field) =>
      field.name === "account" ? wanted.includes(field.value) : undefined,
    );
    expect(consent.url).toContain("/x.com/");
    expect(await statusOf(connection)).toMatchObject({ body: { connect_status: "pending", channel_ids: null } });

    const end = await decide(browser, consent, "allow");
    const { body } = await statusOf(connection);
    const { channel_ids: ids } = z.object({ channel_ids: z.array(z.int()).length(3) }).parse(body);
    expect(body).toMatchObject({
      connect_status: "success",
      platform: "facebook,twitter",
      channel_id: null,
      account_name: "Fern & Oak, Northside Bikes, Acme Bikes",
    });
    expect(end.url).toBe(
      `myapp://done?channel_ids=${ids.join(",")}&platform=facebook,twitter&status=success&connect_token=${connection.connect_token}`,
    );
  });

  test("without a redirectUrl a page says what is connected, then and later", async ({ expect }) => {
    const { connection, browser } = await begun();
    const accounts = await decide(browser, await choose(browser, connection, ["facebook"]), "allow");
    const end = await press(browser, accounts, "/accounts/facebook");
    for (const page of [end, await browser.go(connection.connect_url), await newBrowser().go(connection.connect_url)]) {
      expect(page.url).toBe(connection.connect_url);
      expectPage(expect, page, 200, "Harbour Coffee");
      expect(page.html).toContain("You can close this window");
    }
  });

  test("an account that was connected before keeps its channel_id and works again", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.bikes);
    await project.call("DELETE", `/social/delete-channel/${channel.channel_id}`);
    expect(await project.connect("twitter", [HANDLES.bikes])).toEqual([channel.channel_id]);
    expect(await project.call("GET", "/social/get-channels")).toMatchObject({
      body: { channels: { total: 1, data: [{ channel_id: channel.channel_id, health: "connected" }] } },
    });
    await createPost(project, channel, { caption_text: "back again" });
    const events = await env.DB.prepare(
      "SELECT type FROM events WHERE subject = 'channel' AND subject_id = ? ORDER BY id",
    )
      .bind(channel.channel_id)
      .all();
    expect(events.results.map((event) => event.type)).toEqual([
      "channel.connected",
      "channel.disconnected",
      "channel.connected",
    ]);
  });

  test("nothing ticked is asked again", async ({ expect }) => {
    const { connection, browser } = await begun();
    expectPage(expect, await choose(browser, connection, []), 422, "Tick at least one platform.");
    expectPage(expect, await choose(browser, connection, ["myspace"]), 422, "Tick at least one platform.");
    const accounts = await decide(browser, await choose(browser, connection, ["facebook"]), "allow");
    const none = await browser.submit(accounts, (field) => (field.name === "account" ? false : undefined));
    expectPage(expect, none, 422, "Tick at least one account.");
    const done = await browser.submit(none, (field) =>
      field.name === "account" ? field.value === PAGES.fern : undefined,
    );
    expectPage(expect, done, 200, "Connected");
    expect(await statusOf(connection)).toMatchObject({
      body: { connect_status: "success", account_name: "Fern & Oak" },
    });
  });

  test("a form sent twice connects once and leads to the same place", async ({ expect }) => {
    const { connection, browser } = await begun("https://app.example/done");
    const accounts = await decide(browser, await choose(browser, connection, ["facebook"]), "allow", [
      PAGES.fern,
      PAGES.harbour,
    ]);
    const ends = await Promise.all([1, 2].map(() => press(browser, accounts, "/accounts/facebook")));
    ends.push(await press(browser, accounts, "/accounts/facebook"));
    const { channel_ids } = z
      .object({ channel_ids: z.array(z.int()).length(2) })
      .parse((await statusOf(connection)).body);
    for (const end of ends)
      expect(end.url).toContain(`?channel_ids=${channel_ids.join(",")}&platform=facebook&status=success`);
    for (const id of channel_ids) {
      const events = await env.DB.prepare("SELECT id FROM events WHERE subject = 'channel' AND subject_id = ?")
        .bind(id)
        .all();
      expect(events.results).toHaveLength(1);
    }
  });

  test("two tabs of one session do not lose each other's accounts", async ({ expect }) => {
    const { connection, browser } = await begun();
    const [one, other] = [
      await choose(browser, connection, ["facebook"]),
      await choose(browser, connection, ["facebook"]),
    ];
    const accounts = await decide(browser, one, "allow", [PAGES.fern, PAGES.harbour]);
    const consents = await Promise.all([
      choose(browser, connection, ["facebook", "twitter"]),
      choose(browser, connection, ["facebook", "twitter"]),
    ]);
    await Promise.all([
      press(browser, accounts, "/accounts/facebook"),
      decide(browser, other, "allow", [PAGES.bikes]),
      ...consents.map((consent) => decide(browser, consent, "allow", [PAGES.bikes])),
    ]);
    expect((await statusOf(connection)).body).toMatchObject({ connect_status: "pending" });
    const end = await decide(browser, await choose(browser, connection, ["twitter"]), "allow");
    for (const name of ["Fern &amp; Oak", "Harbour Coffee", "Northside Bikes", "Acme Bikes"]) {
      expectPage(expect, end, 200, name);
    }
    expect(end.html.match(/Northside Bikes/g)).toHaveLength(1);
    expect((await statusOf(connection)).body).toMatchObject({
      connect_status: "success",
      platform: "facebook,twitter",
    });
  });
});

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
      message: "Access was not allowed at X, so nothing was connected there.",
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
    expectPage(expect, replay, 400, "This sign-in was used already");
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
    expectPage(expect, await back((state) => `state=${state}`), 400, "without its permission");
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

  test("states and platforms that nobody knows are clear pages", async ({ expect }) => {
    const { connection, browser } = await begun();
    await choose(browser, connection, ["twitter"]);
    const at = (path: string) => browser.go(`${ORIGIN}/connect/${path}`);
    expectPage(expect, await at("callback/twitter"), 400, "was used already");
    expectPage(expect, await at("callback/twitter?state=&code=x"), 400, "was used already");
    expectPage(expect, await at("callback/twitter?state=invented&code=x"), 400, "was used already");
    expectPage(expect, await at("callback/twitter?state=a&state=b&code=%FF%00"), 400, "was used already");
    expectPage(expect, await at("callback/myspace?state=x&code=y"), 404, "There is no such page");
    expectPage(expect, await at("callback/linkedin?state=x&code=y"), 404, "There is no such page");
    expectPage(expect, await at("callback"), 404, "not known");
    expectPage(expect, await at(`${connection.connect_token}/nowhere`), 404, "There is no such page");
    expectPage(expect, await at(`${connection.connect_token}/accounts/facebook`), 404, "Nothing to choose from");
    expectPage(expect, await at(`${connection.connect_token}/accounts/myspace`), 404, "There is no such page");
    expect(await statusOf(connection)).toMatchObject({ body: { connect_status: "pending" } });
  });

  test("the state of one platform is not taken by another's callback", async ({ expect }) => {
    const { connection, browser } = await begun();
    const callback = await callbackOf(browser, await choose(browser, connection, ["twitter"]));
    expectPage(expect, await browser.go(callback.replace("/twitter", "/facebook")), 400, "was used already");
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
      expectPage(expect, await newBrowser().go(`${ORIGIN}/connect/${strange}`), 404, "not known");
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

  test("a session that KV does not have yet asks for a moment", async ({ expect }) => {
    const { connection, browser } = await begun();
    await env.KV.delete(`connect:${await sha256Hex(connection.connect_token)}`);
    const page = await browser.go(connection.connect_url);
    expectPage(expect, page, 503, "Just a moment");
    expect(page.headers.get("Retry-After")).toBe("5");
    expect(await statusOf(connection)).toMatchObject({ body: { connect_status: "pending" } });
  });

  test("forms are taken only from our own pages in this browser", async ({ expect }) => {
    const { connection, browser } = await begun();
    const page = await browser.go(connection.connect_url);
    const proof = fieldsOf(page.html).find((field) => field.name === "form")?.value ?? "";
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
    expectPage(expect, await post({ body: "x".repeat(300_000) }), 413, "too much");
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

test("the pages cannot be framed, cached or scripted, and may lead only where they must", async ({ expect }) => {
  const { connection, browser } = await begun("myapp://done");
  const page = await browser.go(connection.connect_url);
  const policy = page.headers.get("Content-Security-Policy") ?? "";
  expect(policy).toMatch(/^default-src 'none'; style-src 'nonce-\w{22}'; /);
  expect(policy).toContain("form-action 'self' https: http://sandbox.test myapp:;");
  expect(policy).toContain("base-uri 'none'; frame-ancestors 'none'");
  expect(policy).not.toContain("script-src");
  expect(Object.fromEntries(page.headers)).toMatchObject({
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  for (const cookie of page.headers.getSetCookie()) {
    expect(cookie).toMatch(/Path=\/connect; HttpOnly; Secure; SameSite=Lax$/);
  }
  expect(page.html).toContain("Test project: simulated platforms");
  expect(page.html).not.toMatch(/<script|style="|onclick/);
});

describe("channels", () => {
  const Listed = z.object({
    channels: z.object({
      total: z.int(),
      data: z.array(z.looseObject({ channel_id: z.int(), channel_type: z.string(), name: z.string() })),
    }),
  });

  test("are listed newest first with their health, a page at a time, and by user", async ({ expect }) => {
    const project = await Project.create();
    const [first, second] = await project.connect("facebook", [PAGES.fern, PAGES.harbour]);
    const [third] = await project.connect("twitter", [HANDLES.bikes]);
    const { body } = await project.call("GET", "/social/get-channels");
    const { channels } = Listed.parse(body);
    expect(channels.data.map((channel) => channel.channel_id)).toEqual([third, second, first]);
    expect(channels.data[0]).toEqual({
      channel_id: third,
      channel_type: "twitter",
      name: "Acme Bikes",
      username: "acmebikes",
      picture_url: expect.any(String),
      user_id: "user-1",
      health: "connected",
      health_reason: null,
      connected_at: expect.stringMatching(/\+00:00$/),
    });
    const page = Listed.parse((await project.call("GET", "/social/get-channels?limit=2&page=2")).body);
    expect(page.channels).toMatchObject({ total: 3, data: [{ channel_id: first }] });
    expect(await project.call("GET", "/social/get-channels?user_id=nobody")).toMatchObject({
      body: { channels: { total: 0, from: 0, to: 0, last_page: 1, data: [] } },
    });
    expect(JSON.stringify(body)).not.toContain("credentials");
  });

  test("are disconnected once, and only by their project", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const stranger = await Project.create();
    const path = `/social/delete-channel/${channel.channel_id}`;
    for (const id of ["0", "-1", "1.5", "abc", "99999999", "9".repeat(30)]) {
      expect(await project.call("DELETE", `/social/delete-channel/${id}`)).toMatchObject({ status: 404 });
    }
    expect(await stranger.call("DELETE", path)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await project.call("DELETE", path)).toMatchObject({
      status: 200,
      body: { status: true, message: expect.any(String) },
    });
    expect(await project.call("DELETE", path)).toMatchObject({ status: 404 });
    expect(await project.call("GET", "/social/get-channels")).toMatchObject({ body: { channels: { total: 0 } } });
    const row = await env.DB.prepare("SELECT credentials FROM channels WHERE id = ?").bind(channel.channel_id).first();
    expect(row).toEqual({ credentials: null });
  });
});
