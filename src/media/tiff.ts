import { latin1, viewOf } from "./bytes.ts";
import { type HeaderOutcome, type Size, turned } from "./header.ts";
import type { Scan } from "./scan.ts";

/**
 * TIFF 6.0: the first eight bytes point at a directory of entries, often after the picture. EXIF uses the
 * same format.
 */
interface Directory {
  readonly size: Size | null;
  /** 1: displayed as stored. 2 to 4 mirror it or turn it by half, 5 to 8 by a quarter: its sides swap. */
  readonly orientation: number;
}

const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;
/** Entries are sorted by number, and the ones we need are among the lowest. */
const MAX_ENTRIES = 256;

const WIDTH = 0x0100;
const HEIGHT = 0x0101;
const ORIENTATION = 0x0112;
const SHORT = 3;
const LONG = 4;

export async function readTiff(scan: Scan): Promise<HeaderOutcome> {
  const head = await scan.from(0, HEADER_BYTES);
  if (head.kind !== "part") return head;
  const start = directoryStart(head.body);
  if (start === null) return { kind: "damaged" };
  const part = await scan.from(start, 2 + MAX_ENTRIES * ENTRY_BYTES);
  if (part.kind !== "part") return part;
  const { size, orientation } = readDirectory(part.body, isLittle(head.body));
  return size === null
    ? { kind: "damaged" }
    : { kind: "header", size: swapsSides(orientation) ? turned(size) : size, durationSeconds: null };
}

/** How the EXIF block turns the picture; `tiff` starts with the byte order. */
export function exifOrientation(tiff: Uint8Array): number {
  const start = directoryStart(tiff);
  return start === null ? 1 : readDirectory(tiff.subarray(start), isLittle(tiff)).orientation;
}

/** By a quarter, so that the sides swap. */
export const swapsSides = (orientation: number): boolean => orientation >= 5 && orientation <= 8;

function directoryStart(bytes: Uint8Array): number | null {
  return bytes.byteLength < HEADER_BYTES ? null : viewOf(bytes).getUint32(4, isLittle(bytes));
}

function isLittle(bytes: Uint8Array): boolean {
  return latin1(bytes, 0, 2) === "II";
}

/** Reads the first entries, as far as the bytes go. */
function readDirectory(bytes: Uint8Array, little: boolean): Directory {
  const view = viewOf(bytes);
  const values = new Map<number, number>();
  const count = bytes.byteLength < 2 ? 0 : Math.min(view.getUint16(0, little), MAX_ENTRIES);
  for (let index = 0; index < count; index += 1) {
    const entry = 2 + index * ENTRY_BYTES;
    if (entry + ENTRY_BYTES > bytes.byteLength) break;
    const type = view.getUint16(entry + 2, little);
    const at = entry + 8;
    const value = type === SHORT ? view.getUint16(at, little) : type === LONG ? view.getUint32(at, little) : null;
    if (value !== null) values.set(view.getUint16(entry, little), value);
  }
  const [width, height] = [values.get(WIDTH), values.get(HEIGHT)];
  const size = width === undefined || height === undefined ? null : { width, height };
  const orientation = values.get(ORIENTATION) ?? 1;
  return { size, orientation: orientation >= 1 && orientation <= 8 ? orientation : 1 };
}
