import type { Unreadable } from "../file.ts";
import type { Damaged } from "../header.ts";
import type { Scan } from "../scan.ts";

/** The file cannot be read now, or needs more reads than a valid one. */
class NotRead extends Error {
  readonly outcome: Damaged | Unreadable;

  constructor(outcome: Damaged | Unreadable) {
    super("A part of the file was not read.");
    this.outcome = outcome;
  }
}

const MB = 1024 * 1024;
/** A smaller file is read whole, with one request. */
const WHOLE_BYTES = 2 * MB;

/** Any bytes of a file; what was read is kept. Little is read of a large file. */
export class Window {
  readonly #scan: Scan;
  readonly #read: { readonly at: number; readonly body: Uint8Array }[] = [];

  constructor(scan: Scan) {
    this.#scan = scan;
  }

  get length(): number {
    return this.#scan.length;
  }

  get parts() {
    return this.#scan.parts;
  }

  /** At least `wanted` bytes from `offset` on, or those up to the end of the file. Throws `NotRead`. */
  async from(offset: number, wanted: number): Promise<Uint8Array> {
    const end = Math.min(offset + wanted, this.length);
    const known = this.#read.find(({ at, body }) => at <= offset && end <= at + body.byteLength);
    if (known) return known.body.subarray(offset - known.at);
    const isSmall = this.length <= WHOLE_BYTES;
    const part = await this.#scan.from(isSmall ? 0 : offset, isSmall ? this.length : wanted);
    if (part.kind !== "part") throw new NotRead(part);
    const at = isSmall ? 0 : offset;
    this.#read.push({ at, body: part.body });
    return part.body.subarray(offset - at);
  }

  /** Exactly these bytes, fewer at the end of the file. */
  async exactly(offset: number, length: number): Promise<Uint8Array> {
    return (await this.from(offset, length)).subarray(0, length);
  }
}

/** What `read` finds in the file; where a part cannot be read, why not. */
export async function readThrough<Found>(
  scan: Scan,
  read: (window: Window) => Promise<Found>,
): Promise<Found | Damaged | Unreadable> {
  try {
    return await read(new Window(scan));
  } catch (error) {
    if (error instanceof NotRead) return error.outcome;
    throw error;
  }
}
