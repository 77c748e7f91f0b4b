import { boxAt, boxesIn, type ContentBox } from "./boxes.ts";
import { latin1, uint32, uint64 } from "./bytes.ts";
import type { Unreadable } from "./file.ts";
import { type FrameRate, frameRateOf, type Run } from "./frame-rate.ts";
import type { CutOff, Damaged } from "./header.ts";
import type { Parts } from "./parts.ts";
import type { Scan } from "./scan.ts";

/**
 * The fragments of an MP4 (`moof`, ISO 14496-12): cameras and browsers that record write one every few
 * seconds, and the file's header says neither how long it lasts nor how fast its frames follow. The first
 * fragment gives the rate; the duration is the time from the first fragment to the end of the last one.
 */
export interface FragmentTrack {
  readonly id: number;
  readonly isVideo: boolean;
  readonly ticksPerSecond: number;
  /** The duration of a frame where a fragment says none. */
  readonly frameTicks: number;
}

interface Fragments {
  readonly kind: "fragments";
  /** From the first to the end of the last; null if the last is not found, or none says when it starts. */
  readonly seconds: number | null;
  /** The end of the last. */
  readonly endsAt: number | null;
  readonly rate: FrameRate;
}

const HEAD_BYTES = 256 * 1024;
const TAIL_BYTES = 2 * 1024 * 1024;
/** Of the tail; more are not needed to find the last of each track. */
const MAX_FRAGMENTS = 512;
/** Of the head, for the frame rate. */
const FIRST_FRAGMENTS = 64;

/** `start`: offset after the movie header. */
export async function readFragments(
  scan: Scan,
  start: number,
  tracks: readonly FragmentTrack[],
): Promise<Fragments | CutOff | Damaged | Unreadable> {
  const head = await scan.from(start, HEAD_BYTES);
  if (head.kind !== "part") return head;
  // Some programs write a fragment for each frame.
  const first = fragmentsIn(head.body.subarray(0, HEAD_BYTES), scan.parts, FIRST_FRAGMENTS);
  const opening = first.flatMap(({ bytes }) => runsOf(bytes, tracks, scan.parts));
  const tailAt = Math.max(start, scan.length - TAIL_BYTES);
  const tail = await scan.from(tailAt, scan.length - tailAt);
  if (tail.kind !== "part") return tail;
  const found = fragmentsIn(tail.body, scan.parts, MAX_FRAGMENTS);
  const last = found.at(-1);
  if (last && isDataCutOff(tail.body, last.end)) return { kind: "cut_off" };
  const indexed = last ? null : await indexedFragment(scan, tail.body);
  if (indexed !== null && indexed.kind !== "fragment") return indexed;
  const ending = (indexed ? [indexed] : found).flatMap(({ bytes }) => runsOf(bytes, tracks, scan.parts));
  const video = opening.filter(({ track }) => track.isVideo);
  const ticksPerSecond = video[0]?.track.ticksPerSecond ?? 0;
  return {
    kind: "fragments",
    ...lasting(opening, ending, tailAt === start && found.length < MAX_FRAGMENTS),
    rate: frameRateOf(
      video.flatMap(({ runs }) => runs),
      ticksPerSecond,
    ),
  };
}

const MFRO_BYTES = 16;
const INDEXED_BYTES = 64 * 1024;

/**
 * A file of long fragments may end with an index (`mfra`), which says where the last one starts. Null without
 * one.
 */
async function indexedFragment(
  scan: Scan,
  tail: Uint8Array,
): Promise<({ readonly kind: "fragment" } & Fragment) | Damaged | Unreadable | null> {
  const mfro = tail.byteLength - MFRO_BYTES;
  if (mfro < 0 || latin1(tail, mfro + 4, 4) !== "mfro") return null;
  const index = boxAt(tail, tail.byteLength - uint32(tail, mfro + 12));
  if (index?.type !== "mfra") return null;
  const offsets = boxesIn(tail.subarray(index.start, mfro), scan.parts).flatMap(({ type, bytes }) =>
    type === "tfra" ? lastOffset(bytes) : [],
  );
  if (offsets.length === 0) return null;
  const at = Math.max(...offsets);
  const part = await scan.from(at, INDEXED_BYTES);
  if (part.kind !== "part") return part;
  const [fragment] = fragmentsIn(part.body, scan.parts, 1);
  return fragment ? { kind: "fragment", ...fragment } : null;
}

/** Of the last row: a time, the offset of a fragment, and three numbers whose sizes are stated before. */
function lastOffset(tfra: Uint8Array): readonly number[] {
  const wide = tfra[0] === 1 ? 8 : 4;
  const sizes = uint32(tfra, 8);
  const numbers = [4, 2, 0].reduce((sum, bit) => sum + ((sizes >> bit) & 3) + 1, 0);
  const rows = uint32(tfra, 12);
  const at = 16 + (rows - 1) * (2 * wide + numbers) + wide;
  if (rows === 0 || at + wide > tfra.byteLength) return [];
  return [wide === 8 ? uint64(tfra, at) : uint32(tfra, at)];
}

interface Fragment {
  /** The content of the `moof`. */
  readonly bytes: Uint8Array;
  /** Offset after it. */
  readonly end: number;
}

const MOOF = "moof";
const FIRST_BYTE = 0x6d;

