import { uint32, uint64 } from "../../media/bytes.ts";
import type { Parts } from "../../media/parts.ts";
import type { Chunks } from "./chunks.ts";
import { countOf, type Track } from "./tracks.ts";
import { cutOff, damaged, tooComplex } from "./unfit.ts";

/**
 * The tables of an ordinary file (`stbl`): they are copied, except for the offsets of the chunks. Rows that a
 * table states and does not have are refused.
 */

/** More frames than two hours of a fast video with its sound have. */
export const MAX_SAMPLES = 2_000_000;
/** Rows of a table that one part stands for. */
const ROWS_OF_A_PART = 64;

/** Bytes of a row, and of what precedes the rows. */
const ROWS: Readonly<Record<string, readonly [row: number, before: number]>> = {
  stts: [8, 8],
  ctts: [8, 8],
  stss: [4, 8],
  stsc: [12, 8],
  stco: [4, 8],
  co64: [8, 8],
};

interface Target {
  readonly chunks: Chunks;
  /** The length of the source. */
  readonly fileBytes: number;
  readonly parts: Parts;
}

/** Adds the chunks of the track. `number`: its number among the chunks. */
export function addChunks({ chunks, fileBytes, parts }: Target, { tables }: Track, number: number): void {
  for (const [type, [row, before]] of Object.entries(ROWS)) {
    const table = tables.get(type);
    if (!table) continue;
    const rows = uint32(table, 4);
    if (table.byteLength < before + rows * row) throw damaged();
    parts.take(Math.ceil(rows / ROWS_OF_A_PART));
  }
  const count = countOf(tables);
  if (count > MAX_SAMPLES) throw tooComplex();
  let added = 0;
  for (const chunk of chunksOf(tables, count, parts)) {
    if (chunk.offset + chunk.size > fileBytes) throw cutOff();
    chunks.add(number, chunk.offset, chunk.size);
    added += chunk.samples;
  }
  if (added < count) throw damaged();
}

export interface Chunk {
  readonly offset: number;
  readonly size: number;
  readonly samples: number;
  /** The number of the description of its frames. */
  readonly description: number;
}

/** In the order of the track. */
export function* chunksOf(tables: ReadonlyMap<string, Uint8Array>, count: number, parts: Parts): Generator<Chunk> {
  const sizes = sizesOf(tables, count, parts);
  const [short, long] = [tables.get("stco"), tables.get("co64")];
  const offsets = short ?? long;
  const runs = tables.get("stsc");
  if (!offsets || !runs) throw damaged();
  const rows = uint32(runs, 4);
  let run = 0;
  let sample = 0;
  for (let chunk = 0; chunk < uint32(offsets, 4) && sample < count; chunk += 1) {
    while (run + 1 < rows && uint32(runs, 8 + (run + 1) * 12) <= chunk + 1) run += 1;
    const offset = short ? uint32(short, 8 + chunk * 4) : uint64(offsets, 8 + chunk * 8);
    const samples = Math.min(uint32(runs, 12 + run * 12), count - sample);
    if (rows === 0 || !Number.isSafeInteger(offset)) throw damaged();
    const description = uint32(runs, 16 + run * 12);
    yield { offset, size: sizes.sum(sample, sample + samples), samples, description };
    sample += samples;
  }
}

export interface Sizes {
  of(sample: number): number;
  /** Of the frames [from, to). */
  sum(from: number, to: number): number;
}

/** The sizes of `count` frames, from a table of 32 bits (`stsz`), or of 4, 8 or 16 (`stz2`). */
export function sizesOf(tables: ReadonlyMap<string, Uint8Array>, count: number, parts: Parts): Sizes {
  const wide = tables.get("stsz");
  const narrow = tables.get("stz2");
  const uniform = wide ? uint32(wide, 4) : 0;
  if (uniform > 0) return { of: () => uniform, sum: (from, to) => (to - from) * uniform };
  const bits = wide ? 32 : (narrow?.[7] ?? 0);
  const table = wide ?? narrow;
  if (!table || ![4, 8, 16, 32].includes(bits) || table.byteLength < 12 + (count * bits) / 8) throw damaged();
  parts.take(Math.ceil(count / ROWS_OF_A_PART));
  const of = (sample: number): number => {
    if (bits === 32) return uint32(table, 12 + sample * 4);
    const byte = table[12 + Math.floor((sample * bits) / 8)] ?? 0;
    if (bits === 8) return byte;
    if (bits === 4) return sample % 2 === 0 ? byte >> 4 : byte & 15;
    return byte * 256 + (table[13 + sample * 2] ?? 0);
  };
  const sum = (from: number, to: number): number => {
    let bytes = 0;
    for (let sample = from; sample < to; sample += 1) bytes += of(sample);
    return bytes;
  };
  return { of, sum };
}
