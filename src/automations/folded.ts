/**
 * A text as it is searched for words: without case, accents, width and what cannot be seen, and cut into what people see as
 * one character. Pure, and linear in the length of the text.
 *
 * - Marks are left out where a word can be written without them: accents of Latin, Greek and Cyrillic letters, the points of
 *   Arabic and Hebrew ones. In all other scripts they are part of the letter: が is not か, กี is not ก.
 * - İ, I, ı and i are one letter: whoever writes Turkish on a foreign keyboard means all of them by one.
 * - Apostrophes, hyphens between letters and spaces of no width stand between two words or within one, as the other side has it:
 *   e-mail is "email" and "e mail".
 */
export interface Folded {
  /** Never white space. */
  readonly units: readonly string[];
  /** What stands before the unit of the same index. */
  readonly gaps: readonly Gap[];
}

/** `joint`: there, or not there, as one reads it. */
export type Gap = "none" | "joint" | "space";

export function fold(text: string): Folded {
  const units: string[] = [];
  const gaps: Gap[] = [];
  let gap: Gap = "none";
  for (const [part] of folded(text).matchAll(PARTS)) {
    if (BLANK.test(part)) {
      gap = /\s/u.test(part) ? "space" : "joint";
      continue;
    }
    for (const unit of graphemesOf(part)) {
      units.push(unit);
      gaps.push(gap);
      gap = "none";
    }
  }
  return { units, gaps };
}

/** A space of no width in place of whatever is a joint. */
const JOINT = "\u200b";
const PARTS = /[\s\u200b]+|[^\s\u200b]+/gu;
const BLANK = /^[\s\u200b]/u;

const PRINTABLE = /^[\x21-\x7e]+$/;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

function graphemesOf(part: string): string[] {
  return PRINTABLE.test(part) ? part.split("") : Array.from(graphemes.segment(part), ({ segment }) => segment);
}

/** The steps rely on each other: what is invisible goes before its neighbours are looked at, marks go before case. */
function folded(text: string): string {
  const seen = text
    .toWellFormed()
    .replace(APOSTROPHES, JOINT)
    .replace(LEFT_OUT, "")
    .replace(GENDER, "")
    .replace(LOOSE_JOINER, "")
    .replace(MARK_PILE, "$1");
  return caseless(seen.normalize("NFKD").replace(OPTIONAL_MARKS, "$1"))
    .normalize("NFC")
    .replace(VARIANTS, (letter) => VARIANT_OF[letter] ?? letter)
    .replace(HYPHENS, JOINT)
    .replace(SPACE_BESIDE_UNIT, JOINT);
}

/** As they are typed: typographic, of other keyboards, or an accent by itself. The non-joiner of Persian parts a word alike. */
const APOSTROPHES = /['’‘‛ʼʻʹ´`′＇\u200c]/gu;
/**
 * Format characters, variation selectors, fillers; skin tones; the stretched line of Arabic; signs that NFKD would make into
 * letters. Not the joiners of emoji and the tags of flags.
 */
const LEFT_OUT =
  /[[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}ـ™℠]--[\u200b-\u200d\u{e0020}-\u{e007f}]]/gv;
/** A shrug is a shrug. */
const GENDER = /\u200d[♀♂]/gu;
const LOOSE_JOINER = /(?<!\p{Extended_Pictographic})\u200d|\u200d(?!\p{Extended_Pictographic})/gu;
/** Bringing a stretch of marks into its order takes the square of its length, and no script has more than thirty on a letter. */
const MARK_PILE = /(\p{M}{30})\p{M}+/gu;
const OPTIONAL_MARKS = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Arabic}\p{sc=Hebrew}\p{N}])\p{M}+/gu;
const HYPHENS = /(?<=[\p{L}\p{M}])[-‐]+(?=[\p{L}\p{N}])|(?<=\p{N})[-‐]+(?=\p{L})/gu;
/** 50 % is 50%, and € 50 is €50. */
const SPACE_BESIDE_UNIT = /(?<=\p{N})\s(?=[%‰\p{Sc}])|(?<=\p{Sc})\s(?=\p{N})/gu;

/** The runtime has no case folding of its own: upwards ß becomes SS, and before that ẞ has to become ß. */
function caseless(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}

/** The same letter for whoever searches, which Unicode does not take apart: with a stroke, joined, final, or of another keyboard. */
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
