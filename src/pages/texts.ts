import { IntlMessageFormat } from "intl-messageformat";
import en from "../../dist/locales/en.json" with { type: "json" };
import type { ProblemTexts, Texts } from "../../dist/locales/texts.d.ts";
import { asLanguage, type LanguageCode } from "./languages.ts";

export type { ProblemTexts, Texts } from "../../dist/locales/texts.d.ts";

type Value = string | number | boolean | null;
type Values = Readonly<Record<string, Value>>;
/** A text, or one with arguments. */
export type Text = string | ((values: never) => string);

interface AllTexts extends Texts {
  /** Not in English. */
  readonly problems: ProblemTexts;
}

/** English, and the languages that this isolate has read from the assets. */
const known = new Map<LanguageCode, AllTexts>();
const english = (): AllTexts => {
  const texts = known.get("en") ?? bound(en, "en");
  known.set("en", texts);
  return texts;
};

/** The texts of a language (locales/, docs/translations.md); English of one that `readTexts` has not read. */
export function textsIn(language: LanguageCode): Texts {
  return known.get(language) ?? english();
}

/** The service's own sentences in a language other than English, in which it says them itself. */
export function problemsIn(language: LanguageCode): ProblemTexts | null {
  return language === "en" ? null : (known.get(language)?.problems ?? null);
}

/** Reads a language, once in an isolate. Without it, if the assets do not answer, pages are in English. */
export async function readTexts(assets: Pick<Fetcher, "fetch">, language: LanguageCode): Promise<Texts> {
  if (language === "en" || known.has(language)) return textsIn(language);
  try {
    // The request stays internal, so any host works.
    const answer = await assets.fetch(`https://assets.invalid/locales/${language}.json`);
    if (answer.ok) known.set(language, bound(await answer.json(), language));
  } catch {
    // The next page asks again.
  }
  return textsIn(language);
}

/** A text with these values. For a text whose arguments are known by number only: others are called. */
export function filled(text: Text, values: Values): string {
  return typeof text === "string" ? text : text(values as never);
}

export interface Language<T = Texts> {
  readonly code: LanguageCode;
  readonly texts: T;
}

/** The person's choice, or the first language that the browser accepts and the pages have, or English. */
function wantedLanguage(chosen: string | null, acceptLanguage: string | undefined): LanguageCode {
  const accepted = (acceptLanguage ?? "").slice(0, 200).split(",");
  const wanted = [chosen ?? "", ...accepted].map((text) => asLanguage(text.trim().slice(0, 2).toLowerCase()));
  return wanted.find((one) => one !== null) ?? "en";
}

/** The language of a page: the one that is wanted, if `readLanguage` could read it, otherwise English. */
export function languageOf(chosen: string | null, acceptLanguage: string | undefined): Language {
  const wanted = wantedLanguage(chosen, acceptLanguage);
  const code = known.has(wanted) ? wanted : "en";
  return { code, texts: textsIn(code) };
}

/** Reads the language that is wanted first. */
export async function readLanguage(
  assets: Pick<Fetcher, "fetch">,
  chosen: string | null,
  acceptLanguage: string | undefined,
): Promise<Language> {
  await readTexts(assets, wantedLanguage(chosen, acceptLanguage));
  return languageOf(chosen, acceptLanguage);
}

/** The build has compared each language with these types (scripts/support/locales.ts). */
function bound(source: unknown, language: LanguageCode): AllTexts {
  return boundPart(source, language) as AllTexts;
}

function boundPart(source: unknown, language: LanguageCode): unknown {
  if (typeof source === "string") return source.includes("{") ? message(source, language) : source;
  return Object.fromEntries(Object.entries(Object(source)).map(([name, part]) => [name, boundPart(part, language)]));
}

/** A brace that an apostrophe quotes begins no argument. */
const QUOTED = /'\{[^']*'/g;
const CHOICE = /\{\s*(\w+)(?=\s*,\s*select\b)/g;

/** What a choice chooses by: an empty or absent value is `none`, and a keyword has no spaces. */
const keywordOf = (value: Value | undefined): string => String(value ?? "").replaceAll(" ", "_") || "none";

/** A message of ICU, parsed when it is first needed. */
function message(source: string, language: LanguageCode): Text {
  if (!source.replace(QUOTED, "").includes("{")) return String(parsed(source, language).format());
  const choices = [...source.matchAll(CHOICE)].map(([, name = ""]) => name);
  let format: IntlMessageFormat | undefined;
  return (values: Values) => {
    format ??= parsed(source.replace(CHOICE, "{$1_choice"), language);
    const keywords = choices.map((name) => [`${name}_choice`, keywordOf(values[name])]);
    return String(format.format({ ...values, ...Object.fromEntries(keywords) }));
  };
}

const parsed = (source: string, language: LanguageCode) =>
  new IntlMessageFormat(source, language, undefined, { ignoreTag: true });
