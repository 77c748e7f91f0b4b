import { graphemesOf } from "../core/text.ts";

/** Line breaks of Chinese and Japanese, which have no blanks: between phrases, or else between characters. */

const HAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}]/u;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** What never begins a line: closing signs, small kana, marks that repeat or prolong. */
const NEVER_FIRST = /^[\p{Pe}\p{Pf}\p{Po}%‰℃°〜～ー々ゝゞヽヾぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ・…—-]/u;
/** What never ends a line: opening signs. */
const NEVER_LAST = /[\p{Ps}\p{Pi}\p{Sc}#＃]$/u;
/** Particles and endings, which belong to the word before them. */
const DEPENDENT = /^(?:[\p{Script=Hiragana}ー]+|[的了吗呢吧们着过得地嗎們著過])$/u;
/** The prefix of courtesy, which belongs to the word after it. */
const PREFIX = /(?:^|[^\p{Script=Hiragana}])[おご御]$/u;
/** A number, which keeps the word for what it counts. */
const NUMBER = /[\p{Nd}]$/u;

/** The parts between which a line may break; joined, they are the word. */
export function phrasesOf(word: string): readonly string[] {
  if (!HAN.test(word)) return [word];
  const segmenter = new Intl.Segmenter(KANA.test(word) ? "ja" : "zh", { granularity: "word" });
  return joined(
    Array.from(segmenter.segment(word), ({ segment }) => segment),
    belongsToWord,
    MAX_PHRASE,
  );
}

/** The parts of a word that is longer than a line: its characters, each with the signs that it keeps. */
export const lettersOf = (word: string): readonly string[] => joined(graphemesOf(word), belongsToSign, MAX_SIGNS);

/** A phrase that is longer is split even inside a word. */
const MAX_PHRASE = 9;
const MAX_SIGNS = 3;

function joined(
  parts: readonly string[],
  belongs: (before: string, part: string) => boolean,
  max: number,
): readonly string[] {
  const phrases: string[] = [];
  for (const part of parts) {
    const before = phrases.at(-1);
    const isOne = before !== undefined && belongs(before, part) && before.length + part.length <= max;
    if (isOne) phrases.splice(-1, 1, before + part);
    else phrases.push(part);
  }
  return phrases;
}

const belongsToSign = (before: string, part: string): boolean => NEVER_FIRST.test(part) || NEVER_LAST.test(before);

function belongsToWord(before: string, part: string): boolean {
  if (belongsToSign(before, part)) return true;
  if (/[\p{P}\p{S}]$/u.test(before)) return false;
  return DEPENDENT.test(part) || PREFIX.test(before) || (NUMBER.test(before) && part.length <= 2);
}
