import { toNfc } from "../core/text.ts";

/** What is drawn of a copy: without what cannot be seen, and null where nothing is left. */
export interface Words {
  readonly label: string | null;
  readonly headline: string;
  readonly text: string | null;
  readonly action: string | null;
}

/** Nothing stands beside the headline, which can be larger then. */
export const isAlone = ({ label, text, action }: Words): boolean => label === null && text === null && action === null;

/**
 * Text as it can be drawn: what is invisible, turns the direction or piles up marks is taken out. What can be
 * read stays.
 */

/** In one line. */
export const cleanLine = (text: string): string => cleanText(text.replace(/\s+/gu, " "));

/** Line breaks stay, two of them at most. */
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
 * Control and format characters, but for the joiner within emoji and the tags behind a black flag (England,
 * Scotland, Wales); U+FFFD, which stands for what was broken before; and the fillers that some alphabets
 * count as letters.
 */
const INVISIBLE =
  /(?!\n|\u200d|(?<=\u{1f3f4}[\u{e0020}-\u{e007f}]*)[\u{e0020}-\u{e007f}])[\p{Cc}\p{Cf}\ufffd\u115f\u1160\u3164\uffa0]/gu;

/**
 * Ligatures, and what East Asian typing makes of Latin letters: the same letters, of which fonts have the
 * plain form.
 */
const OTHER_FORMS = /[\ufb00-\ufb06\uff01-\uff5e]/g;

/**
 * Letters with more than two marks that no composed form has. The selectors and the frame of emoji are marks,
 * too.
 */
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu;
