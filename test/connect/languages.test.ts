import { env } from "cloudflare:workers";
import { load } from "cheerio";
import { describe, test } from "vitest";
import { loginsOf } from "../../src/connect/logins.ts";
import { LANGUAGE_CODES } from "../../src/pages/languages.ts";
import { readTexts, textsIn } from "../../src/pages/texts.ts";
import { PLATFORM_FACTS } from "../../src/platforms/facts.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { newConsoleBrowser } from "../console/console-browser.ts";
import type { Page } from "../support/browser.ts";
import { begun, choose, decide, expectPage, statusOf } from "../support/connecting.ts";

const en = textsIn("en").connect;
const translations = LANGUAGE_CODES.filter((code) => code !== "en");

const languageOn = ({ html }: Page) => load(html)("html").attr("lang");

/** What an adapter says on the pages, in English. */
const SHORT_SENTENCES = [
  ...Object.values(PLATFORM_FACTS).map(({ offers }) => offers),
  ...Object.values(platforms).flatMap((platform) =>
    loginsOf(platform).flatMap(({ further, oauth }) => [
      ...(further ? [further.title, further.offer, further.needs] : []),
      ...("asks" in oauth ? [oauth.asks.label, oauth.asks.hint] : []),
    ]),
  ),
];

test.for(translations)("the hosted pages in %s have every short sentence of a platform", async (code, { expect }) => {
  const { phrases } = (await readTexts(env.ASSETS, code)).connect;
  expect(SHORT_SENTENCES.filter((sentence) => phrases[sentence] === undefined)).toEqual([]);
});

describe("the language of a hosted page", () => {
  test("is what the browser accepts, also where a sign-in failed; the app gets English", async ({ expect }) => {
    const { connection } = await begun("myapp://done");
    const browser = newConsoleBrowser({ "Accept-Language": "ja-JP,ja;q=0.9,en;q=0.8" });
    const ja = (await readTexts(env.ASSETS, "ja")).connect;
    const first = await browser.go(connection.connect_url);
    expectPage(expect, first, 200, ja.platforms.title);
    expect(first.html).toContain(ja.phrases["Your channel"]);
    const denied = await decide(browser, await choose(browser, connection, ["twitter"]), "deny");
    expectPage(expect, denied, 403, ja.failed.declined({ platform: "X" }));
    expect(denied.html).toContain("message=Access%20was%20not%20allowed");
    expect(await statusOf(connection)).toMatchObject({ body: { message: en.failed.declined({ platform: "X" }) } });
    const again = await browser.go(connection.connect_url);
    expectPage(expect, again, 200, ja.failed.declined({ platform: "X" }));
    const unknown = await browser.go(`${new URL(connection.connect_url).origin}/connect/nothing`);
    expectPage(expect, unknown, 404, ja.notice.unknown.title);
    expect([first, denied, again, unknown].map(languageOn)).toEqual(["ja", "ja", "ja", "ja"]);
  });

  test("is what the person chooses on the page, from then on", async ({ expect }) => {
    const { connection } = await begun();
    const browser = newConsoleBrowser({ "Accept-Language": "en" });
    const $ = load((await browser.go(connection.connect_url)).html);
    const links = $(".languages a").toArray();
    expect(links.map((link) => $(link).attr("lang"))).toEqual(LANGUAGE_CODES.filter((code) => code !== "en"));
    const chosen = await browser.go(new URL(links[1]?.attribs.href ?? "", connection.connect_url).href);
    expect([chosen.url, languageOn(chosen)]).toEqual([connection.connect_url, "es"]);
    expect(languageOn(await browser.go(connection.connect_url))).toBe("es");
    expect(languageOn(await browser.go(`${connection.connect_url}?language=xx`))).toBe("es");
  });
});
