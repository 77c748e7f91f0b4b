import { toNfc } from "../core/text.ts";

/** The drawable texts of a copy: without invisible characters, and null if nothing is left. */
export interface Words {
  readonly label: string | null;
  readonly headline: string;
  readonly text: string | null;
  readonly action: string | null;
}

/** The texts of a copy (copy.ts). */
export interface Texts {
  readonly label: string | null;
  readonly headline: string;
  readonly text: string | null;
  readonly call_to_action: string | null;
}

export function wordsOf({ label, headline, text, call_to_action: action }: Texts): Words {
  return {
    label: cleanLine(label ?? "") || null,
    headline: cleanText(headline),
    text: cleanText(text ?? "") || null,
    action: cleanLine(action ?? "") || null,
  };
}

export const textOf = ({ label, headline, text, action }: Words): string => [label, headline, text, action].join("\n");

/** There is no other text, so the headline can be larger. */
export const isAlone = ({ label, text, action }: Words): boolean => label === null && text === null && action === null;

/**
 * Cleans text for drawing: removes characters that are invisible, change the direction or stack marks.
 * Readable text stays.
 */

/** As one line. */
export const cleanLine = (text: string): string => cleanText(text.replace(/\s+/gu, " "));

/** Keeps at most two line breaks. */
export function cleanText(text: string): string {
  const lines = toNfc(text.toWellFormed())
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(/[\t\v\f\u0085]/g, " ")
    .replace(HAN.test(text) ? OTHER_FORMS_BESIDE_HAN : OTHER_FORMS, (form) => form.normalize("NFKC"))
    .replace(INVISIBLE, "")
    .replace(PILED_ACCENTS, "$1")
    .replace(PILED_MARKS, "$1")
    .split("\n")
    .map((line) => line.replace(/\s+/gu, " ").trim())
    .filter((line) => line !== "");
  return [...lines.slice(0, MAX_LINES - 1), lines.slice(MAX_LINES - 1).join(" ")].join("\n").trim();
}

const MAX_LINES = 3;

/**
 * Control and format characters, except the joiner within emoji, the non-joiner within Arabic and Indian
 * words, and the tags after a black flag (England, Scotland, Wales). Includes U+FFFD, which replaces broken
 * text, and the fillers that Unicode counts as letters.
 */
const INVISIBLE =
  /(?!\n|\u200d|(?<=[\p{Script=Arabic}\p{Script=Devanagari}]\p{M}{0,30})\u200c|(?<=\u{1f3f4}[\u{e0020}-\u{e007f}]{0,30})[\u{e0020}-\u{e007f}])[\p{Cc}\p{Cf}\ufffd\u115f\u1160\u3164\uffa0]/gu;

/**
 * Ligatures, full-width Latin, half-width kana and the letters of Arabic and Hebrew by position, which are
 * converted to the plain letters that the fonts have. Full-width signs suit Chinese and Japanese.
 */
const OTHER_FORMS = /[\ufb00-\ufb06\ufb1d-\ufb4f\ufb50-\ufbc1\ufe70-\ufefc\uff01-\uff9f]+/g;
const OTHER_FORMS_BESIDE_HAN = /[\ufb00-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff61-\uff9f]+/g;
const HAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Letters with more than two accents that have no composed form, or more than four marks of any script.
 * Emoji selectors and keycap frames are accents, too.
 */
const PILED_ACCENTS = /((?:(?=\p{M})\p{Script=Inherited}){2})(?:(?=\p{M})\p{Script=Inherited})+/gu;
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu;
