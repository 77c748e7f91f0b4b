import type { LanguageCode } from "../../../pages/languages.ts";
import { de } from "./de.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { ja } from "./ja.ts";
import { pt } from "./pt.ts";
import type { ProblemTexts } from "./shape.ts";

/** The API's refusals in each language but English, which the API itself has. */
export const PROBLEMS: Readonly<Record<Exclude<LanguageCode, "en">, ProblemTexts>> = { de, es, fr, pt, ja };
