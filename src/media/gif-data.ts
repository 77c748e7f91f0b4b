import { latin1 } from "./bytes.ts";
import type { Parts } from "./parts.ts";
import type { PictureState } from "./png-data.ts";

/**
 * Whether a GIF (89a) is whole: its blocks, up to the trailer. As browsers do, it ends a file with a picture
 * at a block of an unknown kind, and skips empty blocks.
 */
const HEADER_BYTES = 13;
const IMAGE_BYTES = 10;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
/** Blocks of data have at most 255 bytes, so a part is a group of them. */
const BLOCKS_OF_A_PART = 16;

/** Reads a whole file. */
export function gifState(gif: Uint8Array, parts: Parts): PictureState {
  let at = HEADER_BYTES + tableBytes(gif[10] ?? 0);
  let pictures = 0;
  while (at < gif.byteLength) {
    parts.take();
    const kind = gif[at];
    if (kind === TRAILER) return pictures > 0 ? "whole" : "broken";
    if (kind === 0) {
      at += 1;
    } else if (kind === EXTENSION) {
      at = afterBlocks(gif, at + 2, parts);
    } else if (kind === IMAGE) {
      const start = at + IMAGE_BYTES + tableBytes(gif[at + 9] ?? 0) + 1;
      if (gif[start] === 0) return "broken";
      at = afterBlocks(gif, start, parts);
      pictures += 1;
    } else {
      return pictures > 0 ? "whole" : "broken";
    }
  }
  return "no_end";
}

/** Extensions that say how often an animation repeats: a GIF of one picture has none. */
const REPEATS = /NETSCAPE2\.0|ANIMEXTS1\.0/;
const BEFORE_PICTURES = 2048;

/** Whether the GIF has several pictures, by the first bytes of the file. */
export function isMovingGif(head: Uint8Array, parts: Parts): boolean {
  const tableEnd = HEADER_BYTES + tableBytes(head[10] ?? 0);
  if (REPEATS.test(latin1(head, tableEnd, BEFORE_PICTURES))) return true;
  let pictures = 0;
  for (let at = tableEnd; at < head.byteLength && pictures < 2; ) {
    parts.take();
    if (head[at] === 0) at += 1;
    else if (head[at] === EXTENSION) at = afterBlocks(head, at + 2, parts);
    else if (head[at] === IMAGE) {
      at = afterBlocks(head, at + IMAGE_BYTES + tableBytes(head[at + 9] ?? 0) + 1, parts);
      pictures += 1;
    } else break;
  }
  return pictures > 1;
}

/** Whether the file ends with its trailer; some programs fill up with zeros. */
export function hasGifEnd(tail: Uint8Array): boolean {
  return tail.findLast((byte) => byte !== 0) === TRAILER;
}

/**
 * The offset after blocks of data and the empty block that ends them; the length of the file if it ends
 * before.
 */
function afterBlocks(gif: Uint8Array, start: number, parts: Parts): number {
  let at = start;
  for (let count = 0; at < gif.byteLength; count += 1) {
    if (count % BLOCKS_OF_A_PART === 0) parts.take();
    const length = gif[at] ?? 0;
    at += 1 + length;
    if (length === 0) return at;
  }
  return gif.byteLength;
}

function tableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}
