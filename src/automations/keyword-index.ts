import { bitsAt, bitsOf, type SearchedText } from "./match.ts";
import { type NormalizedText, normalizeText } from "./text-normalize.ts";

/**
 * Finds the keywords of all bots of a channel in one pass over a comment, by rolling hashes (Rabin and Karp
 * 1987). text-normalize.ts decides which characters are equal, match.ts where a keyword may begin and end.
 * Pure.
 *
 * At each place where a keyword may begin, the search takes the text's hash for each keyword length and looks
 * it up. The cost is one step for each place and length, whatever the number of bots and keywords. A keyword
 * with an equal hash is then compared with the text: first its gaps, 32 at a time, then its characters.
 */
export class KeywordIndex {
  readonly #bySpelling = new Map<string, Pattern>();
  readonly #byHash = new Map<number, Pattern[]>();
  /** `BASE` to the power of each keyword length, which takes the text before a place out of a hash. */
  readonly #powers = new Map<number, number>();
  /** The number of each character, for hashes. */
  readonly #values = new Map<string, number>();
  /** The number of bots. */
  #lists = 0;

  /** Adds the keywords of one bot. */
  add(keywords: readonly string[]): void {
    for (const [place, keyword] of keywords.entries()) {
      const folded = normalizeText(keyword);
      if (folded.units.length > 0) this.#patternOf(folded).owners.push({ list: this.#lists, place });
    }
    this.#lists += 1;
  }

  search(text: SearchedText): KeywordSearch {
    const hashes = new Int32Array(text.units.length + 1);
    for (const [at, unit] of text.units.entries())
      hashes[at + 1] = extended(hashes[at] ?? 0, this.#values.get(unit) ?? 0);
    const lengths = [...this.#powers].toSorted(([one], [other]) => one - other);
    return new KeywordSearch({ text, hashes, lengths, byHash: this.#byHash, lists: this.#lists });
  }

  #patternOf({ units, gaps }: NormalizedText): Pattern {
    // Any gap may precede the first character of a keyword.
    const inner = gaps.with(0, "joint");
    const spelling = JSON.stringify([units, inner]);
    const known = this.#bySpelling.get(spelling);
    if (known) return known;
    const pattern = { units, none: bitsOf(inner, "none"), space: bitsOf(inner, "space"), owners: [] };
    const hash = units.reduce((sum, unit) => extended(sum, this.#valueOf(unit)), 0);
    const alike = this.#byHash.get(hash);
    if (alike) alike.push(pattern);
    else this.#byHash.set(hash, [pattern]);
    this.#powers.set(
      units.length,
      units.reduce((power) => Math.imul(power, BASE), 1),
    );
    this.#bySpelling.set(spelling, pattern);
    return pattern;
  }

  /** The number of a character: random, so no commenter can write many texts with the same hash. */
  #valueOf(unit: string): number {
    const known = this.#values.get(unit);
    if (known !== undefined) return known;
    const [value = 0] = crypto.getRandomValues(new Int32Array(1));
    this.#values.set(unit, value);
    return value;
  }
}

/** A keyword. Keywords that differ only in what normalization ignores are one pattern. */
interface Pattern {
  readonly units: readonly string[];
  /**
   * One bit for each character of `units`. In `none`, 1 means that no white space may precede the character;
   * in `space`, that white space must precede it. 0 in both: either is allowed.
   */
  readonly none: Int32Array;
  readonly space: Int32Array;
  /** The bots that have this keyword, with its place in their lists. */
  readonly owners: { readonly list: number; readonly place: number }[];
}

const BASE = 0x01000193;
const extended = (hash: number, value: number): number => (Math.imul(hash, BASE) + value) | 0;

/** The low bits of a hash, for a table that rules out most pieces of a comment without a map look-up. */
const FILTER_BITS = 0xffff;

interface Searched {
  readonly text: SearchedText;
  /** The hash of the text before each character, and of the whole text. */
  readonly hashes: Int32Array;
  readonly lengths: readonly (readonly [length: number, power: number])[];
  readonly byHash: ReadonlyMap<number, readonly Pattern[]>;
  /** The number of bots. */
  readonly lists: number;
}

/** Searches one text, in one pass. The caller may split the pass into several calls of `run`. */
export class KeywordSearch {
  /** The steps so far, as a measure of the cost. */
  steps = 0;
  readonly #searched: Searched;
  readonly #filter = new Uint8Array(FILTER_BITS + 1);
  /** The patterns of a hash that have not been found yet; only for hashes of which one was found. */
  readonly #open: Map<number, Pattern[]>;
  /** For each bot, the place of the first of its keywords that was found. */
  readonly #first: (number | null)[];
  #at = 0;

  constructor(searched: Searched) {
    this.#searched = searched;
    this.#open = new Map();
    this.#first = Array.from({ length: searched.lists }, () => null);
    for (const hash of searched.byHash.keys()) this.#filter[hash & FILTER_BITS] = 1;
  }

  /** Continues for about this many steps; returns whether the pass is complete. */
  run(steps: number): boolean {
    const { units, begins } = this.#searched.text;
    const end = this.steps + steps;
    for (; this.#at < units.length && this.steps < end; this.#at += 1) {
      if (begins[this.#at] === 1) this.#lookUp(this.#at);
    }
    return this.#at >= units.length;
  }

  /** The place, in a bot's list, of its first keyword that occurs; null if none does. */
  firstOf(list: number): number | null {
    return this.#first[list] ?? null;
  }

  #lookUp(start: number): void {
    const { text, hashes, lengths } = this.#searched;
    const before = hashes[start] ?? 0;
    for (const [length, power] of lengths) {
      const end = start + length;
      if (end >= hashes.length) return;
      this.steps += 1;
      const hash = ((hashes[end] ?? 0) - Math.imul(before, power)) | 0;
      if (this.#filter[hash & FILTER_BITS] === 1 && text.ends[end] === 1) this.#compare(hash, start, end);
    }
  }

  /** Compares the patterns of this hash with the text. A pattern that was found is not compared again. */
  #compare(hash: number, start: number, end: number): void {
    const known = this.#open.get(hash) ?? this.#searched.byHash.get(hash);
    if (known === undefined || known.length === 0) return;
    this.steps += known.length;
    const { text } = this.#searched;
    const [none, space] = [bitsAt(text.none, start), bitsAt(text.space, start)];
    const found = known.filter((pattern) => {
      const isOther = (none & (pattern.space[0] ?? 0)) | (space & (pattern.none[0] ?? 0));
      return isOther === 0 && this.#occurs(pattern, start, end);
    });
    if (found.length === 0) return;
    for (const pattern of found) this.#note(pattern);
    const gone = new Set(found);
    this.#open.set(
      hash,
      known.filter((pattern) => !gone.has(pattern)),
    );
  }

  /** Whether the text has the pattern at this place. The caller has compared the first 32 gaps. */
  #occurs({ units, none, space }: Pattern, start: number, end: number): boolean {
    const { text } = this.#searched;
    if (units.length !== end - start) return false;
    for (let word = 1; word < none.length; word += 1) {
      this.steps += 1;
      const at = start + 32 * word;
      const isOther = (bitsAt(text.none, at) & (space[word] ?? 0)) | (bitsAt(text.space, at) & (none[word] ?? 0));
      if (isOther !== 0) return false;
    }
    return units.every((unit, at) => unit === text.units[start + at]);
  }

  #note({ units, owners }: Pattern): void {
    this.steps += units.length + owners.length;
    for (const { list, place } of owners) this.#first[list] = Math.min(this.#first[list] ?? place, place);
  }
}
