import { latin1, uint32 } from "./bytes.ts";
import { crc32 } from "./crc32.ts";
import type { Parts } from "./parts.ts";

/**
 * Whether a PNG (ISO 15948) is whole: its chunks, their checksums, and its pixels. As decoders do, it ignores
 * what follows the last chunk, and damage in chunks without pixels.
 */
const SIGNATURE_BYTES = 8;
const CHUNK_BYTES = 12;
const IEND = "IEND";
/** Pixels are decompressed up to this size: it takes about 20 milliseconds. Larger ones are not counted. */
const MAX_RAW_BYTES = 8 * 1024 * 1024;

/** Samples of a pixel, and the bits that each may have, by color type. */
const COLOR_TYPES: Readonly<Record<number, readonly [samples: number, depths: readonly number[]]>> = {
  0: [1, [1, 2, 4, 8, 16]],
  2: [3, [8, 16]],
  3: [1, [1, 2, 4, 8]],
  4: [2, [8, 16]],
  6: [4, [8, 16]],
};
const INDEXED = 3;

export type PictureState = "whole" | "no_end" | "broken";

/** Reads a whole file. */
export async function pngState(png: Uint8Array, parts: Parts): Promise<PictureState> {
  const pixels: Uint8Array[] = [];
  let header: Uint8Array | null = null;
  let hasPalette = false;
  for (let at = SIGNATURE_BYTES; ; ) {
    parts.take();
    const end = at + CHUNK_BYTES + uint32(png, at);
    if (at + CHUNK_BYTES > png.byteLength || end > png.byteLength) return "no_end";
    const type = latin1(png, at + 4, 4);
    // Critical chunks begin with a capital letter.
    if (/^[A-Z]/.test(type) && crc32(png.subarray(at + 4, end - 4)) !== uint32(png, end - 4)) return "broken";
    const content = png.subarray(at + 8, end - 4);
    if (header === null && (type !== "IHDR" || !isHeader(content))) return "broken";
    if (type === "IHDR") header ??= content;
    if (type === "PLTE") hasPalette = true;
    if (type === "IDAT") pixels.push(content);
    at = end;
    if (type === IEND) break;
  }
  if (header === null || pixels.length === 0 || (header[9] === INDEXED && !hasPalette)) return "broken";
  const raw = rawBytes(header);
  return raw <= MAX_RAW_BYTES && !(await inflatesTo(pixels, raw)) ? "broken" : "whole";
}

/** Whether the last bytes of a file have the last chunk. */
export function hasPngEnd(tail: Uint8Array): boolean {
  for (let at = tail.lastIndexOf(0x49); at > 0; at = tail.lastIndexOf(0x49, at - 1)) {
    if (latin1(tail, at, 4) === IEND) return true;
  }
  return false;
}

function isHeader(content: Uint8Array): boolean {
  const [, depths] = COLOR_TYPES[content[9] ?? -1] ?? [];
  return content.byteLength === 13 && depths !== undefined && depths.includes(content[8] ?? 0);
}

/** First column, first row, and their steps, of the seven passes of an interlaced picture. */
export const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** The bytes of the pixels before compression; each row begins with the number of its filter. */
function rawBytes(header: Uint8Array): number {
  const [width, height] = [uint32(header, 0), uint32(header, 4)];
  const [samples] = COLOR_TYPES[header[9] ?? -1] ?? [0];
  const bits = samples * (header[8] ?? 0);
  const part = (columns: number, rows: number) => (columns > 0 ? rows * (1 + Math.ceil((columns * bits) / 8)) : 0);
  if (header[12] !== 1) return part(width, height);
  const count = (length: number, start: number, step: number) => Math.max(0, Math.ceil((length - start) / step));
  return PASSES.reduce((sum, [x, y, dx, dy]) => sum + part(count(width, x, dx), count(height, y, dy)), 0);
}

/** Whether the data decompress to so many bytes at least. What follows them is not read. */
async function inflatesTo(pixels: readonly Uint8Array[], wanted: number): Promise<boolean> {
  const source = new Blob(pixels.map((part) => new Uint8Array(part))).stream();
  const reader = source.pipeThrough(new DecompressionStream("deflate")).getReader();
  let count = 0;
  try {
    while (count < wanted) {
      const { done, value } = await reader.read();
      if (done) break;
      count += value.byteLength;
    }
    if (count >= wanted) await reader.cancel();
  } catch {
    // Data that cannot be decompressed end here. What was read before counts.
  }
  return count >= wanted;
}
