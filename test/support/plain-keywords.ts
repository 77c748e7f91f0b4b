import { type NormalizedText, normalizeText } from "../../src/automations/text-normalize.ts";

/**
 * Keywords searched as simply as possible, from each position of the text: the fast search is compared
 * against.
 */

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

export function plainSegments(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

export function plainlyFirst(keywords: readonly string[], text: string): string | null {
  return keywords.find((keyword) => occurs(normalizeText(keyword), normalizeText(text))) ?? null;
}

function occurs(keyword: NormalizedText, text: NormalizedText): boolean {
  const { length } = keyword.units;
  if (length === 0) return false;
  return text.units.some((_, at) => {
    const isHere = keyword.units.every((unit, index) => unit === text.units[at + index]);
    return isHere && hasGaps(keyword, text, at) && begins(at, text) && ends(at + length, text);
  });
}

function hasGaps(keyword: NormalizedText, text: NormalizedText, at: number): boolean {
  return keyword.gaps.every((gap, index) => {
    const other = text.gaps[at + index];
    return index === 0 || gap === other || gap === "joint" || other === "joint";
  });
}

function begins(at: number, { units, gaps }: NormalizedText): boolean {
  const [before, first] = [units[at - 1], units[at]];
  if (before === undefined || first === undefined || gaps[at] !== "none") return true;
  if (first === "#" || first === "@") return kindOf(before) !== "word";
  return !isOneWord(before, first) && !isPoint(units, at - 1);
}

function ends(end: number, { units, gaps }: NormalizedText): boolean {
  const [last, after] = [units[end - 1], units[end]];
  if (last === undefined || after === undefined || gaps[end] !== "none" || kindOf(last) === "hangul") return true;
  return !isOneWord(last, after) && !isPoint(units, end);
}

function isPoint(units: readonly string[], at: number): boolean {
  return (
    [".", ","].includes(units[at] ?? "") && [at - 1, at + 1].every((beside) => /^\p{Nd}/u.test(units[beside] ?? ""))
  );
}

function isOneWord(one: string, other: string): boolean {
  return kindOf(one) === kindOf(other) && ["word", "hangul"].includes(kindOf(one));
}

function kindOf(unit: string): string {
  const isLetter = /^[\p{L}\p{M}\p{N}]/u.test(unit);
  const unspaced = /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
  if (isLetter && unspaced.test(unit)) return "unspaced";
  if (/^\p{sc=Hangul}/u.test(unit)) return "hangul";
  return isLetter || unit.startsWith("_") ? "word" : "symbol";
}
