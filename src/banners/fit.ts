import { syllablesOf } from "./hyphens.ts";
import { breakLines, fewestLines, type Line, type Unit, type Widths } from "./lines.ts";

/** The largest size at which all of a text has room, and its lines there. */

/** In pixels. */
export interface Room {
  readonly width: number;
  readonly height: number;
  readonly max: number;
  /** Words are broken before they get smaller than this; only text that even then has no room does. */
  readonly min: number;
}

export interface Measured extends Widths {
  /** In em, of one of the `piecesOf` the text. */
  of(piece: string): number;
}

export interface Fitted {
  readonly size: number;
  readonly lines: readonly Line[];
}

/** Nobody could read less; text of the lengths that BannerCopy allows has room long before. */
const FLOOR = 8;
/** Of a broken word, not every size that has room looks right. */
const BROKEN_GROWTH = 1.5;
/** A better look is worth as much of the size. */
const LEAST_OF_LARGEST = 0.7;

/** Throws when the text has no room at any size. `lineHeight` is of the size. */
export function fitText(text: string, widths: Measured, room: Room, lineHeight: number): Fitted {
  const { min, max } = room;
  const broken = Math.min(max, min * BROKEN_GROWTH);
  const fits = { paragraphs: text.split("\n"), widths, room, lineHeight };
  const largest =
    largestFit(fits, min, max, "none") ??
    largestFit(fits, min, broken, "syllables") ??
    largestFit(fits, min, broken, "letters") ??
    largestFit(fits, FLOOR, min, "letters");
  if (largest === null) throw new Error("A text of a banner has no room at any size.");
  // A little smaller, in fewer lines, may look better: without a short word alone in its line, or a line of
  // the author's broken.
  const candidates = [largest];
  const least = Math.max(Math.min(min, largest.size), largest.size * LEAST_OF_LARGEST);
  for (let count = largest.count - 1; count >= fits.paragraphs.length; count -= 1) {
    const fewer = largestFit(fits, least, largest.size, largest.breaking, count);
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

/** What may be broken of a word that is longer than a line. */
type Breaking = "none" | "syllables" | "letters";

interface Fit {
  readonly size: number;
  /** Of each paragraph. */
  readonly units: readonly (readonly Unit[])[];
  /** Of lines. */
  readonly count: number;
  readonly breaking: Breaking;
}

function largestFit(fits: Fits, from: number, to: number, breaking: Breaking, mayTake = Number.POSITIVE_INFINITY) {
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

/** Large letters in even lines, which end where the author ended them. */
function beauty(size: number, lines: readonly Line[], paragraphs: number): number {
  const widths = lines.map(({ width }) => width);
  const evenness = Math.min(...widths) / Math.max(...widths);
  const hasBroken = paragraphs > 1 && lines.length > paragraphs;
  return size * (1.5 + evenness) * (hasBroken ? 0.6 : 1);
}

function unitsOf(paragraph: string, widths: Measured, limit: number, breaking: Breaking): readonly Unit[] {
  const unit = (text: string, joint: Unit["joint"]): Unit => ({ text, width: widths.of(text), joint });
  return wordsIn(paragraph).flatMap((word) => {
    if (breaking === "none" || widths.of(word) <= limit) return [unit(word, "blank")];
    const parts = syllablesOf(word).flatMap((syllable) => {
      const isWide = breaking === "letters" && widths.of(syllable) + widths.hyphen > limit;
      return isWide ? lettersOf(syllable).map((letter) => unit(letter, "letter")) : [unit(syllable, "syllable")];
    });
    return parts.map((part, index) => (index === parts.length - 1 ? { ...part, joint: "blank" as const } : part));
  });
}

/** All that has to be measured: words, their syllables, and the letters of these. */
export function piecesOf(text: string): ReadonlySet<string> {
  const words = text.split("\n").flatMap(wordsIn);
  const syllables = words.flatMap(syllablesOf);
  return new Set([...words, ...syllables, ...syllables.flatMap(lettersOf)]);
}

/** An emoji or a sign stays with the word before it. */
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

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const lettersOf = (text: string): readonly string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);
