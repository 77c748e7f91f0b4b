import { latin1, viewOf } from "./bytes.ts";
import { isMovingGif } from "./gif-data.ts";
import { area, type HeaderOutcome, isTooLarge, type Size } from "./header.ts";
import { type Frame, jpegFrame } from "./jpeg.ts";
import { Parts } from "./parts.ts";
import { faultOfPicture } from "./picture-end.ts";
import type { Scan } from "./scan.ts";

const MB = 1024 * 1024;
/** How much of a JPEG is read, in turn. EXIF blocks, previews and color profiles precede the size. */
const JPEG_HEADS = [0, MB, 2 * MB];
const HEADS = [0];

/**
 * Reads the size of formats that have it near the beginning, and checks that the picture is whole. If more
 * other data precedes the size than is read, it stays unknown.
 */
export async function readPicture(mime: string, scan: Scan): Promise<HeaderOutcome> {
  for (const wanted of mime === "image/jpeg" ? JPEG_HEADS : HEADS) {
    const head = await scan.from(0, wanted);
    if (head.kind !== "part") return head;
    const found = pictureHeader(mime, head.body, scan.parts);
    if (found === "damaged") return { kind: "damaged" };
    if (found !== null) {
      const { size, picture } = found;
      const isChecked = !isTooLarge(size) && area(size) > 0;
      const fault = isChecked ? await faultOfPicture(mime, scan, head.body, found.end) : null;
      const isMoving = mime === "image/gif" && isMovingGif(head.body, scan.parts);
      return fault ?? { kind: "header", size, durationSeconds: null, isMoving, ...(picture && { picture }) };
    }
    if (head.body.byteLength === scan.length) return { kind: "damaged" };
  }
  return { kind: "header", size: null, durationSeconds: null };
}

/** Width and height of an image from its first bytes; null if the bytes end before the size. */
export function imageSize(mime: string, head: Uint8Array, parts = new Parts()): Size | "damaged" | null {
  const found = pictureHeader(mime, head, parts);
  return found === null || found === "damaged" ? found : found.size;
}

/** `end`: offset after a header of variable length, 0 for other formats. */
function pictureHeader(mime: string, head: Uint8Array, parts: Parts): Frame | "damaged" | null {
  const view = viewOf(head);
  const fixed = (size: Size): Frame => ({ size, end: 0 });
  try {
    switch (mime) {
      case "image/png":
        return { ...fixed({ width: view.getUint32(16), height: view.getUint32(20) }), ...animated(isApng(head)) };
      case "image/gif":
        return fixed({ width: view.getUint16(6, true), height: view.getUint16(8, true) });
      case "image/bmp":
        return fixed(bmpSize(view));
      case "image/webp": {
        const size = webpSize(view, latin1(head, 12, 4));
        return size === "damaged" ? size : { ...fixed(size), ...animated(isAnimatedWebp(head)) };
      }
      case "image/jpeg":
        return jpegFrame(head, parts);
      default:
        return "damaged";
    }
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const animated = (isAnimated: boolean): Pick<Frame, "picture"> =>
  isAnimated ? { picture: { isCmyk: false, isTurned: false, isAnimated } } : {};

/** The chunk that makes a PNG move precedes the pixels, mostly directly behind the header. */
const isApng = (head: Uint8Array): boolean => latin1(head, 0, APNG_HEAD_BYTES).includes("acTL");
const APNG_HEAD_BYTES = 1024;
/** A flag of the extended header. */
const isAnimatedWebp = (head: Uint8Array): boolean => latin1(head, 12, 4) === "VP8X" && ((head[20] ?? 0) & 0x02) !== 0;

/** The first header, of OS/2, has sides of 16 bits. */
const OS2_HEADER_BYTES = 12;

function bmpSize(view: DataView): Size {
  if (view.getUint32(14, true) === OS2_HEADER_BYTES) {
    return { width: view.getUint16(18, true), height: view.getUint16(20, true) };
  }
  return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
}

function webpSize(view: DataView, chunk: string): Size | "damaged" {
  const uint24 = (offset: number) => view.getUint16(offset, true) + view.getUint8(offset + 2) * 65_536;
  if (chunk === "VP8X") return { width: uint24(24) + 1, height: uint24(27) + 1 };
  if (chunk === "VP8 ") return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (chunk !== "VP8L") return "damaged";
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
