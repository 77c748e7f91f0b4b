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

/** The code if there are pages in this language; null otherwise. */
export function asLanguage(text: string | null | undefined): LanguageCode | null {
  return LANGUAGE_CODES.find((code) => code === text) ?? null;
}
