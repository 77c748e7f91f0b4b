/** The languages of all pages, by code as in `lang` and for `Intl`, each with its own name. */
export const LANGUAGE_NAMES = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  pt: "Português",
  ja: "日本語",
} as const;

export type LanguageCode = keyof typeof LANGUAGE_NAMES;

export const LANGUAGE_CODES = ["en", "de", "es", "fr", "pt", "ja"] as const satisfies readonly LanguageCode[];

/** A text, or a function that makes one: the same in each language, with other words. */
export type InAnyLanguage<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...args: infer Args) => string
      ? (...args: Args) => string
      : InAnyLanguage<T[K]>;
};

export interface Language<T> {
  readonly code: LanguageCode;
  readonly texts: T;
}

/** The code if there are pages in this language; null otherwise. */
export function asLanguage(text: string | null | undefined): LanguageCode | null {
  return LANGUAGE_CODES.find((code) => code === text) ?? null;
}

/** The person's choice, or the first language that the browser accepts and the pages have, or English. */
export function languageOf<T>(
  languages: Readonly<Record<LanguageCode, T>>,
  chosen: string | null,
  acceptLanguage: string | undefined,
): Language<T> {
  const accepted = (acceptLanguage ?? "").slice(0, 200).split(",");
  const wanted = [chosen ?? "", ...accepted].map((text) => asLanguage(text.trim().slice(0, 2).toLowerCase()));
  const code = wanted.find((one) => one !== null) ?? "en";
  return { code, texts: languages[code] };
}
