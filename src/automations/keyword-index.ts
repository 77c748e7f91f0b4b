import { bitsAt, bitsOf, type SearchedText } from "./match.ts";
import { type NormalizedText, normalizeText } from "./text-normalize.ts";

/**
 * The keywords of all bots of a channel, searched for in one pass over a comment. Which characters are the
 * same: text-normalize.ts. Where a keyword may begin and end: match.ts. Pure.
 *
 * Where a keyword may begin, the hash of each length that a keyword has is looked up (Rabin and Karp 1987).
 * So a pass takes one step for each such place and length, however many bots and keywords there are. Only
 * keywords of the same characters are compared with a place one by one: by their gaps, 32 in one step.
 */
export class KeywordIndex {
  readonly #bySpelling = new Map<string, Pattern>();
  readonly #byHash = new Map<number, Pattern[]>();
  /** The power of `BASE` for each length. */
  readonly #powers = new Map<number, number>();
  readonly #values = new Map<string, number>();
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
    // A keyword has any gap before its first character.
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

  /** Random, so a commenter cannot write texts that all have one hash. */
  #valueOf(unit: string): number {
    const known = this.#values.get(unit);
    if (known !== undefined) return known;
    const [value = 0] = crypto.getRandomValues(new Int32Array(1));
    this.#values.set(unit, value);
    return value;
  }
}

interface Pattern {
  readonly units: readonly string[];
  /** Where nothing, and where white space, has to stand before a character. */
  readonly none: Int32Array;
  readonly space: Int32Array;
  /** The bots that have it, with its place in their lists. */
  readonly owners: { readonly list: number; readonly place: number }[];
}

const BASE = 0x01000193;
const extended = (hash: number, value: number): number => (Math.imul(hash, BASE) + value) | 0;

/** Low bits of a hash: they rule out most pieces of a comment that no keyword has. */
const FILTER_BITS = 0xffff;

interface Searched {
  readonly text: SearchedText;
  /** Of the text up to each character. */
  readonly hashes: Int32Array;
  readonly lengths: readonly (readonly [length: number, power: number])[];
  readonly byHash: ReadonlyMap<number, readonly Pattern[]>;
  readonly lists: number;
}

/** One pass over a text, in as many parts as its caller wants. */
export class KeywordSearch {
  /** Steps that it took: the measure of its cost. */
  steps = 0;
  readonly #searched: Searched;
  readonly #filter = new Uint8Array(FILTER_BITS + 1);
  /** Those that have not occurred yet, by their hash. */
  readonly #open: Map<number, Pattern[]>;
  readonly #first: (number | null)[];
  #at = 0;

  constructor(searched: Searched) {
    this.#searched = searched;
    this.#open = new Map();
    this.#first = Array.from({ length: searched.lists }, () => null);
    for (const hash of searched.byHash.keys()) this.#filter[hash & FILTER_BITS] = 1;
  }

  /** Goes on for about so many steps; returns whether the pass is over. */
  run(steps: number): boolean {
    const { units, begins } = this.#searched.text;
    const end = this.steps + steps;
    for (; this.#at < units.length && this.steps < end; this.#at += 1) {
      if (begins[this.#at] === 1) this.#lookUp(this.#at);
    }
    return this.#at >= units.length;
  }

  /** The place of the first keyword of a bot that occurs; null where none does. */
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

  /** Each keyword that occurs is left out from then on: one pass finds it once. */
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

  /** Whether a keyword stands there, of whose gaps the first 32 agree. */
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
