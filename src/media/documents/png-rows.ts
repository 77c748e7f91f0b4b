import { PASSES } from "../png-data.ts";
import { UnfitPicture } from "./pdf-page.ts";
import { unfilterRow } from "./pdf-stream.ts";

/** Decodes a PNG to rows of 8 bits a sample, on white, and compresses them again. */
export interface Png {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  /** Of the header: 0 gray, 2 RGB, 3 indexed, 4 gray and 6 RGB with alpha. */
  readonly type: number;
  readonly samples: number;
  readonly pixels: readonly Uint8Array[];
  /** On white. */
  readonly palette: Uint8Array;
  /** The chunk that makes one color transparent, or colors of the palette. */
  readonly alpha: Uint8Array;
}

/** An interlaced picture is held in memory. */
const MAX_HELD_BYTES = 24 * 1024 * 1024;
const WRITTEN_BYTES = 64 * 1024;

const colorsOf = ({ type }: Png): 1 | 3 => (type === 0 || type === 4 ? 1 : 3);

/** The data of FlateDecode with a predictor: each row begins with its filter. */
export function plainRows(png: Png, isInterlaced: boolean): AsyncIterable<Uint8Array> {
  return compressed(isInterlaced ? interlacedRows(png) : rows(png));
}

async function* rows(png: Png): AsyncGenerator<Uint8Array> {
  const colors = colorsOf(png);
  const source = new Source(png.pixels);
  const read = reader(png, source, png.width);
  let above = new Uint8Array(png.width * colors);
  for (let row = 0; row < png.height; row += 1) {
    const line = new Uint8Array(png.width * colors);
    paint(png, await read(), { out: line, at: 0, step: colors, count: png.width });
    yield filtered(line, above);
    above = line;
  }
}

async function* interlacedRows(png: Png): AsyncGenerator<Uint8Array> {
  const colors = colorsOf(png);
  const rowBytes = png.width * colors;
  if (rowBytes * png.height > MAX_HELD_BYTES) throw new UnfitPicture("it is interlaced and too large");
  const whole = new Uint8Array(rowBytes * png.height);
  const source = new Source(png.pixels);
  for (const [x, y, dx, dy] of PASSES) {
    const columns = Math.ceil((png.width - x) / dx);
    if (columns <= 0) continue;
    const read = reader(png, source, columns);
    for (let row = y; row < png.height; row += dy) {
      paint(png, await read(), { out: whole, at: row * rowBytes + x * colors, step: dx * colors, count: columns });
    }
  }
  let above = new Uint8Array(rowBytes);
  for (let row = 0; row < png.height; row += 1) {
    const line = whole.subarray(row * rowBytes, (row + 1) * rowBytes);
    yield filtered(line, above);
    above = line;
  }
}

/** Reads the rows of a picture, or of one pass of it. */
function reader({ depth, samples }: Png, source: Source, columns: number): () => Promise<Uint8Array> {
  const rowBytes = Math.ceil((columns * samples * depth) / 8);
  const pixelBytes = Math.max(1, (samples * depth) >> 3);
  let above = new Uint8Array(rowBytes);
  return async () => {
    const bytes = await source.take(rowBytes + 1);
    const line = bytes.subarray(1);
    unfilterRow(bytes[0] ?? 0, line, above, pixelBytes);
    above = line;
    return line;
  };
}

/** Where the pixels of a row go: from `at` on, each `step` bytes after the one before. */
interface Target {
  readonly out: Uint8Array;
  readonly at: number;
  readonly step: number;
  readonly count: number;
}

/** Writes the pixels of a row on white. */
function paint(png: Png, line: Uint8Array, { out, at, step, count }: Target): void {
  const { type, samples, depth, palette } = png;
  const colors = colorsOf(png);
  const isClear = clearTest(png);
  for (let pixel = 0, to = at; pixel < count; pixel += 1, to += step) {
    if (type === 3) {
      const index = sampleAt(line, pixel, depth) * 3;
      for (let color = 0; color < 3; color += 1) out[to + color] = palette[index + color] ?? 0;
      continue;
    }
    const opacity = isClear(line, pixel)
      ? 0
      : samples % 2 === 0
        ? byteAt(png, line, pixel * samples + samples - 1)
        : 255;
    for (let color = 0; color < colors; color += 1) {
      const value = byteAt(png, line, pixel * samples + color);
      out[to + color] = opacity === 255 ? value : Math.round((value * opacity + 255 * (255 - opacity)) / 255);
    }
  }
}

