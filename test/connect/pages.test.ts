import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { fieldsOf } from "../support/browser.ts";
import { begun, choose, decide, expectPage, press, READ_ONLY_PAGE, statusOf } from "../support/connecting.ts";
import { createPost, HANDLES, newBrowser, PAGES, projectWith } from "../support/world.ts";

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
    expect(fieldsOf(accounts).filter((field) => field.name === "account")).toEqual(
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

  test("a form without a selection is shown again", async ({ expect }) => {
    const { connection, browser } = await begun();
    expectPage(expect, await choose(browser, connection, []), 422, "Select at least one platform.");
    expectPage(expect, await choose(browser, connection, ["myspace"]), 422, "Select at least one platform.");
    const accounts = await decide(browser, await choose(browser, connection, ["facebook"]), "allow");
    const none = await browser.submit(accounts, (field) => (field.name === "account" ? false : undefined));
    expectPage(expect, none, 422, "Select at least one account.");
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
