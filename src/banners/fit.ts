import { syllablesOf } from "./hyphens.ts";
import { breakLines, fewestLines, type Line, type Unit, type Widths } from "./lines.ts";
import { lettersOf, phrasesOf } from "./phrases.ts";

/** Finds the largest font size at which a whole text fits, and its lines at that size. */

/** The available space in pixels. */
export interface Room {
  readonly width: number;
  readonly height: number;
  readonly max: number;
  /** Words are broken rather than set smaller than this; only text that still does not fit is set smaller. */
  readonly min: number;
}

export interface Measured extends Widths {
  /** The width in em of one of the `piecesOf` the text. */
  of(piece: string): number;
}

export interface Fitted {
  readonly size: number;
  readonly lines: readonly Line[];
}

/** Smaller text is unreadable; text within BannerCopy's limits fits well above this size. */
const FLOOR = 8;
/** With broken words, the size is at most this multiple of `min`: larger sizes look wrong. */
const BROKEN_GROWTH = 1.5;
/** A better layout may reduce the size to this share of the largest. */
const LEAST_OF_LARGEST = 0.7;

/** Throws if the text does not fit at any size. `lineHeight` is relative to the font size. */
export function fitText(text: string, widths: Measured, room: Room, lineHeight: number): Fitted {
  const { min, max } = room;
  const broken = Math.min(max, min * BROKEN_GROWTH);
  const fits = { paragraphs: text.split("\n"), widths, room, lineHeight };
  const largest =
    largestFit(fits, { from: min, to: max }, "none") ??
    largestFit(fits, { from: min, to: broken }, "syllables") ??
    largestFit(fits, { from: min, to: broken }, "letters") ??
    largestFit(fits, { from: FLOOR, to: min }, "letters");
  if (largest === null) throw new Error("A text of a banner has no room at any size.");
  // A slightly smaller size with fewer lines may look better: no short word alone in a line, and no broken
  // line of the author's.
  const candidates = [largest];
  const least = Math.max(Math.min(min, largest.size), largest.size * LEAST_OF_LARGEST);
  for (let count = largest.count - 1; count >= fits.paragraphs.length; count -= 1) {
    const fewer = largestFit(fits, { from: least, to: largest.size }, largest.breaking, count);
    if (fewer === null) break;
    candidates.push(fewer);
  }
  const fitted = candidates.map(({ size, units }) => {
    const lines = units.flatMap((some) => breakLines(some, widths, room.width / size));
    return { size, lines, beauty: beauty(size, lines, fits.paragraphs.length) };
  });
  return fitted.reduce((best, one) => (one.beauty > best.beauty ? one : best));
}

interface Fits {
  readonly paragraphs: readonly string[];
  readonly widths: Measured;
  readonly room: Room;
  readonly lineHeight: number;
}

/** The permitted breaks within a word that is longer than a line. */
type Breaking = "none" | "syllables" | "letters";

interface Fit {
  readonly size: number;
  /** The units of each paragraph. */
  readonly units: readonly (readonly Unit[])[];
  /** The number of lines. */
  readonly count: number;
  readonly breaking: Breaking;
}

function largestFit(
  fits: Fits,
  { from, to }: { readonly from: number; readonly to: number },
  breaking: Breaking,
  mayTake = Number.POSITIVE_INFINITY,
) {
  for (let size = Math.floor(to); size >= from; size -= 1) {
    const fit = fitAt(fits, size, breaking);
    if (fit !== null && fit.count <= mayTake) return fit;
  }
  return null;
}

function fitAt({ paragraphs, widths, room, lineHeight }: Fits, size: number, breaking: Breaking): Fit | null {
  const limit = room.width / size;
  const units = paragraphs.map((paragraph) => unitsOf(paragraph, widths, limit, breaking));
  const counts = units.map((some) => fewestLines(some, widths, limit) ?? Number.POSITIVE_INFINITY);
  const count = counts.reduce((sum, one) => sum + one, 0);
  return count * lineHeight * size <= room.height ? { size, units, count, breaking } : null;
}

/** Prefers large letters and even lines that end at the author's line breaks. */
function beauty(size: number, lines: readonly Line[], paragraphs: number): number {
  const widths = lines.map(({ width }) => width);
  const evenness = Math.min(...widths) / Math.max(...widths);
  const hasBroken = paragraphs > 1 && lines.length > paragraphs;
  return size * (1.5 + evenness) * (hasBroken ? 0.6 : 1);
}

function unitsOf(paragraph: string, widths: Measured, limit: number, breaking: Breaking): readonly Unit[] {
  const unit = (text: string, joint: Unit["joint"]): Unit => ({ text, width: widths.of(text), joint });
  const unitsIn = (phrase: string): Unit[] => {
    if (breaking === "none" || widths.of(phrase) <= limit) return [unit(phrase, "phrase")];
    return syllablesOf(phrase).flatMap((syllable) => {
      const isWide = breaking === "letters" && widths.of(syllable) + widths.hyphen > limit;
      return isWide ? lettersOf(syllable).map((letter) => unit(letter, "letter")) : [unit(syllable, "syllable")];
    });
  };
  return wordsIn(paragraph).flatMap((word) => {
    const phrases = phrasesOf(word).map((phrase) => endingWith(unitsIn(phrase), "phrase"));
    return endingWith(phrases.flat(), "blank");
  });
}

const endingWith = (units: readonly Unit[], joint: Unit["joint"]): Unit[] =>
  units.map((unit, index) => (index === units.length - 1 ? { ...unit, joint } : unit));

/** All pieces that must be measured: words, their phrases, syllables, and the letters of these. */
export function piecesOf(text: string): ReadonlySet<string> {
  const phrases = text.split("\n").flatMap(wordsIn).flatMap(phrasesOf);
  const syllables = phrases.flatMap(syllablesOf);
  return new Set([...phrases, ...syllables, ...syllables.flatMap(lettersOf)]);
}

/** An emoji or a symbol stays with the word before it. */
function wordsIn(paragraph: string): readonly string[] {
  const words: string[] = [];
  for (const word of paragraph.split(" ")) {
    const before = words.at(-1) ?? "";
    if (SIGNS.test(word) && WORD.test(before)) words.splice(-1, 1, `${before} ${word}`);
    else words.push(word);
  }
  return words;
}

const SIGNS = /^(?:\p{RGI_Emoji}|[%‰€$£°!?…»])+$/v;
const WORD = /[\p{L}\p{N}\p{P}]$/u;
