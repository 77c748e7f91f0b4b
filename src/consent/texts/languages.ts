import type { InAnyLanguage, LanguageCode } from "../../pages/languages.ts";
import { de } from "./de.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { ja } from "./ja.ts";
import { pt } from "./pt.ts";

export type ConsentTexts = InAnyLanguage<typeof en>;

/** The texts of the status page in every language. */
export const CONSENT_TEXTS: Readonly<Record<LanguageCode, ConsentTexts>> = { en, de, es, fr, pt, ja };
