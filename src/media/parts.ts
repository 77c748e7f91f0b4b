/**
 * How many parts of files (boxes, elements, segments, entries of directories) may still be read. Parts are
 * counted, not the time that they take: the runtime's clock stands still while code runs, and a count is the
 * same on every machine. One within another takes of both.
 */
export class Parts {
  readonly limit: number;
  readonly #outer: Parts | null;
  #left: number;

  constructor(limit = PARTS_OF_A_FILE, outer: Parts | null = null) {
    this.limit = limit;
    this.#outer = outer;
    this.#left = limit;
  }

  /** Before a part is read. Throws `TooManyParts` for one too many. */
  take(count = 1): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooManyParts(this);
    this.#outer?.take(count);
  }
}

/** Caught by the probe, which names the file. */
export class TooManyParts extends Error {
  readonly of: Parts;

  constructor(of: Parts) {
    super("A file has more parts than may be read.");
    this.of = of;
  }
}

/**
 * Some ten milliseconds. The last cluster of a recording has 16,000 at most: its times are of 16 bits, in
 * milliseconds.
 */
export const PARTS_OF_A_FILE = 50_000;
