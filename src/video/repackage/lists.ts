import { viewOf } from "../../media/bytes.ts";
import { tooComplex } from "./unfit.ts";

/** What the tables of all tracks of one file may take in memory. */
const MAX_TABLE_BYTES = 8 * 1024 * 1024;
const PIECE_BYTES = 32 * 1024;

/** Counts the bytes of all tables of a file. */
export class TableBudget {
  #left = MAX_TABLE_BYTES;

  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw tooComplex();
  }
}

/** A table of 32-bit numbers that grows without being copied, as a file holds it. */
export class Words {
  readonly #budget: TableBudget;
  readonly #pieces: Uint8Array[] = [];
  #view = viewOf(new Uint8Array());
  #at = 0;
  /** How many numbers it has. */
  length = 0;

  constructor(budget: TableBudget) {
    this.#budget = budget;
  }

  /** Negative numbers are written in two's complement. */
  push(value: number): void {
    if (this.#at === this.#view.byteLength) {
      this.#budget.take(PIECE_BYTES);
      const piece = new Uint8Array(PIECE_BYTES);
      this.#pieces.push(piece);
      this.#view = viewOf(piece);
      this.#at = 0;
    }
    this.#view.setUint32(this.#at, value);
    this.#at += 4;
    this.length += 1;
  }

  pieces(): readonly Uint8Array[] {
    const last = this.#pieces.length - 1;
    return this.#pieces.map((piece, index) => (index === last ? piece.subarray(0, this.#at) : piece));
  }
}

/** A table of numbers with their count in a row. */
export class Runs {
  readonly words: Words;
  #value = 0;
  #count = 0;

  constructor(budget: TableBudget) {
    this.words = new Words(budget);
  }

  push(value: number, count = 1): void {
    if (count === 0) return;
    if (this.#count > 0 && value === this.#value) {
      this.#count += count;
      return;
    }
    this.flush();
    this.#value = value;
    this.#count = count;
  }

  /** Replaces the last number. */
  changeLast(change: (value: number) => number): void {
    if (this.#count === 0) return;
    const value = change(this.#value);
    this.#count -= 1;
    this.push(value);
  }

  /** Call before the words are read. */
  flush(): void {
    if (this.#count === 0) return;
    this.words.push(this.#count);
    this.words.push(this.#value);
    this.#count = 0;
  }

  /** How many rows the table has; after `flush`. */
  get rows(): number {
    return this.words.length / 2;
  }
}
