import { type Folded, fold, type Gap } from "./folded.ts";

/**
 * The first of the keywords, as the person wrote it, that occurs in the text as whole words; null when none does. What counts
 * as the same letter: folded.ts. Pure, and linear in the length of the text.
 *
 * - Words of a phrase stand one after the other, with any white space and nothing else between them.
 * - Scripts without spaces have no words to see: their keywords match anywhere. Hangul words carry their particles, so that a
 *   keyword there matches the beginning of a word.
 * - Punctuation, symbols and emoji of a keyword have to be there, and need no boundary: 👍 is in "yes👍👍".
 */
export function matchKeywords(keywords: readonly string[], text: string): string | null {
  const searched = fold(text);
  const letters = searched.units.join("");
  return keywords.find((keyword) => occurs(fold(keyword), searched, letters)) ?? null;
}

/**
 * Whether a bot that answers at random answers this comment: half of them, and the same half however often it is asked. By a
 * hash that spreads well, since ids follow each other.
 */
export async function isChosenAtRandom(botId: number, commentId: string): Promise<boolean> {
  const subject = new TextEncoder().encode(`${botId} ${commentId}`);
  const [first = 0] = new Uint8Array(await crypto.subtle.digest("SHA-256", subject));
  return first < 128;
}

/** `letters`: of the text, in one piece. */
function occurs(keyword: Folded, text: Folded, letters: string): boolean {
  const { length } = keyword.units;
  // Most are nowhere in it, which the runtime tells at once.
  if (!letters.includes(keyword.units.join(""))) return false;
  for (const at of placesOf(keyword.units, text.units)) {
    if (beginsAt(at, text) && endsAt(at + length, text) && hasGaps(keyword, text, at)) return true;
  }
  return false;
}

/** Where the units of the one stand in the other one after the other (Knuth, Morris, Pratt). */
function* placesOf(keyword: readonly string[], text: readonly string[]): Generator<number> {
  if (keyword.length === 0 || keyword.length > text.length) return;
  const borders = bordersOf(keyword);
  let known = 0;
  for (const [at, unit] of text.entries()) {
    known = grown(keyword, borders, known, unit);
    if (known < keyword.length) continue;
    yield at + 1 - known;
    known = borders[known - 1] ?? 0;
  }
}

/** For each beginning of the keyword: how much of it is its end again. */
function bordersOf(keyword: readonly string[]): readonly number[] {
  const borders: number[] = [];
  for (const unit of keyword) {
    const isFirst = borders.length === 0;
    borders.push(isFirst ? 0 : grown(keyword, borders, borders[borders.length - 1] ?? 0, unit));
  }
  return borders;
}

/** How much of the keyword stands at the end of a text in which `known` of it stood before this unit. */
function grown(keyword: readonly string[], borders: readonly number[], known: number, unit: string): number {
  let length = known;
  while (length > 0 && keyword[length] !== unit) length = borders[length - 1] ?? 0;
  return keyword[length] === unit ? length + 1 : 0;
}

function hasGaps(keyword: Folded, text: Folded, at: number): boolean {
  return keyword.gaps.every((gap, index) => index === 0 || areAlike(gap, text.gaps[at + index]));
}

function areAlike(one: Gap | undefined, other: Gap | undefined): boolean {
  return one === other || one === "joint" || other === "joint";
}

function beginsAt(at: number, { units, gaps }: Folded): boolean {
  const [before, first] = [units[at - 1], units[at]];
  if (before === undefined || first === undefined || gaps[at] !== "none") return true;
  // Inside of a word these make neither a hashtag nor a mention: me@shop.example.
  if (first === "#" || first === "@") return kindOf(before) !== "word";
  return !areOneWord(before, first) && !isWithinNumber(units, at - 1);
}

function endsAt(end: number, { units, gaps }: Folded): boolean {
  const [last, after] = [units[end - 1], units[end]];
  if (last === undefined || after === undefined || gaps[end] !== "none") return true;
  if (kindOf(last) === "hangul") return true;
  return !areOneWord(last, after) && !isWithinNumber(units, end);
}

/** Whether this is the point or the comma of a number. */
function isWithinNumber(units: readonly string[], at: number): boolean {
  const isDigit = (unit: string | undefined) => unit !== undefined && /^\p{Nd}/u.test(unit);
  return (units[at] === "." || units[at] === ",") && isDigit(units[at - 1]) && isDigit(units[at + 1]);
}

/** Words of two kinds that touch are two: a Latin word and its Korean particle. */
function areOneWord(one: string, other: string): boolean {
  const kind = kindOf(one);
  return kind === kindOf(other) && (kind === "word" || kind === "hangul");
}

function kindOf(unit: string): "unspaced" | "hangul" | "word" | "symbol" {
  if (UNSPACED.test(unit)) return "unspaced";
  if (HANGUL.test(unit)) return "hangul";
  return WORD.test(unit) ? "word" : "symbol";
}
const UNSPACED =
  /^[[\p{L}\p{M}\p{N}]&&[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]]/v;
const HANGUL = /^\p{sc=Hangul}/u;
const WORD = /^[\p{L}\p{M}\p{N}_]/u;