/** Every fragment starts with its own header, which the same letters in a frame do not have. */
function fragmentsIn(bytes: Uint8Array, parts: Parts, most: number): readonly Fragment[] {
  const found: Fragment[] = [];
  for (let at = bytes.indexOf(FIRST_BYTE, 4); at >= 0 && found.length < most; ) {
    let next = at + 1;
    if (latin1(bytes, at, 4) === MOOF && latin1(bytes, at + 8, 4) === "mfhd") {
      parts.take();
      const box = boxAt(bytes, at - 4);
      if (box?.end) {
        found.push({ bytes: bytes.subarray(box.start, box.end), end: box.end });
        next = Math.max(next, box.end);
      }
    }
    at = bytes.indexOf(FIRST_BYTE, next);
  }
  return found;
}

/** Whether the frames of the last fragment, or its header, extend past the end of the file. */
function isDataCutOff(tail: Uint8Array, end: number): boolean {
  if (end > tail.byteLength) return true;
  const data = boxAt(tail, end);
  return data?.type === "mdat" && data.end !== null && data.end > tail.byteLength;
}

/** The frames of one track in one fragment. */
interface TrackRuns {
  readonly track: FragmentTrack;
  /** When its first frame is due, in ticks; null if the fragment does not say it. */
  readonly startsAt: number | null;
  readonly runs: readonly Run[];
}

function runsOf(moof: Uint8Array, tracks: readonly FragmentTrack[], parts: Parts): readonly TrackRuns[] {
  return boxesIn(moof, parts).flatMap(({ type, bytes }) => {
    if (type !== "traf") return [];
    const boxes = boxesIn(bytes, parts);
    const tfhd = contentOf(boxes, "tfhd");
    const track = tracks.find(({ id }) => tfhd !== null && id === uint32(tfhd, 4));
    if (tfhd === null || !track) return [];
    const tfdt = contentOf(boxes, "tfdt");
    const startsAt = tfdt && (tfdt[0] === 1 ? uint64(tfdt, 4) : uint32(tfdt, 4));
    const frameTicks = defaultTicks(tfhd) ?? track.frameTicks;
    const runs = boxes.flatMap((box) => (box.type === "trun" ? framesOf(box.bytes, frameTicks, parts) : []));
    return [{ track, startsAt, runs }];
  });
}

/** Flags say which optional fields are there, in the order of the flags. */
const [HAS_OFFSET, HAS_DESCRIPTION, HAS_DURATION] = [0x1, 0x2, 0x8];
const flagsOf = (box: Uint8Array): number => uint32(box, 0) & 0xff_ffff;

function defaultTicks(tfhd: Uint8Array): number | null {
  const flags = flagsOf(tfhd);
  if ((flags & HAS_DURATION) === 0) return null;
  return uint32(tfhd, 8 + ((flags & HAS_OFFSET) !== 0 ? 8 : 0) + ((flags & HAS_DESCRIPTION) !== 0 ? 4 : 0));
}

const FIELDS_OF_FRAMES = [0x100, 0x200, 0x400, 0x800];
const [DATA_OFFSET, FIRST_FLAGS, DURATIONS] = [0x1, 0x4, 0x100];
/** Rows of the table that one part stands for. */
const ROWS_OF_A_PART = 64;

function framesOf(trun: Uint8Array, frameTicks: number, parts: Parts): readonly Run[] {
  const flags = flagsOf(trun);
  const count = uint32(trun, 4);
  if ((flags & DURATIONS) === 0) return [{ count, ticks: frameTicks }];
  const start = 8 + ((flags & DATA_OFFSET) !== 0 ? 4 : 0) + ((flags & FIRST_FLAGS) !== 0 ? 4 : 0);
  const rowBytes = 4 * FIELDS_OF_FRAMES.filter((field) => (flags & field) !== 0).length;
  const rows = Math.min(count, Math.max(0, Math.floor((trun.byteLength - start) / rowBytes)));
  parts.take(Math.ceil(rows / ROWS_OF_A_PART));
  return Array.from({ length: rows }, (_, row) => ({ count: 1, ticks: uint32(trun, start + row * rowBytes) }));
}

/** The time of the longest track. */
function lasting(
  opening: readonly TrackRuns[],
  ending: readonly TrackRuns[],
  isAll: boolean,
): Pick<Fragments, "seconds" | "endsAt"> {
  const ends = new Map<FragmentTrack, number>();
  const start = (track: FragmentTrack): number => opening.find((one) => one.track === track)?.startsAt ?? 0;
  for (const { track, startsAt, runs } of ending) {
    const ticks = runs.reduce((sum, run) => sum + run.count * run.ticks, 0);
    // If all fragments were read, their frames are counted: times may be shifted by a few frames.
    const from = isAll ? (ends.get(track) ?? start(track)) : startsAt;
    if (from !== null) ends.set(track, Math.max(ends.get(track) ?? 0, from + ticks));
  }
  const longest = (from: (track: FragmentTrack) => number): number | null => {
    const all = [...ends].map(([track, end]) =>
      track.ticksPerSecond > 0 ? (end - from(track)) / track.ticksPerSecond : 0,
    );
    const most = Math.max(0, ...all);
    return most > 0 && Number.isFinite(most) ? most : null;
  };
  return {
    seconds: longest(start),
    endsAt: longest(() => 0),
  };
}

function contentOf(boxes: readonly ContentBox[], type: string): Uint8Array | null {
  return boxes.find((box) => box.type === type)?.bytes ?? null;
}
