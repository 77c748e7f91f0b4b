import { latin1, viewOf } from "./bytes.ts";
import { type HeaderOutcome, type Size, turned } from "./header.ts";
import { Parts } from "./parts.ts";
import type { Scan } from "./scan.ts";
import { isExifTurned } from "./tiff.ts";

const MB = 1024 * 1024;
/** How much of a JPEG is read, in turn. EXIF blocks, previews and color profiles precede the size. */
const JPEG_HEADS = [0, MB, 2 * MB];
const HEADS = [0];

/**
 * Reads the size of formats that have it near the beginning. If more other data precedes it than is read, the
 * size stays unknown.
 */
export async function readPicture(mime: string, scan: Scan): Promise<HeaderOutcome> {
  for (const wanted of mime === "image/jpeg" ? JPEG_HEADS : HEADS) {
    const head = await scan.from(0, wanted);
    if (head.kind !== "part") return head;
    const size = imageSize(mime, head.body, scan.parts);
    if (size === "damaged") return { kind: "damaged" };
    if (size !== null) return { kind: "header", size, durationSeconds: null };
    if (head.body.byteLength === scan.length) return { kind: "damaged" };
  }
  return { kind: "header", size: null, durationSeconds: null };
}

/** Width and height of an image from its first bytes; null if the bytes end before the size. */
export function imageSize(mime: string, head: Uint8Array, parts = new Parts()): Size | "damaged" | null {
  const view = viewOf(head);
  try {
    switch (mime) {
      case "image/png":
        return { width: view.getUint32(16), height: view.getUint32(20) };
      case "image/gif":
        return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
      case "image/bmp":
        return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
      case "image/webp":
        return webpSize(view, latin1(head, 12, 4));
      case "image/jpeg":
        return jpegSize(head, parts);
      default:
        return "damaged";
    }
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function webpSize(view: DataView, chunk: string): Size | "damaged" {
  const uint24 = (offset: number) => view.getUint16(offset, true) + view.getUint8(offset + 2) * 65_536;
  if (chunk === "VP8X") return { width: uint24(24) + 1, height: uint24(27) + 1 };
  if (chunk === "VP8 ") return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (chunk !== "VP8L") return "damaged";
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/**
 * Goes through the segments to the frame header. EXIF may rotate the picture by a quarter turn, which swaps
 * the sides.
 */
function jpegSize(bytes: Uint8Array, parts: Parts): Size | "damaged" {
  const view = viewOf(bytes);
  let offset = 2;
  // Only the first EXIF segment counts: a file may have thousands, each with a directory of thousands of
  // entries.
  let isTurned: boolean | null = null;
  for (;;) {
    parts.take();
    const marker = view.getUint16(offset);
    if (marker >> 8 !== 0xff) return "damaged";
    const kind = marker & 0xff;
    if (kind === 0xff) {
      offset += 1;
      continue;
    }
    const isFrame = kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;
    if (isFrame) {
      const [height, width] = [view.getUint16(offset + 5), view.getUint16(offset + 7)];
      return isTurned ? turned({ width, height }) : { width, height };
    }
    const end = offset + 2 + view.getUint16(offset + 2);
    if (kind === 0xe1 && view.getUint32(offset + 4) === 0x45786966) {
      isTurned ??= isExifTurned(bytes.subarray(offset + 10, end));
    }
    offset = end;
  }
}
