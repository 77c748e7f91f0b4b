import { de } from "./de/index.ts";
import { en } from "./en/index.ts";
import { es } from "./es/index.ts";
import { fr } from "./fr/index.ts";
import { ja } from "./ja/index.ts";
import { pt } from "./pt/index.ts";

/** A text, or a function that makes one: the same in each language, with other words. */
type InAnyLanguage<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...args: infer Args) => string
      ? (...args: Args) => string
      : InAnyLanguage<T[K]>;
};
export type Texts = InAnyLanguage<typeof en>;

/** The texts of a language by room. Each room is complete; one that is absent is shown in English. */
export type Translation = Pick<Texts, "name"> & Partial<Texts>;

/** A new language adds its folder here; the test of texts lists what each lacks. */
export const TRANSLATIONS: Readonly<Record<string, Translation>> = { de, es, fr, pt, ja };

/** The languages of the console, by code. */
export const LANGUAGES: Readonly<Record<string, Texts>> = {
  en,
  ...Object.fromEntries(Object.entries(TRANSLATIONS).map(([code, rooms]) => [code, { ...en, ...rooms }])),
};

export interface Language {
  /** As in `lang` and for `Intl`. */
  readonly code: string;
  readonly texts: Texts;
}

/** The person's choice, or the first language that the browser accepts and the console has, or English. */
export function languageOf(chosen: string | null, acceptLanguage: string | undefined): Language {
  const accepted = (acceptLanguage ?? "").slice(0, 200).split(",");
  for (const wanted of [chosen ?? "", ...accepted]) {
    const code = wanted.trim().slice(0, 2).toLowerCase();
    const texts = Object.hasOwn(LANGUAGES, code) ? LANGUAGES[code] : undefined;
    if (texts) return { code, texts };
  }
  return { code: "en", texts: en };
}
