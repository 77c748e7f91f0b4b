import { graphemesOf } from "../core/text.ts";

/**
 * Prepares a text for keyword search: without case, accents, width and invisible characters, and split into
 * what people see as one character. Pure, and linear in the length of the text. A text that is longer than
 * any platform accepts is cut.
 *
 * - Marks are dropped where a word can be written without them: accents of Latin, Greek and Cyrillic letters,
 * points of Arabic and Hebrew letters. In all other scripts they are part of the letter: が is not か, กี is
 * not ก.
 * - İ, I, ı and i are one letter, because people write Turkish on other keyboards.
 * - Apostrophes, hyphens between letters and zero-width spaces may separate two words or not: e-mail matches
 * "email" and "e mail".
 */
export interface NormalizedText {
  /** Never white space. */
  readonly units: readonly string[];
  /** What is before the unit of the same index. */
  readonly gaps: readonly Gap[];
}

/** `joint`: a separator that may be ignored. */
export type Gap = "none" | "joint" | "space";

/** Longer than any platform accepts for a comment. */
export const MAX_NORMALIZED = 10_000;
/** Folding may lengthen a text: ß becomes two letters, ㍿ four, ﷺ eighteen. An ordinary text is not cut. */
const MAX_UNITS = 1.2 * MAX_NORMALIZED;
/**
 * A decomposed Hangul syllable has three letters; only a short text of longer ones, such as ﷺ, is kept whole.
 */
const decomposedLength = (length: number) => 3 * length + 60;
/** Hangul is as long as before when it is composed again; ß becomes two letters. */
const composedLength = (length: number) => Math.ceil(1.2 * length) + 60;
/**
 * The two ligatures that decompose into many letters (18 and 8), each beginning and ending with a starter: a
 * text can be split after them.
 */
const LIGATURE = /[\ufdfa\ufdfb]/u;
const AFTER_LIGATURE = /(?<=[\ufdfa\ufdfb])/u;

export function normalizeText(text: string): NormalizedText {
  const units: string[] = [];
  const gaps: Gap[] = [];
  let gap: Gap = "none";
  for (const [part] of folded(text.slice(0, MAX_NORMALIZED)).slice(0, MAX_UNITS).matchAll(PARTS)) {
    if (BLANK.test(part)) {
      gap = /\s/u.test(part) ? "space" : "joint";
      continue;
    }
    for (const unit of unitsOf(part)) {
      units.push(unit);
      gaps.push(gap);
      gap = "none";
    }
  }
  return { units, gaps };
}

/** A zero-width space replaces every joint. */
const JOINT = "\u200b";
const PARTS = /[\s\u200b]+|[^\s\u200b]+/gu;
const BLANK = /^[\s\u200b]/u;

const PRINTABLE = /^[\x21-\x7e]+$/;
/**
 * Characters that may form one visible character with a neighbor: marks, joiners, flags, letters of Hangul
 * syllables, Thai and Lao am, vowels before their consonant. The segmenter takes microseconds per call and
 * character, so it gets only the text around these.
 */
const JOINING =
  "\\p{M}\\p{Cf}\\p{Cc}\\p{Emoji_Modifier}\\p{Regional_Indicator}\\p{Default_Ignorable_Code_Point}" +
  "\\u1100-\\u11ff\\ua960-\\ua97f\\ud7b0-\\ud7ff\\u0e33\\u0eb3\\uff9e\\uff9f" +
  "\\u0d4e\\u{111c2}\\u{111c3}\\u{113d1}\\u{1193f}\\u{11941}\\u{11a84}-\\u{11a89}\\u{11d46}\\u{11f02}";
const RUNS = new RegExp(`[${JOINING}]+|[^${JOINING}]+`, "gu");
const JOINS = new RegExp(`[${JOINING}]`, "u");
/** Splitting shorter runs saves nothing. */
const LONG_RUN = 8;

