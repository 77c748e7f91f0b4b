/**
 * Prepares texts for models, and sanitizes their output before it is shown. Pure, and linear in the length of
 * the text.
 */

/** Far longer than any reply. */
const MAX_LOOKED_AT = 10_000;

/**
 * Sanitizes to plain text: no control, bidi or invisible characters, no Markdown, no quotes around the whole
 * text, at most `maxEmoji` emoji. The comment's author is named without the `@` that would notify them.
 */
export function cleaned(text: string, maxEmoji: number, authorName: string | null): string {
  let emoji = 0;
  const plain = text
    .slice(0, MAX_LOOKED_AT)
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/gu, "\n")
    .replace(UNSEEN, "")
    .replace(/(\p{M}{4})\p{M}+/gu, "$1")
    .normalize("NFC")
    .replace(/\*\*|```/g, "")
    .replace(EMOJI, (one) => (++emoji > maxEmoji ? "" : one));
  const named = authorName ? plain.replaceAll(`@${authorName}`, authorName) : plain;
  return named
    .replace(/[^\S\n]+/gu, " ")
    .replace(/ ?\n ?/gu, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
    .replace(/^["“](.*)["”]$/su, "$1")
    .trim();
}

const UNSEEN = /[[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u115f\u1160\u3164\uffa0\ufffc\ufffd]--[\n\t\u200c\u200d]]/gv;
const EMOJI = /\p{RGI_Emoji}|[\p{Extended_Pictographic}--[©®™]]\ufe0f?|\p{Regional_Indicator}|\p{Emoji_Modifier}/gv;

/**
 * The text, or as many whole sentences of its beginning as fit; otherwise as many words, and an ellipsis.
 * Empty if not even one character fits. `fits` must be monotonic: if it holds for a text, it holds for each
 * of its prefixes.
 */
export function fitted(text: string, fits: (text: string) => boolean): string {
  if (fits(text)) return text;
  const sentences = beginningThatFits(text, partsOf(text, "sentence"), (part) => fits(part.trim())).trim();
  if (sentences !== "") return sentences;
  const isCut = (part: string) => fits(`${part.trim()}…`);
  const words = beginningThatFits(text, text.split(/(?<=\s)/u), isCut).trim();
  const kept = words === "" ? beginningThatFits(text, partsOf(text, "grapheme"), isCut).trim() : words;
  return kept === "" ? "" : `${kept}…`;
}

function partsOf(text: string, granularity: "sentence" | "grapheme"): string[] {
  return Array.from(new Intl.Segmenter(undefined, { granularity }).segment(text), ({ segment }) => segment);
}

/** The longest prefix that fits, by binary search: measuring every prefix would take quadratic time. */
function beginningThatFits(text: string, parts: readonly string[], fits: (text: string) => boolean): string {
  const ends: number[] = [0];
  for (const part of parts) ends.push((ends.at(-1) ?? 0) + part.length);
  let [low, high] = [0, ends.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(text.slice(0, ends[middle]))) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, ends[low]);
}

/**
 * JSON that cannot close a surrounding frame, and without characters that a model reads but people do not
 * see.
 */
export function asData(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    typeof inner === "string" ? inner.toWellFormed().replace(UNSEEN_BY_PEOPLE, "") : inner,
  )
    .replaceAll("<", "\\u003c")
    .replaceAll(">", "\\u003e");
}
const UNSEEN_BY_PEOPLE = /[[\p{Cc}\p{Cf}\p{Co}]--[\n\t\u200c\u200d]]/gv;
