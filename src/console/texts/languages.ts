import type { InAnyLanguage, LanguageCode } from "../../pages/languages.ts";
import { de } from "./de/index.ts";
import { en } from "./en/index.ts";
import { es } from "./es/index.ts";
import { fr } from "./fr/index.ts";
import { ja } from "./ja/index.ts";
import { pt } from "./pt/index.ts";

export type Texts = InAnyLanguage<typeof en>;

/** The texts of a language by room. Each room is complete; one that is absent is shown in English. */
export type Translation = Pick<Texts, "name"> & Partial<Texts>;

/** A new language adds its folder here; the test of texts lists what each lacks. */
export const TRANSLATIONS: Readonly<Record<Exclude<LanguageCode, "en">, Translation>> = { de, es, fr, pt, ja };

/** The texts of the console in every language. */
export const LANGUAGES: Readonly<Record<LanguageCode, Texts>> = {
  en,
  de: { ...en, ...de },
  es: { ...en, ...es },
  fr: { ...en, ...fr },
  pt: { ...en, ...pt },
  ja: { ...en, ...ja },
};
