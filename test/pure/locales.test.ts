import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { flawsIn, type Section } from "../../scripts/support/locales.ts";
import { ROOT } from "../../scripts/support/paths.ts";
import { languageOf, problemsIn, readTexts, textsIn } from "../../src/pages/texts.ts";

const ENGLISH: Section = { feeds: { title: "Feeds", count: "{count, plural, one {# feed} other {# feeds}}" } };
const withGerman = (de: Section) =>
  flawsIn(
    new Map([
      ["en", ENGLISH],
      ["de", de],
    ]),
  );

describe("the build refuses a language", () => {
  const title = "Feeds";
  test.for([
    ["with each text", { title, count: "{count, plural, one {# Feed} other {# Feeds}}" }, []],
    ["without plural forms, as in Japanese", { title, count: "{count} 件" }, []],
    ["that lacks a text", { title }, ["de lacks feeds.count."]],
    ["with a text more", { title, count: "{count}", more: "" }, ["de: no other language has feeds.more."]],
    ["that leaves a value out", { title, count: "Feeds" }, ["de: feeds.count has {}, and not {count}."]],
    ["with another value", { title, count: "{number}" }, ["de: feeds.count has {number}, and not {count}."]],
    ["with a plural that lacks its general form", { title, count: "{count, plural, one {#}}" }, [/no ICU message/]],
    ["with an open brace", { title, count: "{count" }, [/no ICU message/]],
  ] as const)("%s", ([, feeds, flaws], { expect }) => {
    expect(withGerman({ feeds })).toEqual(
      flaws.map((one) => (one instanceof RegExp ? expect.stringMatching(one) : one)),
    );
  });
});

/** What the build has made for a Worker. */
const assets = {
  fetch: async (url: unknown) =>
    new Response(readFileSync(join(ROOT, "dist", "assets", new URL(String(url)).pathname), "utf8")),
};

test("a language is English until it is read, and if it cannot be", async ({ expect }) => {
  const failing = { fetch: () => Promise.reject(new Error("no answer")) };
  const missing = { fetch: async () => new Response("no", { status: 404 }) };
  for (const broken of [failing, missing]) {
    expect((await readTexts(broken, "es")).feeds.title).toBe(textsIn("en").feeds.title);
    expect([languageOf("es", "es").code, problemsIn("es")]).toEqual(["en", null]);
  }
  await readTexts(assets, "es");
  expect([languageOf("es", "en").code, problemsIn("es")?.codes.not_ready]).toEqual(["es", expect.any(String)]);
  expect(textsIn("es").feeds.state).not.toBe(textsIn("en").feeds.state);
});

describe("a text", () => {
  test.for([
    ["de", 1, "1 Kanal"],
    ["de", 2, "2 Kanäle"],
    ["fr", 0, "0 compte"],
    ["fr", 2, "2 comptes"],
    ["ja", 1, "1 件"],
  ] as const)("counts as its language does: %s, %i", async ([language, count, expected], { expect }) => {
    const texts = await readTexts(assets, language);
    const text = language === "de" ? texts.bots.channelCount({ count }) : texts.connect.accounts.count({ count });
    expect(text).toContain(expected);
  });

  test("shows what is in quotes as it is, and needs no value for it", ({ expect }) => {
    expect(textsIn("en").feeds.textHint).toMatch(/^\{title\}, \{link\}, \{summary\} and \{author\} stand for/);
  });

  test("keeps what a value has in it", ({ expect }) => {
    expect(textsIn("en").bots.removeTitle({ name: "{count} <b> ' #" })).toBe('Delete "{count} <b> \' #"?');
  });

  test("knows an absent and an empty value of a choice", ({ expect }) => {
    const { connect, signIn } = textsIn("en");
    expect(connect.promise({ name: null })).toBe("Belfry never sees your passwords.");
    expect(connect.promise({ name: "Ana" })).toBe("Ana and Belfry never see your passwords.");
    expect(signIn.codeLead({ email: "" })).toMatch(/^If this address may/);
  });
});

/** The service's sentences by name, as a language says them. */
function problemsOf(language: string): ReadonlyMap<string, string> {
  const texts: unknown = JSON.parse(readFileSync(join(ROOT, "locales", language, "problems.json"), "utf8"));
  const named = (value: unknown, name: string): readonly (readonly [string, string])[] =>
    typeof value === "string"
      ? [[name, value]]
      : Object.entries(Object(value)).flatMap(([key, part]) => named(part, `${name}.${key}`));
  return new Map(named(texts, ""));
}

test.for(["es", "fr", "pt", "ja"])("%s repeats no sentence of German", (language, { expect }) => {
  const german = problemsOf("de");
  expect([...problemsOf(language)].filter(([name, text]) => german.get(name) === text)).toEqual([]);
});
