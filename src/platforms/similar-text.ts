import { toNfc } from "../core/text.ts";

/**
 * Whether a text read from a platform is the one that was sent. Platforms change white space, invisible
 * characters, mentions and links, so an exact comparison would not recognize our own post. Pure, and linear
 * in the length of the texts.
 */

/** How a text that a platform shows compares with one that was sent. */
export type Likeness =
  | "same"
  /** It may be ours, altered or shown in part; the text alone does not decide. */
  | "similar"
  | "different";

/** Invisible characters, which platforms may drop: format characters, variation selectors, fillers. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu;
const BLANK = /[\s\p{Cc}]+/gu;

/**
 * The text as displayed: NFC, HTML entities decoded, no invisible characters. Each run of white space becomes
 * one space, with none at the ends.
 */
export function foldText(text: string): string {
  const decoded = decodeEntities(text.toWellFormed().replace(UNSEEN, "")).toWellFormed();
  return toNfc(decoded.replace(UNSEEN, "")).replace(BLANK, " ").trim();
}

const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi;
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
/** An ampersand that was escaped repeatedly counts as one. */
const ESCAPED_AMPERSANDS = /&(?:(?:amp|#38|#x26);)+/gi;

/**
 * Some platforms return texts escaped for HTML. The sent text is decoded too, so a text with entities of its
 * own still matches.
 */
function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(ESCAPED_AMPERSANDS, "&").replace(ENTITY, (entity, decimal, hex, name) => {
    if (name) return NAMED[name.toLowerCase()] ?? entity;
    const code = decimal ? Number.parseInt(decimal, 10) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : entity;
  });
}

const SIMILAR = 0.6;

/**
 * Whether one text may be an altered form of the other: at least six of ten words of the longer one are in
 * both, in any order. Case, punctuation and links are ignored. Texts without a word must be equal when
 * folded. An empty text resembles none.
 */
export function isSimilarText(a: string, b: string): boolean {
  const [one, other] = [foldText(a), foldText(b)];
  const [words, others] = [wordsOf(one), wordsOf(other)];
  if (words.length === 0 && others.length === 0) return one !== "" && one === other;
  const left = new Map<string | number, number>();
  for (const word of words) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of others) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    common += 1;
    left.set(word, count - 1);
  }
  return common >= SIMILAR * Math.max(words.length, others.length);
}

const LINK = /^[^\p{L}\p{N}]*(?:https?:\/\/|www\.|[\p{L}\p{N}][\p{L}\p{N}-]*(?:\.[\p{L}\p{N}-]+)+\/)/iu;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts written without spaces: there a whole sentence stands between two spaces. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

function wordsOf(folded: string): (string | number)[] {
  const parts = folded.split(" ").filter((part) => !LINK.test(part));
  const words = parts.flatMap((part) => part.toLowerCase().match(WORD) ?? []);
  return words.flatMap((word) => (UNSPACED.test(word) ? pairsOf(word) : [word]));
}

/**
 * "abcd" → ab, bc, cd: replaces words where they cannot be separated. As numbers, which are counted several
 * times faster.
 */
function pairsOf(word: string): (string | number)[] {
  if (word.length < 2) return [word];
  const pairs: number[] = [];
  for (let at = 1; at < word.length; at += 1) pairs.push((word.charCodeAt(at - 1) << 16) | word.charCodeAt(at));
  return pairs;
}
