import { boxAt } from "./boxes.ts";
import { joined, latin1, uint32, viewOf } from "./bytes.ts";
import { Parts, TooManyParts } from "./parts.ts";
import { MAX_PACKET_BYTES, markedPacket, type SourceMark } from "./xmp-packet.ts";

/** XMP is in a `uuid` box. At the end of the file it moves no other box, so no table of offsets changes. */
export const XMP_ID = Uint8Array.from([
  0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac,
]);

/** The bytes that mark an MP4 or QuickTime file when they follow its last box. */
export function movieMark(mark: SourceMark, existing: Uint8Array | null = null): Uint8Array<ArrayBuffer> {
  const packet = markedPacket(mark, existing);
  const box = joined([new Uint8Array(4), new TextEncoder().encode("uuid"), XMP_ID, packet]);
  viewOf(box).setUint32(0, box.byteLength);
  return box;
}

/** The file is damaged or cut off, so that the mark would not be found in it. */
export class UnmarkableMovie extends Error {
  constructor() {
    super("A video is cut off or damaged.");
  }
}

/** The file of `length` bytes with the mark, while it passes. Throws `UnmarkableMovie`. */
export async function* markMovie(
  movie: AsyncIterable<Uint8Array>,
  length: number,
  mark: SourceMark,
): AsyncGenerator<Uint8Array> {
  const marker = new MovieMarker(length, mark);
  for await (const chunk of movie) yield* marker.push(chunk);
  yield marker.end();
}

/**
 * Marks a file that arrives in chunks. Holds one box header and one packet. An existing packet becomes free
 * space, and its properties move to the new one. Bytes after the last box are dropped.
 */
export class MovieMarker {
  readonly #length: number;
  readonly #mark: SourceMark;
  readonly #parts: Parts;
  readonly #head = new Uint8Array(32);
  #headBytes = 0;
  /** Bytes of the current box that have not arrived. */
  #boxLeft = 0;
  /** The offset in the file of the current box's header. */
  #offset = 0;
  #isPacket = false;
  #packet: Uint8Array[] = [];
  #packetBytes = 0;
  #isBehindBoxes = false;

  constructor(length: number, mark: SourceMark, parts = new Parts()) {
    this.#length = length;
    this.#mark = mark;
    this.#parts = parts;
  }

  /** What of the marked file is complete with this chunk. */
  push(chunk: Uint8Array): readonly Uint8Array[] {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < chunk.byteLength && !this.#isBehindBoxes; ) {
      if (this.#boxLeft > 0) {
        const content = chunk.subarray(at, at + this.#boxLeft);
        pieces.push(this.#isPacket ? this.#keepPacket(content) : content);
        this.#boxLeft -= content.byteLength;
        at += content.byteLength;
        continue;
      }
      const wanted = headLength(this.#head, this.#headBytes);
      const part = chunk.subarray(at, at + wanted - this.#headBytes);
      this.#head.set(part, this.#headBytes);
      this.#headBytes += part.byteLength;
      at += part.byteLength;
      if (this.#headBytes === headLength(this.#head, this.#headBytes)) pieces.push(...this.#openBox());
    }
    return pieces;
  }

  /** The mark's bytes. */
  end(): Uint8Array {
    if (this.#boxLeft > 0 || this.#offset === 0) throw new UnmarkableMovie();
    const isWhole = this.#packetBytes > 0 && this.#packetBytes <= MAX_PACKET_BYTES;
    return movieMark(this.#mark, isWhole ? joined(this.#packet) : null);
  }

  #openBox(): readonly Uint8Array[] {
    const head = this.#head.slice(0, this.#headBytes);
    this.#headBytes = 0;
    this.#countBox();
    const box = boxAt(head, 0);
    const size = box?.end === null ? this.#length - this.#offset : (box?.end ?? 0);
    if (size < head.byteLength) {
      this.#isBehindBoxes = true;
      return [];
    }
    // A last box without a size would contain the mark.
    if (box?.end === null) {
      if (size > 0xffff_ffff) throw new UnmarkableMovie();
      viewOf(head).setUint32(0, size);
    }
    this.#offset += size;
    this.#boxLeft = size - head.byteLength;
    const idAt = head.byteLength - XMP_ID.byteLength;
    this.#isPacket = box?.type === "uuid" && XMP_ID.every((byte, index) => head[idAt + index] === byte);
    if (this.#isPacket) {
      head.set(new TextEncoder().encode("free"), 4);
      head.fill(0, idAt);
    }
    return [head];
  }

  #countBox(): void {
    try {
      this.#parts.take();
    } catch (error) {
      throw error instanceof TooManyParts ? new UnmarkableMovie() : error;
    }
  }

  #keepPacket(content: Uint8Array): Uint8Array {
    this.#packetBytes += content.byteLength;
    if (this.#packetBytes <= MAX_PACKET_BYTES) this.#packet.push(content.slice());
    else this.#packet = [];
    return new Uint8Array(content.byteLength);
  }
}

/** How long a box header is, as far as its first bytes show. */
function headLength(head: Uint8Array, known: number): number {
  if (known < 8) return 8;
  return (uint32(head, 0) === 1 ? 16 : 8) + (latin1(head, 4, 4) === "uuid" ? XMP_ID.byteLength : 0);
}
