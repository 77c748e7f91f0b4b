/**
 * A text as it is searched for words: without case, accents, width and what cannot be seen, and cut into what
 * people see as one character. Pure, and linear in the length of the text; of a longer one than platforms
 * take, the beginning.
 *
 * - Marks are left out where a word can be written without them: accents of Latin, Greek and Cyrillic
 *   letters, the points of Arabic and Hebrew ones. In all other scripts they are part of the letter: が is not
 *   か, กี is not ก.
 * - İ, I, ı and i are one letter: whoever writes Turkish on a foreign keyboard means all of them by one.
 * - Apostrophes, hyphens between letters and spaces of no width stand between two words or within one, as the
 *   other side has it: e-mail is "email" and "e mail".
 */
export interface Folded {
  /** Never white space. */
  readonly units: readonly string[];
  /** What stands before the unit of the same index. */
  readonly gaps: readonly Gap[];
}

/** `joint`: there, or not there, as one reads it. */
export type Gap = "none" | "joint" | "space";

/** Longer than any platform takes for a comment. */
export const MAX_FOLDED = 10_000;
/**
 * Folding may lengthen a text: ß is two letters, ㍿ is four, ﷺ is eighteen. Of an ordinary text this cuts
 * nothing.
 */
const MAX_UNITS = 1.2 * MAX_FOLDED;
/**
 * Decomposed, a Hangul syllable has three letters; of longer ones, such as ﷺ, only a short text may be full.
 */
const decomposedLength = (length: number) => 3 * length + 60;
/** Composed again, Hangul is as long as it was; ß is two letters. */
const composedLength = (length: number) => Math.ceil(1.2 * length) + 60;
/**
 * The two ligatures that decompose into many letters (18 and 8), a starter first and last: a text may be
 * parted after them.
 */
const LIGATURE = /[\ufdfa\ufdfb]/u;
const AFTER_LIGATURE = /(?<=[\ufdfa\ufdfb])/u;

export function fold(text: string): Folded {
  const units: string[] = [];
  const gaps: Gap[] = [];
  let gap: Gap = "none";
  for (const [part] of folded(text.slice(0, MAX_FOLDED)).slice(0, MAX_UNITS).matchAll(PARTS)) {
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
/**
 * What may be one character with a neighbour: marks, joiners, flags, the letters of Hangul syllables, Thai
 * and Lao am, letters that stand before their word. The segmenter takes microseconds for each call and each
 * character, so it gets only stretches around these.
 */
const JOINING =
  "\\p{M}\\p{Cf}\\p{Cc}\\p{Emoji_Modifier}\\p{Regional_Indicator}\\p{Default_Ignorable_Code_Point}" +
  "\\u1100-\\u11ff\\ua960-\\ua97f\\ud7b0-\\ud7ff\\u0e33\\u0eb3\\uff9e\\uff9f" +
  "\\u0d4e\\u{111c2}\\u{111c3}\\u{113d1}\\u{1193f}\\u{11941}\\u{11a84}-\\u{11a89}\\u{11d46}\\u{11f02}";
const RUNS = new RegExp(`[${JOINING}]+|[^${JOINING}]+`, "gu");
const JOINS = new RegExp(`[${JOINING}]`, "u");
/** A shorter run between two that join is no gain. */
const LONG_RUN = 8;

function graphemesOf(part: string): string[] {
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
    // The first may belong to what stands before it, the last to what follows.
    const first = stretch === "" ? "" : (points.shift() ?? "");
    units.push(...segmentsOf(stretch + first), ...points);
    stretch = last;
  }
  units.push(...segmentsOf(stretch));
  return units;
}

function segmentsOf(stretch: string): string[] {
  return JOINS.test(stretch) ? Array.from(graphemes.segment(stretch), ({ segment }) => segment) : [...stretch];
}

/**
 * The steps rely on each other: what is invisible goes before its neighbours are looked at, marks go before
 * case.
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

/**
 * The beginning of the decomposed text. With such ligatures in it, there is no work for what comes behind.
 */
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
 * As they are typed: typographic, of other keyboards, or an accent by itself. The non-joiner of Persian parts
 * a word alike.
 */
const APOSTROPHES = /['’‘‛ʼʻʹ´`′＇\u200c]/gu;
/**
 * Format characters, variation selectors, fillers; skin tones; the stretched line of Arabic; signs that NFKD
 * would make into letters. Not the joiners of emoji and the tags of flags.
 */
const LEFT_OUT =
  /[[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}ـ™℠]--[\u200b-\u200d\u{e0020}-\u{e007f}]]/gv;
/** A shrug is a shrug. */
const GENDER = /\u200d[♀♂]/gu;
const LOOSE_JOINER = /(?<!\p{Extended_Pictographic})\u200d|\u200d(?!\p{Extended_Pictographic})/gu;
/**
 * Bringing a stretch of marks into its order takes the square of its length, and no script has more than
 * thirty on a letter.
 */
const MARK_PILE = /(\p{M}{30})\p{M}+/gu;
const OPTIONAL_MARKS = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Arabic}\p{sc=Hebrew}\p{N}])\p{M}+/gu;
const HYPHENS = /(?<=[\p{L}\p{M}])[-‐]+(?=[\p{L}\p{N}])|(?<=\p{N})[-‐]+(?=\p{L})/gu;
/** 50 % is 50%, and € 50 is €50. */
const SPACE_BESIDE_UNIT = /(?<=\p{N})\s(?=[%‰\p{Sc}])|(?<=\p{Sc})\s(?=\p{N})/gu;

/** The runtime has no case folding of its own: upwards ß becomes SS, and before that ẞ has to become ß. */
function caseless(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}

/**
 * The same letter for whoever searches, which Unicode does not take apart: with a stroke, joined, final, or
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
