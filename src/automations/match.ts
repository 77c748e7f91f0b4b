import { type Gap, type NormalizedText, normalizeText } from "./text-normalize.ts";

/**
 * A text that is searched for keywords as whole words: folded once, with its word boundaries.
 * text-normalize.ts defines which letters are equal, keyword-index.ts searches. Pure.
 *
 * - The words of a phrase follow each other, with any white space and nothing else between them.
 * - Scripts without spaces have no visible words: their keywords match anywhere. Hangul words carry
 *   particles, so a keyword there matches the beginning of a word.
 * - Punctuation, symbols and emoji of a keyword must be present, and need no boundary: 👍 is in "yes👍👍".
 */
export class SearchedText {
  readonly units: readonly string[];
  /** Bits where nothing, and where white space, stands before a character. */
  readonly none: Int32Array;
  readonly space: Int32Array;
  /** 1 at each character at which a keyword may begin; in `ends`, before which it may end. */
  readonly begins: Uint8Array;
  readonly ends: Uint8Array;

  constructor(text: string) {
    const { units, gaps } = normalizeText(text);
    this.units = units;
    this.none = bitsOf(gaps, "none");
    this.space = bitsOf(gaps, "space");
    const kinds = units.map(kindOf);
    const about = { units, gaps, kinds };
    this.begins = Uint8Array.from(units, (_, at) => Number(beginsAt(at, about)));
    this.ends = Uint8Array.from({ length: units.length + 1 }, (_, at) => Number(endsAt(at, about)));
  }
}

/** A bit for each gap: whether it is this one. */
export function bitsOf(gaps: readonly Gap[], wanted: Gap): Int32Array {
  const bits = new Int32Array(Math.ceil(gaps.length / 32));
  for (const [at, gap] of gaps.entries()) if (gap === wanted) bits[at >> 5] = (bits[at >> 5] ?? 0) | (1 << (at & 31));
  return bits;
}

/** The 32 bits from a place on. */
export function bitsAt(bits: Int32Array, at: number): number {
  const [word, shift] = [at >> 5, at & 31];
  const low = bits[word] ?? 0;
  return shift === 0 ? low : (low >>> shift) | ((bits[word + 1] ?? 0) << (32 - shift));
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

type Kind = "unspaced" | "hangul" | "word" | "symbol";

interface Boundaries extends NormalizedText {
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
