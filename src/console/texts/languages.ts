import { en } from "./en/index.ts";

/** A text, or a function that makes one: the same in each language, with other words. */
type InAnyLanguage<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...args: infer Args) => string
      ? (...args: Args) => string
      : InAnyLanguage<T[K]>;
};
export type Texts = InAnyLanguage<typeof en>;

/** The languages of the console. A new one adds its file here; the test of texts lists what it lacks. */
export const LANGUAGES: Readonly<Record<string, Texts>> = { en };

export interface Language {
  /** As in `lang` and for `Intl`. */
  readonly code: string;
  readonly texts: Texts;
}

/** The first language of an Accept-Language header that the console has; English otherwise. */
export function languageOf(acceptLanguage: string | undefined): Language {
  const wanted = (acceptLanguage ?? "").slice(0, 200).split(",");
  for (const part of wanted) {
    const code = part.trim().slice(0, 2).toLowerCase();
    const texts = Object.hasOwn(LANGUAGES, code) ? LANGUAGES[code] : undefined;
    if (texts) return { code, texts };
  }
  return { code: "en", texts: en };
}
