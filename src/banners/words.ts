import { toNfc } from "../core/text.ts";

/** The drawable texts of a copy: without invisible characters, and null if nothing is left. */
export interface Words {
  readonly label: string | null;
  readonly headline: string;
  readonly text: string | null;
  readonly action: string | null;
}

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
    .replace(OTHER_FORMS, (form) => form.normalize("NFKC"))
    .replace(INVISIBLE, "")
    .replace(PILED_MARKS, "$1")
    .split("\n")
    .map((line) => line.replace(/\s+/gu, " ").trim())
    .filter((line) => line !== "");
  return [...lines.slice(0, MAX_LINES - 1), lines.slice(MAX_LINES - 1).join(" ")].join("\n").trim();
}

const MAX_LINES = 3;

/**
 * Control and format characters, except the joiner within emoji and the tags after a black flag (England,
 * Scotland, Wales). Includes U+FFFD, which replaces broken text, and the fillers that Unicode counts as
 * letters.
 */
const INVISIBLE =
  /(?!\n|\u200d|(?<=\u{1f3f4}[\u{e0020}-\u{e007f}]*)[\u{e0020}-\u{e007f}])[\p{Cc}\p{Cf}\ufffd\u115f\u1160\u3164\uffa0]/gu;

/** Ligatures and full-width Latin letters, which are converted to the plain letters that the fonts have. */
const OTHER_FORMS = /[\ufb00-\ufb06\uff01-\uff5e]/g;

/**
 * Letters with more than two marks that have no composed form. Emoji selectors and keycap frames are marks,
 * too.
 */
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu;
