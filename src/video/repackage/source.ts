import { boxAt } from "../../media/boxes.ts";
import { joined } from "../../media/bytes.ts";
import type { Parts } from "../../media/parts.ts";
import { cutOff, damaged, tooComplex } from "./unfit.ts";

/** A file that is read by ranges. */
export interface Source {
  /** Its length. */
  readonly bytes: number;
  /**
   * Exactly the bytes [start, end), at most `MAX_READ_BYTES`. A rejection ends the reading, and passes
   * through.
   */
  read(start: number, end: number): Promise<Uint8Array>;
}

export const MAX_READ_BYTES = 2 * 1024 * 1024;
const FIRST_BYTES = 64 * 1024;
/** The header of a box with a long size and the id of a `uuid`. */
const HEADER_BYTES = 32;

/** A box of the file itself, by the offsets of its content. */
export interface TopBox {
  readonly type: string;
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

/** Walks through the boxes of a file, holding the bytes of one read. */
export class Walk {
  readonly #source: Source;
  readonly #parts: Parts;
  #bytes: Uint8Array = new Uint8Array();
  #base = 0;

  constructor(source: Source, parts: Parts) {
    this.#source = source;
    this.#parts = parts;
  }

  /** The box at this offset; null at the end of the file, and at bytes after it that are no box. */
  async box(at: number): Promise<TopBox | null> {
    if (at + 8 > this.#source.bytes) return null;
    this.#parts.take();
    const header = await this.#view(at, Math.min(at + HEADER_BYTES, this.#source.bytes));
    const box = boxAt(header, 0);
    if (box === null || !/^[\x20-\x7e\xa9]{4}$/.test(box.type)) {
      if (at === 0) throw damaged();
      return null;
    }
    const end = box.end === null ? this.#source.bytes : at + box.end;
    if (end > this.#source.bytes || !Number.isSafeInteger(end)) throw cutOff();
    return { type: box.type, at, start: at + box.start, end };
  }

  /** A copy of the content. Refuses more than `maxBytes`. */
  async content({ start, end }: Pick<TopBox, "start" | "end">, maxBytes: number): Promise<Uint8Array> {
    if (end - start > maxBytes) throw tooComplex();
    if (this.#holds(start, end)) return this.#bytes.slice(start - this.#base, end - this.#base);
    const parts: Uint8Array[] = [];
    for (let from = start; from < end; from += MAX_READ_BYTES) {
      parts.push(await this.#source.read(from, Math.min(from + MAX_READ_BYTES, end)));
    }
    const [only] = parts;
    return parts.length === 1 && only ? only : joined(parts);
  }

  #holds(start: number, end: number): boolean {
    return start >= this.#base && end <= this.#base + this.#bytes.byteLength;
  }

  /**
   * Boxes that are close to each other are read together; between distant ones, the bytes are skipped. So a
   * file takes at most two reads for each `MAX_READ_BYTES` of it, in whatever fragments it is.
   */
  async #view(start: number, end: number): Promise<Uint8Array> {
    if (!this.#holds(start, end)) {
      const behind = this.#base + this.#bytes.byteLength;
      const isNear = start >= this.#base && start - behind < MAX_READ_BYTES && this.#bytes.byteLength > 0;
      const length = isNear ? MAX_READ_BYTES : FIRST_BYTES;
      this.#bytes = new Uint8Array();
      this.#bytes = await this.#source.read(start, Math.min(Math.max(start + length, end), this.#source.bytes));
      this.#base = start;
    }
    return this.#bytes.subarray(start - this.#base, end - this.#base);
  }
}
