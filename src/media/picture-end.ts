import { latin1, viewOf } from "./bytes.ts";
import type { Unreadable } from "./file.ts";
import { gifState, hasGifEnd } from "./gif-data.ts";
import type { CutOff, Damaged, Incomplete } from "./header.ts";
import { hasPngEnd, type PictureState, pngState } from "./png-data.ts";
import type { Scan } from "./scan.ts";

/**
 * Whether a picture is whole: decoders show a gray or black rest where one was cut off. Bytes after the end
 * are allowed: phones append videos and previews there. A PNG or GIF is read whole up to `WHOLE_BYTES`; of
 * other files the end is read, and of a JPEG that ends with something else, the rest up to `SEARCHED_BYTES`.
 */
const MB = 1024 * 1024;
const TAIL_BYTES = 64 * 1024;
const WHOLE_BYTES = 4 * MB;
const SEARCHED_BYTES = 5 * MB;

type Fault = Damaged | CutOff | Incomplete | Unreadable;

/**
 * Null for a whole picture, or if the format does not show its end. `head` are the first bytes of the file,
 * `headerEnd` the offset after a header of variable length.
 */
export async function faultOfPicture(
  mime: string,
  scan: Scan,
  head: Uint8Array,
  headerEnd: number,
): Promise<Fault | null> {
  switch (mime) {
    case "image/jpeg":
      return faultOfJpeg(scan, head, headerEnd);
    case "image/png":
      return faultOfWhole(scan, (png) => pngState(png, scan.parts), hasPngEnd);
    case "image/gif":
      return faultOfWhole(scan, (gif) => gifState(gif, scan.parts), hasGifEnd);
    case "image/webp":
      return faultOfWebp(head, scan);
    case "image/bmp":
      return faultOfBmp(head, scan.length);
    default:
      return null;
  }
}

async function faultOfWhole(
  scan: Scan,
  stateOf: (whole: Uint8Array) => PictureState | Promise<PictureState>,
  hasEnd: (tail: Uint8Array) => boolean,
): Promise<Fault | null> {
  if (scan.length <= WHOLE_BYTES) {
    const whole = await scan.from(0, scan.length);
    if (whole.kind !== "part") return whole;
    const state = await stateOf(whole.body);
    return state === "whole" ? null : { kind: state };
  }
  const tail = await scan.from(scan.length - TAIL_BYTES, TAIL_BYTES);
  if (tail.kind !== "part") return tail;
  return hasEnd(tail.body) ? null : { kind: "no_end" };
}

/** Compressed data never contain the marker of the end: it is searched in all that follows the header. */
async function faultOfJpeg(scan: Scan, head: Uint8Array, headerEnd: number): Promise<Fault | null> {
  if (hasJpegEnd(head, headerEnd)) return null;
  const tailAt = Math.max(head.byteLength - 1, scan.length - TAIL_BYTES);
  const tail = await scan.from(tailAt, scan.length - tailAt);
  if (tail.kind !== "part") return tail;
  if (hasJpegEnd(tail.body, 0)) return null;
  for (let at = head.byteLength - 1; at < tailAt; at += MB) {
    // No platform accepts such a large picture.
    if (at - head.byteLength > SEARCHED_BYTES) return null;
    const part = await scan.from(at, Math.min(MB + 1, tailAt + 1 - at));
    if (part.kind !== "part") return part;
    if (hasJpegEnd(part.body, 0)) return null;
  }
  return { kind: "no_end" };
}

function hasJpegEnd(bytes: Uint8Array, from: number): boolean {
  for (let at = from + 1; at < bytes.byteLength; at += 1) {
    if (bytes[at] === 0xd9 && bytes[at - 1] === 0xff) return true;
  }
  return false;
}

const PICTURES = ["VP8 ", "VP8L", "ANMF"];

/** The container states its length; its chunks are followed as far as the first bytes go. */
function faultOfWebp(head: Uint8Array, { length, parts }: Scan): Fault | null {
  const view = viewOf(head);
  const end = 8 + view.getUint32(4, true);
  if (end > length) return { kind: "cut_off" };
  for (let at = 12; ; ) {
    if (at + 8 > end) return { kind: "broken" };
    if (at + 8 > head.byteLength) return null;
    parts.take();
    const bytes = view.getUint32(at + 4, true);
    if (at + 8 + bytes > end) return { kind: "broken" };
    if (PICTURES.includes(latin1(head, at, 4))) return null;
    at += 8 + bytes + (bytes & 1);
  }
}

const OS2_1_BYTES = 12;
const OS2_2_BYTES = 64;
const HEADER_WITH_COMPRESSION_BYTES = 40;
/** Not compressed, with masks of the colors. In a header of OS/2 the same numbers mean a compression. */
const MASKS = [3, 6];

/**
 * The bytes of pixels follow from the size, unless they are compressed. The padding of the last row may be
 * absent.
 */
function faultOfBmp(head: Uint8Array, length: number): Fault | null {
  const view = viewOf(head);
  if (head.byteLength < OS2_2_BYTES + 14) return null;
  const headerBytes = view.getUint32(14, true);
  const isFirst = headerBytes === OS2_1_BYTES;
  const width = isFirst ? view.getUint16(18, true) : Math.abs(view.getInt32(18, true));
  const height = isFirst ? view.getUint16(20, true) : Math.abs(view.getInt32(22, true));
  const bits = view.getUint16(isFirst ? 24 : 28, true);
  const compression = headerBytes < HEADER_WITH_COMPRESSION_BYTES ? 0 : view.getUint32(30, true);
  const isPlain = compression === 0 || (headerBytes !== OS2_2_BYTES && MASKS.includes(compression));
  if (!isPlain || height === 0) return null;
  const rowBytes = Math.ceil((width * bits) / 8);
  const needed = view.getUint32(10, true) + Math.ceil(rowBytes / 4) * 4 * (height - 1) + rowBytes;
  return needed > length ? { kind: "cut_off" } : null;
}
