import { type Folded, fold, type Gap } from "./folded.ts";

/**
 * Finds which keyword occurs in a text as whole words. folded.ts defines which letters are equal. Pure.
 *
 * - The words of a phrase follow each other, with any white space and nothing else between them.
 * - Scripts without spaces have no visible words: their keywords match anywhere. Hangul words carry
 * particles, so a keyword there matches the beginning of a word.
 * - Punctuation, symbols and emoji of a keyword must be present, and need no boundary: 👍 is in "yes👍👍".
 *
 * The search is linear by construction (Shift-And, Baeza-Yates and Gonnet 1992). For every keyword that can
 * occur, one bit per character says whether the text so far ends with the keyword up to there. Each character
 * of the text moves all bits, 32 in one step. So a search takes at most one step for each character of the
 * text and 32 characters of keywords.
 */
export class KeywordSearch {
  readonly #keywords: readonly string[];
  readonly #folded: readonly Folded[];

  constructor(keywords: readonly string[]) {
    this.#keywords = keywords;
    this.#folded = keywords.map(fold);
  }

  /** The first keyword of the list that occurs in the text, as the caller wrote it; null if none does. */
  first(text: SearchedText): string | null {
    const found = firstOccurring(this.#folded, text);
    return found === null ? null : (this.#keywords[found] ?? null);
  }
}

/** The same for a single search. */
export function matchKeywords(keywords: readonly string[], text: string): string | null {
  return new KeywordSearch(keywords).first(new SearchedText(text));
}

/** A text that is searched for the keywords of several bots: folded once, with its word boundaries. */
export class SearchedText {
  /** Steps of all searches: the measure of their cost. */
  steps = 0;
  /** The number of each character. */
  readonly units: Int32Array;
  readonly numbers = new Map<string, number>();
  readonly gaps: readonly Gap[];
  /** 1 where a keyword may begin, or may end before. */
  readonly begins: Uint8Array;
  readonly ends: Uint8Array;

  constructor(text: string) {
    const { units, gaps } = fold(text);
    this.gaps = gaps;
    this.units = Int32Array.from(units, (unit) => this.#number(unit));
    const kinds = units.map(kindOf);
    const about = { units, gaps, kinds };
    this.begins = Uint8Array.from(units, (_, at) => Number(beginsAt(at, about)));
    this.ends = Uint8Array.from({ length: units.length + 1 }, (_, at) => Number(endsAt(at, about)));
  }

  #number(unit: string): number {
    const known = this.numbers.get(unit);
    if (known !== undefined) return known;
    this.numbers.set(unit, this.numbers.size);
    return this.numbers.size - 1;
  }
}

/**
 * Whether a bot with frequency `randomly` answers this comment: half of them, decided by a hash, so a repeat
 * decides alike. The hash must spread well, because ids are consecutive.
 */
export async function isChosenAtRandom(botId: number, commentId: string): Promise<boolean> {
  const subject = new TextEncoder().encode(`${botId} ${commentId}`);
  const [first = 0] = new Uint8Array(await crypto.subtle.digest("SHA-256", subject));
  return first < 128;
}

// --- the search -------------------------------------------------------------------------------------------------

/** A keyword whose characters all occur in the text, as their numbers there. */
interface Candidate {
  readonly index: number;
  readonly units: readonly number[];
  readonly gaps: readonly Gap[];
}

/** The size of the table for keywords that are searched together; it is reused. */
const WORDS = 32;
const BITS = 32 * WORDS;

/** The index of the first keyword that occurs. */
function firstOccurring(keywords: readonly Folded[], text: SearchedText): number | null {
  const isKnown = new Set<string>();
  let group: Candidate[] = [];
  let bits = 0;
  for (const [index, keyword] of keywords.entries()) {
    const candidate = toCandidate(keyword, index, text);
    const spelling = candidate && `${candidate.units} ${candidate.gaps}`;
    if (candidate === null || spelling === null || isKnown.has(spelling)) continue;
    isKnown.add(spelling);
    if (bits + candidate.units.length > BITS) {
      const found = searchGroup(group, text);
      if (found !== null) return found;
      [group, bits] = [[], 0];
    }
    group.push(candidate);
    bits += candidate.units.length;
  }
  return searchGroup(group, text);
}

/** Null for a keyword that cannot occur: usually the text lacks one of its characters. */
function toCandidate({ units, gaps }: Folded, index: number, text: SearchedText): Candidate | null {
  if (units.length === 0 || units.length > Math.min(text.units.length, BITS)) return null;
  const numbers: number[] = [];
  for (const unit of units) {
    const number = text.numbers.get(unit);
    if (number === undefined) return null;
    numbers.push(number);
  }
  return { index, units: numbers, gaps };
}

function searchGroup(group: readonly Candidate[], text: SearchedText): number | null {
  if (group.length === 0) return null;
  const masks = masksOf(group);
  const { starts, finals, units, gaps } = masks;
  const state = new Int32Array(masks.words);
  let best: number | null = null;
  let isEmpty = true;
  for (let at = 0; at < text.units.length; at++) {
    const slot = units.get(text.units[at] ?? -1);
    const begins = text.begins[at] === 1;
    if (isEmpty && (slot === undefined || !begins)) continue;
    isEmpty = true;
    text.steps += masks.words;
    if (slot === undefined) {
      state.fill(0);
      continue;
    }
    const gap = gaps[text.gaps[at] ?? "none"];
    const mayEnd = text.ends[at + 1] === 1;
    let carry = 0;
    for (let word = 0; word < masks.words; word++) {
      const before = state[word] ?? 0;
      // Before the first character of a keyword any separator is allowed.
      const first = starts[word] ?? 0;
      const moved = ((before << 1) | carry) & ~first & (gap[word] ?? 0);
      const next = (moved | (begins ? first : 0)) & (slot[word] ?? 0);
      carry = before >>> 31;
      state[word] = next;
      if (next === 0) continue;
      isEmpty = false;
      if (mayEnd && (next & (finals[word] ?? 0)) !== 0) best = earliest(masks, word, next, best);
    }
    if (best === group[0]?.index) break;
  }
  return best;
}

/** Of the keywords whose last bit is set, the first of the list. */
function earliest({ finals, endings }: Masks, word: number, state: number, best: number | null): number {
  let found = best ?? Number.POSITIVE_INFINITY;
  for (let bits = state & (finals[word] ?? 0); bits !== 0; bits &= bits - 1) {
    found = Math.min(found, endings.get(32 * word + 31 - Math.clz32(bits & -bits)) ?? found);
  }
  return found;
}

interface Masks {
  readonly words: number;
  /** Bits of first and of last characters. */
  readonly starts: Int32Array;
  readonly finals: Int32Array;
  /** The keyword index of each last bit. */
  readonly endings: ReadonlyMap<number, number>;
  /** By the number of a character: the bits of keywords that have it there. */
  readonly units: ReadonlyMap<number, Int32Array>;
  /** By the separator before a character of the text: the bits that match it. */
  readonly gaps: Readonly<Record<Gap, Int32Array>>;
}

function masksOf(group: readonly Candidate[]): Masks {
  const words = Math.ceil(group.reduce((bits, { units }) => bits + units.length, 0) / 32);
  const blank = () => new Int32Array(words);
  const [starts, finals] = [blank(), blank()];
  const endings = new Map<number, number>();
  const units = new Map<number, Int32Array>();
  const gaps = { none: blank(), joint: blank().fill(-1), space: blank() };
  let bit = 0;
  for (const candidate of group) {
    set(starts, bit);
    for (const [at, unit] of candidate.units.entries()) {
      const slot = units.get(unit) ?? blank();
      units.set(unit, slot);
      set(slot, bit);
      const gap = candidate.gaps[at];
      if (gap !== "space") set(gaps.none, bit);
      if (gap !== "none") set(gaps.space, bit);
      bit += 1;
    }
    set(finals, bit - 1);
    endings.set(bit - 1, candidate.index);
  }
  return { words, starts, finals, endings, units, gaps };
}

function set(mask: Int32Array, bit: number): void {
  mask[bit >> 5] = (mask[bit >> 5] ?? 0) | (1 << (bit & 31));
}

// --- boundaries -------------------------------------------------------------------------------------------------

type Kind = "unspaced" | "hangul" | "word" | "symbol";

interface Boundaries extends Folded {
  readonly kinds: readonly Kind[];
}

function beginsAt(at: number, { units, gaps, kinds }: Boundaries): boolean {
  const first = units[at];
  if (at === 0 || gaps[at] !== "none") return true;
  // Inside a word these begin neither a hashtag nor a mention: me@shop.example.
  if (first === "#" || first === "@") return kinds[at - 1] !== "word";
  return !areOneWord(kinds[at - 1], kinds[at]) && !isWithinNumber(units, at - 1);
}

function endsAt(end: number, { units, gaps, kinds }: Boundaries): boolean {
  if (end === 0 || end === units.length || gaps[end] !== "none") return true;
  if (kinds[end - 1] === "hangul") return true;
  return !areOneWord(kinds[end - 1], kinds[end]) && !isWithinNumber(units, end);
}

/** Whether this is the point or comma inside a number. */
function isWithinNumber(units: readonly string[], at: number): boolean {
  const isDigit = (unit: string | undefined) => unit !== undefined && /^\p{Nd}/u.test(unit);
  return (units[at] === "." || units[at] === ",") && isDigit(units[at - 1]) && isDigit(units[at + 1]);
}

/** Adjacent words of two scripts are two words: a Latin word and its Korean particle. */
function areOneWord(one: Kind | undefined, other: Kind | undefined): boolean {
  return one === other && (one === "word" || one === "hangul");
}

function kindOf(unit: string): Kind {
  if (UNSPACED.test(unit)) return "unspaced";
  if (HANGUL.test(unit)) return "hangul";
  return WORD.test(unit) ? "word" : "symbol";
}
const UNSPACED =
  /^[[\p{L}\p{M}\p{N}]&&[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]]/v;
const HANGUL = /^\p{sc=Hangul}/u;
const WORD = /^[\p{L}\p{M}\p{N}_]/u;