/** Whether a pixel has the color that stands for nothing. */
function clearTest({ type, samples, depth, alpha }: Png): (line: Uint8Array, pixel: number) => boolean {
  if ((type !== 0 && type !== 2) || alpha.byteLength < samples * 2) return () => false;
  const view = new DataView(alpha.buffer, alpha.byteOffset, alpha.byteLength);
  return (line, pixel) => {
    for (let sample = 0; sample < samples; sample += 1) {
      if (sampleAt(line, pixel * samples + sample, depth) !== view.getUint16(sample * 2)) return false;
    }
    return true;
  };
}

function sampleAt(line: Uint8Array, index: number, depth: number): number {
  if (depth === 8) return line[index] ?? 0;
  if (depth === 16) return ((line[index * 2] ?? 0) << 8) | (line[index * 2 + 1] ?? 0);
  const bit = index * depth;
  return ((line[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
}

/** The sample with 8 bits. */
function byteAt({ depth }: Png, line: Uint8Array, index: number): number {
  if (depth === 8) return line[index] ?? 0;
  if (depth === 16) return line[index * 2] ?? 0;
  return Math.round((sampleAt(line, index, depth) * 255) / ((1 << depth) - 1));
}

const UP = 2;

/** The row with the filter that compresses most pictures well. */
function filtered(line: Uint8Array, above: Uint8Array): Uint8Array {
  const out = new Uint8Array(line.byteLength + 1);
  out[0] = UP;
  for (let at = 0; at < line.byteLength; at += 1) out[at + 1] = (line[at] ?? 0) - (above[at] ?? 0);
  return out;
}

/** The decompressed data of a picture, in order. */
class Source {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #held = new Uint8Array();
  #at = 0;

  constructor(pixels: readonly Uint8Array[]) {
    const packed = new Blob(pixels.map((part) => new Uint8Array(part))).stream();
    this.#reader = packed.pipeThrough(new DecompressionStream("deflate")).getReader();
  }

  /** The next bytes; zeros where the data end early. */
  async take(count: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(count);
    for (let filled = 0; filled < count; ) {
      if (this.#at === this.#held.byteLength && !(await this.#next())) break;
      const part = this.#held.subarray(this.#at, this.#at + count - filled);
      bytes.set(part, filled);
      filled += part.byteLength;
      this.#at += part.byteLength;
    }
    return bytes;
  }

  async #next(): Promise<boolean> {
    // Data that cannot be decompressed end here: decoders show what came before.
    const { done, value } = await this.#reader.read().catch(() => ({ done: true, value: undefined }));
    if (done || value === undefined) return false;
    this.#held = new Uint8Array(value);
    this.#at = 0;
    return true;
  }
}

async function* compressed(lines: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new CompressionStream("deflate");
  const written = write(lines, writable.getWriter());
  // The reader of the other end gets the error.
  written.catch(() => undefined);
  const reader = readable.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  await written;
}

async function write(
  lines: AsyncIterable<Uint8Array>,
  writer: WritableStreamDefaultWriter<BufferSource>,
): Promise<void> {
  try {
    let held = new Uint8Array(WRITTEN_BYTES);
    let size = 0;
    for await (const line of lines) {
      if (size + line.byteLength > held.byteLength) {
        await writer.write(held.subarray(0, size));
        held = new Uint8Array(Math.max(WRITTEN_BYTES, line.byteLength));
        size = 0;
      }
      held.set(line, size);
      size += line.byteLength;
    }
    await writer.write(held.subarray(0, size));
    await writer.close();
  } catch (error) {
    await writer.abort(error);
    throw error;
  }
}
