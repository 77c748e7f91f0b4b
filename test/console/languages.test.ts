import { load } from "cheerio";
import { describe, test } from "vitest";
import { textsIn } from "../../src/pages/texts.ts";
import { CONSOLE_URL, filled, formTo, newConsoleBrowser, newEmail, signedIn } from "./console-browser.ts";

const languageOn = ({ html }: { readonly html: string }) => load(html)("html").attr("lang");

describe("the language of a page", () => {
  test.for([
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["xx,en;q=0.5", "en"],
    ["", "en"],
    ["constructor", "en"],
  ] as const)("is what the browser requests: %s", async ([accepted, language], { expect }) => {
    const page = await newConsoleBrowser({ "Accept-Language": accepted }).go(`${CONSOLE_URL}/sign-in`);
    expect([languageOn(page), page.html]).toEqual([language, expect.stringContaining(textsIn(language).signIn.title)]);
  });

  test("is what a person without an account chooses on the page", async ({ expect }) => {
    const browser = newConsoleBrowser({ "Accept-Language": "en" });
    const page = await browser.go(`${CONSOLE_URL}/sign-in?to=%2Fconsole%2Fprojects`);
    const link = load(page.html)(".languages a[lang=fr]").attr("href") ?? "";
    const chosen = await browser.go(new URL(link, page.url).href);
    expect([chosen.url, languageOn(chosen)]).toEqual([page.url, "fr"]);
    expect(languageOn(await browser.go(`${CONSOLE_URL}/approve/nothing`))).toBe("fr");
  });

  test("is what the person chose, in every browser, until they choose otherwise", async ({ expect }) => {
    const email = newEmail();
    const browser = await signedIn({ email });
    const choose = async (language: string) => {
      const page = await browser.go(`${CONSOLE_URL}/account`);
      return browser.send(filled(formTo(page, "/language"), { language }));
    };
    const chosen = await choose("de");
    expect([languageOn(chosen), chosen.html]).toEqual(["de", expect.stringContaining("Die Sprache ist gespeichert.")]);
    const other = await signedIn({ email }, newConsoleBrowser({ "Accept-Language": "en" }));
    expect(languageOn(await other.go(`${CONSOLE_URL}/account`))).toBe("de");
    expect(languageOn(await choose(""))).toBe("en");
    expect((await choose("xx")).status).toBe(422);
  });
});