function unitsOf(part: string): string[] {
  if (PRINTABLE.test(part)) return part.split("");
  const units: string[] = [];
  let stretch = "";
  for (const run of part.match(RUNS) ?? []) {
    const points = run.length <= LONG_RUN || JOINS.test(run) ? [] : [...run];
    const last = points.pop();
    if (last === undefined) {
      stretch += run;
      continue;
    }
    // The first character may belong to the text before it, the last to the text after it.
    const first = stretch === "" ? "" : (points.shift() ?? "");
    units.push(...segmentsOf(stretch + first), ...points);
    stretch = last;
  }
  units.push(...segmentsOf(stretch));
  return units;
}

function segmentsOf(stretch: string): string[] {
  return JOINS.test(stretch) ? graphemesOf(stretch) : [...stretch];
}

/**
 * The order of the steps matters: invisible characters are removed before their neighbors are read, marks
 * before case.
 */
function folded(text: string): string {
  const seen = text
    .toWellFormed()
    .replace(APOSTROPHES, JOINT)
    .replace(LEFT_OUT, "")
    .replace(GENDER, "")
    .replace(LOOSE_JOINER, "")
    .replace(MARK_PILE, "$1");
  return caseless(decomposed(seen, text.length).replace(OPTIONAL_MARKS, "$1"))
    .normalize("NFC")
    .slice(0, composedLength(text.length))
    .replace(VARIANTS, (letter) => VARIANT_OF[letter] ?? letter)
    .replace(HYPHENS, JOINT)
    .replace(SPACE_BESIDE_UNIT, JOINT);
}

/** The beginning of the decomposed text. With long ligatures the rest is not decomposed. */
function decomposed(text: string, length: number): string {
  if (!LIGATURE.test(text)) return text.normalize("NFKD").slice(0, decomposedLength(length));
  const most = composedLength(length);
  let letters = "";
  for (const part of text.split(AFTER_LIGATURE)) {
    letters += part.normalize("NFKD");
    if (letters.length >= most) break;
  }
  return letters.slice(0, most);
}

/**
 * Apostrophes as people type them: typographic, of other keyboards, or an accent alone. The Persian
 * non-joiner separates words in the same way.
 */
const APOSTROPHES = /['’‘‛ʼʻʹ´`′＇\u200c]/gu;
/**
 * Format characters, variation selectors, fillers, skin tones, the Arabic tatweel, and signs that NFKD would
 * turn into letters. Joiners of emoji and tags of flags are kept.
 */
const LEFT_OUT =
  /[[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}ـ™℠]--[\u200b-\u200d\u{e0020}-\u{e007f}]]/gv;
/** The gender of an emoji does not matter. */
const GENDER = /\u200d[♀♂]/gu;
const LOOSE_JOINER = /(?<!\p{Extended_Pictographic})\u200d|\u200d(?!\p{Extended_Pictographic})/gu;
/** Sorting a run of marks takes the square of its length, and no script has more than thirty on a letter. */
const MARK_PILE = /(\p{M}{30})\p{M}+/gu;
const OPTIONAL_MARKS = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Arabic}\p{sc=Hebrew}\p{N}])\p{M}+/gu;
const HYPHENS = /(?<=[\p{L}\p{M}])[-‐]+(?=[\p{L}\p{N}])|(?<=\p{N})[-‐]+(?=\p{L})/gu;
/** 50 % is 50%, and € 50 is €50. */
const SPACE_BESIDE_UNIT = /(?<=\p{N})\s(?=[%‰\p{Sc}])|(?<=\p{Sc})\s(?=\p{N})/gu;

/** The runtime has no case folding: ß becomes SS in upper case, and before that ẞ has to become ß. */
function caseless(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}

/**
 * Letters that count as the same although Unicode does not decompose them: with a stroke, joined, final, or
 * of another keyboard.
 */
const VARIANT_OF: Readonly<Record<string, string>> = {
  ø: "o",
  ł: "l",
  đ: "d",
  ħ: "h",
  ŧ: "t",
  æ: "ae",
  œ: "oe",
  ς: "σ",
  ی: "ي",
  ى: "ي",
  ک: "ك",
};
const VARIANTS = new RegExp(`[${Object.keys(VARIANT_OF).join("")}]`, "gu");
