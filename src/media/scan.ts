import { joined } from "./bytes.ts";
import { HEAD_BYTES, type OpenFile, type Part, type Unreadable } from "./file.ts";
import type { Damaged } from "./header.ts";
import { Parts } from "./parts.ts";

/** Opening a file takes one or two requests; with these, one file costs twelve at most. */
const MAX_READS = 10;

/** Reads a file here and there, in a bounded number of requests; what was read last stays at hand. */
export class Scan {
  /** Of the file. */
  readonly length: number;
  /** That may still be read of it. */
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
   * The bytes from `offset` on: at least `wanted`, or up to the end of the file. `damaged`: no sound file
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
    this.#bytes = joined(here, next.body);
    this.#base = offset;
    return { kind: "part", body: this.#bytes };
  }
}
