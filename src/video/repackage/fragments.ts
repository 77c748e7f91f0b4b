import { boxesIn, type ContentBox } from "../../media/boxes.ts";
import { uint32, uint64, viewOf } from "../../media/bytes.ts";
import type { Parts } from "../../media/parts.ts";
import { chunksOf, sizesOf } from "./sample-tables.ts";
import { countOf, longOf, type TrackDefaults } from "./tracks.ts";
import { cutOff, damaged } from "./unfit.ts";
import type { WrittenTrack } from "./written-track.ts";

/** The frames that the header of a fragmented file has itself: some programs write the first ones there. */
export function addOwnFrames(written: WrittenTrack, fileBytes: number, parts: Parts): void {
  const { tables } = written.track;
  const count = countOf(tables);
  if (count === 0) return;
  const sizes = sizesOf(tables, count, parts);
  const ticks = runsOf(tables.get("stts"), count);
  const shifts = runsOf(tables.get("ctts"), count);
  const keys = keysOf(tables.get("stss"));
  let sample = 0;
  for (const chunk of chunksOf(tables, count, parts)) {
    if (chunk.offset + chunk.size > fileBytes) throw cutOff();
    written.addData(chunk.offset, chunk.size, chunk.samples, chunk.description);
    for (let left = chunk.samples; left > 0; left -= 1, sample += 1) {
      written.addSample(sizes.of(sample), ticks.next() ?? 0, (shifts.next() ?? 0) | 0, keys(sample + 1));
    }
  }
  if (sample < count) throw damaged();
}

/** The numbers of a run-length table, one after the other. */
function runsOf(table: Uint8Array | undefined, count: number): { next(): number | undefined } {
  const rows = table ? Math.min(uint32(table, 4), Math.floor((table.byteLength - 8) / 8), count) : 0;
  let row = -1;
  let left = 0;
  return {
    next() {
      while (left === 0) {
        row += 1;
        if (!table || row >= rows) return undefined;
        left = uint32(table, 8 + row * 8);
      }
      left -= 1;
      return table ? uint32(table, 12 + row * 8) : undefined;
    },
  };
}

/** Whether a frame is a key frame; called with ascending numbers. Without a table, all are. */
function keysOf(stss: Uint8Array | undefined): (number: number) => boolean {
  if (!stss) return () => true;
  const rows = Math.min(uint32(stss, 4), Math.floor((stss.byteLength - 8) / 4));
  let row = 0;
  return (number) => {
    while (row < rows && uint32(stss, 8 + row * 4) < number) row += 1;
    return row < rows && uint32(stss, 8 + row * 4) === number;
  };
}

export interface FragmentedFile {
  readonly written: readonly WrittenTrack[];
  readonly defaults: readonly TrackDefaults[];
  readonly bytes: number;
}

/** Adds the frames of one fragment: `moof` is the content of the box at the offset `at` of the file. */
export function addFragment(
  { written, defaults, bytes }: FragmentedFile,
  moof: Uint8Array,
  at: number,
  parts: Parts,
): void {
  // Without a stated base, the data of a track follow those of the track before.
  let implicit = at;
  for (const traf of boxesIn(moof, parts)) {
    if (traf.type !== "traf") continue;
    const boxes = boxesIn(traf.bytes, parts, MAX_RUNS);
    const tfhd = boxes.find(({ type }) => type === "tfhd");
    if (!tfhd) throw damaged();
    const track = written.find(({ track: { id } }) => id === uint32(tfhd.bytes, 4));
    const own = headerOf(tfhd.bytes, defaults);
    const tfdt = boxes.find(({ type }) => type === "tfdt");
    if (track && tfdt) track.moveTo(longOf(tfdt.bytes, 4));
    const base = own.base ?? (own.isBaseMoof ? at : implicit);
    let next = base;
    for (const run of boxes) {
      if (run.type === "trun") next = addRun(run, { track, own, base, next, bytes }, parts);
    }
    implicit = next;
  }
}

/** More than a fragment of any program has. */
const MAX_RUNS = 4096;

interface Header {
  readonly base: number | null;
  readonly isBaseMoof: boolean;
  readonly description: number;
  readonly ticks: number;
  readonly size: number;
  readonly flags: number;
}

/** Flags say which optional fields are there, in the order of the flags. */
const flagsOf = (box: Uint8Array): number => uint32(box, 0) & 0xff_ffff;

function headerOf(tfhd: Uint8Array, defaults: readonly TrackDefaults[]): Header {
  const flags = flagsOf(tfhd);
  const known = defaults.find(({ id }) => id === uint32(tfhd, 4));
  let at = 8;
  const field = (bit: number): number | null => {
    if ((flags & bit) === 0) return null;
    at += 4;
    return uint32(tfhd, at - 4);
  };
  const hasBase = (flags & 1) !== 0;
  const base = hasBase ? uint64(tfhd, at) : null;
  if (hasBase) at += 8;
  return {
    base,
    isBaseMoof: (flags & 0x20000) !== 0,
    description: field(0x2) ?? known?.description ?? 1,
    ticks: field(0x8) ?? known?.ticks ?? 0,
    size: field(0x10) ?? known?.size ?? 0,
    flags: field(0x20) ?? known?.flags ?? 0,
  };
}

interface RunPlace {
  /** Undefined for a track that is left out. */
  readonly track: WrittenTrack | undefined;
  readonly own: Header;
  /** What the run's own offset counts from. */
  readonly base: number;
  /** Where its data are if it has none. */
  readonly next: number;
  readonly bytes: number;
}

const IS_NO_KEY = 0x10000;
/** Rows of the table that one part stands for. */
const ROWS_OF_A_PART = 64;

/** Returns the offset after the run's data. */
function addRun({ bytes: trun }: ContentBox, { track, own, base, next, bytes }: RunPlace, parts: Parts): number {
  const flags = flagsOf(trun);
  const count = uint32(trun, 4);
  const has = (bit: number): boolean => (flags & bit) !== 0;
  const view = viewOf(trun);
  const first = 8 + (has(0x1) ? 4 : 0) + (has(0x4) ? 4 : 0);
  const rowBytes = [0x100, 0x200, 0x400, 0x800].reduce((sum, bit) => sum + (has(bit) ? 4 : 0), 0);
  if (trun.byteLength < first + count * rowBytes) throw damaged();
  const start = has(0x1) ? base + view.getInt32(8) : next;
  if (start < 0) throw damaged();
  // Rows without fields cost no bytes of the file: their frames must have some.
  if (rowBytes === 0 && own.size === 0 && count > 0) throw damaged();
  if (!has(0x200) && start + count * own.size > bytes) throw cutOff();
  parts.take(Math.ceil(count / ROWS_OF_A_PART));
  let size = 0;
  for (let row = 0, at = first; row < count; row += 1) {
    const field = (bit: number, otherwise: number): number => {
      if (!has(bit)) return otherwise;
      at += 4;
      return view.getUint32(at - 4);
    };
    const ticks = field(0x100, own.ticks);
    const own_ = field(0x200, own.size);
    const otherFlags = row === 0 && has(0x4) ? view.getUint32(first - 4) : own.flags;
    const isKey = (field(0x400, otherFlags) & IS_NO_KEY) === 0;
    // Unsigned in the first version, but programs write negative ones there as well.
    const shift = field(0x800, 0) | 0;
    size += own_;
    track?.addSample(own_, ticks, shift, isKey);
  }
  if (start + size > bytes) throw cutOff();
  track?.addData(start, size, count, own.description);
  return start + size;
}
