import type { PictureFacts } from "../platforms/rules.ts";
import { viewOf } from "./bytes.ts";
import { type Size, turned } from "./header.ts";
import type { Parts } from "./parts.ts";
import { exifOrientation, swapsSides } from "./tiff.ts";

/**
 * The segments of a JPEG (ISO 10918-1) up to the frame header, which has the size. Bytes between two segments
 * are skipped, as every decoder does: some cameras and programs write a few there.
 */
export interface Segment {
  readonly kind: number;
  /** Offset of the content, after the length. */
  readonly start: number;
  readonly end: number;
}

const CMYK_COMPONENTS = 4;
export const END = 0xd9;
export const SCAN = 0xda;
export const APP1 = 0xe1;
/** Markers without a content: the start, restarts, and one for temporary use. */
const isBare = (kind: number): boolean => kind === 0x01 || (kind >= 0xd0 && kind <= 0xd8);
export const isFrame = (kind: number): boolean =>
  kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;

/** Throws a `RangeError` if the bytes end before the last segment. */
export function* segmentsOf(bytes: Uint8Array, parts: Parts): Generator<Segment> {
  const view = viewOf(bytes);
  for (let offset = 2; ; ) {
    parts.take();
    const at = bytes.indexOf(0xff, offset);
    if (at < 0) throw new RangeError("The bytes end between two segments.");
    const kind = view.getUint8(at + 1);
    // Any number of these bytes may precede a marker; a zero after one makes it no marker.
    offset = kind === 0xff ? at + 1 : at + 2;
    if (kind === 0xff || kind === 0 || isBare(kind)) continue;
    const end = kind === END ? at + 2 : at + 2 + view.getUint16(at + 2);
    yield { kind, start: at + 4, end };
    if (kind === END || kind === SCAN) return;
    offset = end;
  }
}

/** `end`: offset after the frame header. */
export interface Frame {
  readonly size: Size;
  readonly end: number;
  readonly picture?: PictureFacts | undefined;
}

/**
 * The frame header. EXIF may rotate the picture by a quarter turn, which swaps the sides. Throws a
 * `RangeError` if the bytes end before.
 */
export function jpegFrame(bytes: Uint8Array, parts: Parts): Frame | "damaged" {
  const view = viewOf(bytes);
  // Only the first EXIF segment counts: a file may have thousands, each with a directory of thousands of
  // entries.
  let orientation: number | null = null;
  for (const { kind, start, end } of segmentsOf(bytes, parts)) {
    if (isFrame(kind)) {
      const size = { height: view.getUint16(start + 1), width: view.getUint16(start + 3) };
      const isCmyk = view.getUint8(start + 5) === CMYK_COMPONENTS;
      const isTurned = orientation !== null && orientation >= 2 && orientation <= 8;
      const unusual = isCmyk || isTurned ? { picture: { isCmyk, isTurned, isAnimated: false } } : {};
      return { size: orientation !== null && swapsSides(orientation) ? turned(size) : size, end, ...unusual };
    }
    if (kind === APP1 && view.getUint32(start) === 0x45786966) {
      orientation ??= exifOrientation(bytes.subarray(start + 6, end));
    }
  }
  return "damaged";
}
