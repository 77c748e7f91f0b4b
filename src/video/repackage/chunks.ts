import { tooComplex } from "./unfit.ts";

const MAX_CHUNKS = 300_000;
/** Offsets of at most `MAX_REPACKAGED_BYTES` and the number of a chunk are together an exact number. */
const NUMBERS = 2 ** 19;
const FIRST_CHUNKS = 1024;

/** Where the frames of all tracks are in the source: runs of bytes that each belong to one track. */
export class Chunks {
  #offsets = new Uint32Array(FIRST_CHUNKS);
  #sizes = new Uint32Array(FIRST_CHUNKS);
  #tracks = new Uint8Array(FIRST_CHUNKS);
  #order = new Float64Array();
  length = 0;
  /** The bytes of all of them. */
  bytes = 0;

  add(track: number, offset: number, size: number): void {
    if (this.length === MAX_CHUNKS) throw tooComplex();
    if (this.length === this.#offsets.length) {
      this.#offsets = grown(this.#offsets, new Uint32Array(this.length * 2));
      this.#sizes = grown(this.#sizes, new Uint32Array(this.length * 2));
      this.#tracks = grown(this.#tracks, new Uint8Array(this.length * 2));
    }
    this.#offsets[this.length] = offset;
    this.#sizes[this.length] = size;
    this.#tracks[this.length] = track;
    this.length += 1;
    this.bytes += size;
  }

  /** Whether the last chunk is this track's, ends at this offset, and would stay below `maxBytes`. */
  continues(track: number, offset: number, size: number, maxBytes: number): boolean {
    const last = this.length - 1;
    if (last < 0 || this.#tracks[last] !== track) return false;
    const bytes = this.#sizes[last] ?? 0;
    return (this.#offsets[last] ?? 0) + bytes === offset && bytes + size <= maxBytes;
  }

  extendLast(size: number): void {
    const last = this.length - 1;
    this.#sizes[last] = (this.#sizes[last] ?? 0) + size;
    this.bytes += size;
  }

  /** Call when all are added: from then on they are in the order of the source. */
  sort(): void {
    this.#order = new Float64Array(this.length);
    for (let index = 0; index < this.length; index += 1) {
      this.#order[index] = (this.#offsets[index] ?? 0) * NUMBERS + index;
    }
    this.#order.sort();
  }

  /**
   * The offset of each of the track's chunks in the order in which they were added, if all chunks follow each
   * other from `start` on.
   */
  placesOf(track: number, start: number): Uint8Array {
    const numbers = new Uint32Array(this.length);
    let count = 0;
    for (let index = 0; index < this.length; index += 1) {
      if (this.#tracks[index] === track) {
        numbers[index] = count;
        count += 1;
      }
    }
    const view = new DataView(new ArrayBuffer(count * 4));
    let at = start;
    for (const key of this.#order) {
      const index = key % NUMBERS;
      if (this.#tracks[index] === track) view.setUint32((numbers[index] ?? 0) * 4, at);
      at += this.#sizes[index] ?? 0;
    }
    return new Uint8Array(view.buffer);
  }

  countOf(track: number): number {
    let count = 0;
    for (let index = 0; index < this.length; index += 1) if (this.#tracks[index] === track) count += 1;
    return count;
  }

  /** The ranges of the source that make the bytes [from, to) of all chunks in a row. */
  *ranges(from: number, to: number): Generator<{ readonly start: number; readonly end: number }> {
    let at = 0;
    for (const key of this.#order) {
      if (at >= to) return;
      const offset = Math.floor(key / NUMBERS);
      const size = this.#sizes[key % NUMBERS] ?? 0;
      const start = Math.max(from - at, 0);
      const end = Math.min(to - at, size);
      if (start < end) yield { start: offset + start, end: offset + end };
      at += size;
    }
  }
}

function grown<T extends Uint32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
