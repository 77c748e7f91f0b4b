import { describe, test } from "vitest";
import { accountsOf } from "../support/accounts.ts";
import type { Page } from "../support/browser.ts";
import { advance } from "../support/clock.ts";
import { begun, type Connection, expectPage, MINUTES } from "../support/connecting.ts";
import { connectThrough } from "../support/person.ts";
import { door, newBrowser, ORIGIN } from "../support/world.ts";

const pathOf = ({ connect_token }: Connection) => `/connect/${connect_token}`;

describe("a page that only says what is wrong", () => {
  /** The last link of its content, or else its steps. Below it are links to other languages. */
  const nextSteps = ({ html }: Page) =>
    html.match(/<main>.*(<a [^>]*href="[^"]+|<h2>What to do next).*<\/main>/s)?.[1] ?? null;

  test("leads on from every address, whatever this browser remembers", async ({ expect }) => {
    const { connection, browser } = await begun();
    const stranger = newBrowser();
    await browser.go(connection.connect_url);
    const addresses = ["nothing", "a/b/c/d", "callback/facebook?state=x&code=y", "callback/myspace"];
    for (const address of addresses) {
      for (const [who, link] of [
        [browser, `href="${pathOf(connection)}`],
        [stranger, "<h2>What to do next"],
      ] as const) {
        const page = await who.go(`${ORIGIN}/connect/${address}`);
        expect([address, page.status]).toEqual([address, address.includes("state") ? 400 : 404]);
        expect([address, nextSteps(page)]).toEqual([address, expect.stringContaining(link)]);
      }
    }
    // The address itself names the session: no cookie is needed.
    const wrongMethod = await stranger.go(`${connection.connect_url}/next`);
    expectPage(expect, wrongMethod, 405, `href="${pathOf(connection)}"`);
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const tooLarge = await door(
      new Request(connection.connect_url, { method: "POST", body: "x".repeat(300_000), headers }),
    );
    expect([tooLarge.status, await tooLarge.text()]).toEqual([
      413,
      expect.stringContaining(`href="${pathOf(connection)}"`),
    ]);
  });

  test("leads back to the app, once the session has expired", async ({ expect }) => {
    const { connection, browser } = await begun("https://app.example/done");
    await browser.go(connection.connect_url);
    await advance(16 * MINUTES);
    for (const address of [connection.connect_url, `${connection.connect_url}/next`, `${ORIGIN}/connect/nothing`]) {
      expect([address, nextSteps(await browser.go(address))]).toEqual([
        address,
        expect.stringContaining('href="https://app.example/done?status=failed'),
      ]);
    }
    const without = await begun();
    await advance(16 * MINUTES);
    const page = await without.browser.go(without.connection.connect_url);
    expectPage(expect, page, 410, "What to do next");
  });
});

describe("the page at the end", () => {
  const about = ({ html }: Page) => [...html.matchAll(/<span class="about">([^<]*)<\/span>/g)].map(([, text]) => text);

  test.for([
    [["tiktok"], "TikTok"],
    [["tiktok", "tiktok:comments"], "TikTok, with comments"],
    [["tiktok", "tiktok:comments", "tiktok:ads"], "TikTok, with comments and ads"],
  ] as const)("names the additional logins of %j", async ([platforms, words], { expect }) => {
    const { connection, browser } = await begun();
    const [account = ""] = await accountsOf("tiktok");
    const end = await connectThrough(browser, connection.connect_url, {
      platforms,
      accounts: platforms.length > 2 ? undefined : [account],
    });
    expectPage(expect, end, 200, "Connected");
    expect(about(end)).toEqual([words]);
    // Signing in to the platform once more in this session keeps them.
    expect(about(await newBrowser().go(connection.connect_url))).toEqual([words]);
  });
});
