import { load } from "cheerio";
import { describe, test } from "vitest";
import { CONSENT_TEXTS } from "../../src/consent/texts/languages.ts";
import { en } from "../../src/console/texts/en/index.ts";
import { LANGUAGES, TRANSLATIONS } from "../../src/console/texts/languages.ts";
import { PROBLEMS } from "../../src/console/texts/problems/languages.ts";
import { DIGEST_TEXTS } from "../../src/digest/texts/languages.ts";
import { CONSOLE_URL, filled, formTo, newConsoleBrowser, newEmail, signedIn } from "./console-browser.ts";
import { shapeOf } from "./text-shapes.ts";

const languageOn = ({ html }: { readonly html: string }) => load(html)("html").attr("lang");

describe.for(Object.entries(TRANSLATIONS))("the texts in %s", ([, translation]) => {
  test("are all there, each made of the same parts", ({ expect }) => {
    const rooms = Object.entries(translation).filter(([room]) => Object.hasOwn(en, room));
    const [own, english] = [shapeOf(Object.fromEntries(rooms)), shapeOf(en)];
    const lacking = english.filter((name) => !own.includes(name));
    const superfluous = own.filter((name) => !english.includes(name));
    expect({ lacking, superfluous }).toEqual({ lacking: [], superfluous: [] });
  });
});

test.for(Object.entries(DIGEST_TEXTS))("the digest in %s has every text", ([, texts], { expect }) => {
  expect(shapeOf(texts)).toEqual(shapeOf(DIGEST_TEXTS.en));
});

test.for(Object.entries(CONSENT_TEXTS))("the status of a deletion in %s has every text", ([, texts], { expect }) => {
  expect(shapeOf(texts)).toEqual(shapeOf(CONSENT_TEXTS.en));
});

/** Every sentence with the same parts in each. */
const SAID = Object.fromEntries(Object.entries(PROBLEMS).map(([language, texts]) => [language, wordsOf(texts)]));

function wordsOf(texts: unknown, name = ""): readonly (readonly [string, string])[] {
  if (typeof texts === "string") return [[name, texts]];
  if (typeof texts === "function") return [[name, String(texts("#1", "#2", "#3"))]];
  return Object.entries(Object(texts)).flatMap(([part, text]) => wordsOf(text, `${name}.${part}`));
}

test("what the API refuses is said in each language, and with all that the sentence names", ({ expect }) => {
  const { de = [], ...others } = SAID;
  for (const [language, said] of Object.entries(others)) {
    const named = (all: typeof said) =>
      all.map(([name, text]) => `${name} ${[...new Set(text.match(/#[123]/g))].toSorted()}`).toSorted();
    expect(named(said), language).toEqual(named(de));
    const copied = said.filter(([name, text]) => de.some(([other, same]) => other === name && same === text));
    expect(copied, language).toEqual([]);
  }
});

describe("the language of a page", () => {
  test.for([
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["xx,en;q=0.5", "en"],
    ["", "en"],
    ["constructor", "en"],
  ] as const)("is what the browser requests: %s", async ([accepted, language], { expect }) => {
    const page = await newConsoleBrowser({ "Accept-Language": accepted }).go(`${CONSOLE_URL}/sign-in`);
    expect([languageOn(page), page.html]).toEqual([
      language,
      expect.stringContaining(LANGUAGES[language].signIn.title),
    ]);
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
