import { IntlMessageFormat } from "intl-messageformat";
import de from "../../dist/locales/de.json" with { type: "json" };
import en from "../../dist/locales/en.json" with { type: "json" };
import es from "../../dist/locales/es.json" with { type: "json" };
import fr from "../../dist/locales/fr.json" with { type: "json" };
import ja from "../../dist/locales/ja.json" with { type: "json" };
import pt from "../../dist/locales/pt.json" with { type: "json" };
import type { ProblemTexts, Texts } from "../../dist/locales/texts.d.ts";
import { asLanguage, type LanguageCode } from "./languages.ts";

export type { ProblemTexts, Texts } from "../../dist/locales/texts.d.ts";

type Value = string | number | boolean | null;
type Values = Readonly<Record<string, Value>>;
/** A text, or one with arguments. */
export type Text = string | ((values: never) => string);

const SOURCES: Readonly<Record<LanguageCode, unknown>> = { en, de, es, fr, pt, ja };

/** Most isolates show one language or two: each is made of its messages when a page first needs it. */
const made = new Map<LanguageCode, Texts & { readonly problems: ProblemTexts }>();

/** The texts of a language (locales/, docs/translations.md). */
export function textsIn(language: LanguageCode): Texts {
  return allIn(language);
}

/** The service's own sentences in a language other than English, in which it says them itself. */
export function problemsIn(language: Exclude<LanguageCode, "en">): ProblemTexts {
  return allIn(language).problems;
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
export function languageOf(chosen: string | null, acceptLanguage: string | undefined): Language {
  const accepted = (acceptLanguage ?? "").slice(0, 200).split(",");
  const wanted = [chosen ?? "", ...accepted].map((text) => asLanguage(text.trim().slice(0, 2).toLowerCase()));
  const code = wanted.find((one) => one !== null) ?? "en";
  return { code, texts: textsIn(code) };
}

function allIn(language: LanguageCode) {
  const known = made.get(language);
  if (known) return known;
  // The build has compared each language with these types (scripts/support/locales.ts).
  const texts = bound(SOURCES[language], language) as Texts & { readonly problems: ProblemTexts };
  made.set(language, texts);
  return texts;
}

function bound(source: unknown, language: LanguageCode): unknown {
  if (typeof source === "string") return source.includes("{") ? message(source, language) : source;
  return Object.fromEntries(Object.entries(Object(source)).map(([name, part]) => [name, bound(part, language)]));
}

/** A brace that an apostrophe quotes begins no argument. */
const QUOTED = /'\{[^']*'/g;
const CHOICE = /\{\s*(\w+)\s*,\s*select\b/g;

/** A message of ICU. In a choice, an absent or empty value is `none`. */
function message(source: string, language: LanguageCode): Text {
  if (!source.replace(QUOTED, "").includes("{")) return String(parsed(source, language).format());
  const choices = [...source.matchAll(CHOICE)].map(([, name = ""]) => name);
  let format: IntlMessageFormat | undefined;
  return (values: Values) => {
    format ??= parsed(source, language);
    const emptied = choices.filter((name) => (values[name] ?? "") === "").map((name) => [name, "none"]);
    return String(format.format({ ...values, ...Object.fromEntries(emptied) }));
  };
}

const parsed = (source: string, language: LanguageCode) =>
  new IntlMessageFormat(source, language, undefined, { ignoreTag: true });
