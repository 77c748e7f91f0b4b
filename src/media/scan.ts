import { joined } from "./bytes.ts";
import { HEAD_BYTES, type OpenFile, type Part, type Unreadable } from "./file.ts";
import type { Damaged } from "./header.ts";
import { Parts } from "./parts.ts";

/** Opening a file takes one or two requests; with these, one file takes twelve at most. */
const MAX_READS = 10;

/** Random access to a file in a limited number of requests; keeps the last part in memory. */
export class Scan {
  /** The file's length. */
  readonly length: number;
  /** The number of parts that may still be read. */
  readonly parts: Parts;
  readonly #file: OpenFile;
  #bytes: Uint8Array<ArrayBuffer>;
  #base = 0;
  #reads = 0;

  constructor(file: OpenFile, parts = new Parts()) {
    this.parts = parts;
    this.#file = file;
    this.#bytes = file.head;
    this.length = file.bytes;
  }

  /**
   * The bytes from `offset` on: at least `wanted`, or up to the end of the file. `damaged`: no valid file
   * needs so many reads.
   */
  async from(offset: number, wanted: number): Promise<Part | Damaged | Unreadable> {
    const known = this.#base + this.#bytes.byteLength;
    const isHere = this.#base <= offset && offset <= known;
    const here = isHere ? this.#bytes.subarray(offset - this.#base) : new Uint8Array();
    const start = offset + here.byteLength;
    if (start >= Math.min(offset + wanted, this.length)) return { kind: "part", body: here };
    if (this.#reads === MAX_READS) return { kind: "damaged" };
    this.#reads += 1;
    const end = Math.max(offset + wanted, start + HEAD_BYTES);
    const next = await this.#file.part(start, Math.min(end, this.length));
    if (next.kind !== "part") return next;
    this.#bytes = joined([here, next.body]);
    this.#base = offset;
    return { kind: "part", body: this.#bytes };
  }
}
