/**
 * Limits the number of file parts (boxes, elements, segments, directory entries) that may still be read. It
 * counts parts, not time: the runtime's clock stands still while code runs, and a count is the same on every
 * machine. A nested counter also counts in its outer one.
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

  /** Call before a part is read. Throws `TooManyParts` above the limit. */
  take(count = 1): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooManyParts(this);
    this.#outer?.take(count);
  }
}

/** The probe catches it and names the file. */
export class TooManyParts extends Error {
  readonly of: Parts;

  constructor(of: Parts) {
    super("A file has too many parts.");
    this.of = of;
  }
}

/**
 * Takes about ten milliseconds. The last cluster of a recording has at most 16,000 parts: its times have 16
 * bits, in milliseconds.
 */
const PARTS_OF_A_FILE = 50_000;
