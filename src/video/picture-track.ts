import { boxesIn } from "../media/boxes.ts";
import { latin1, uint16, uint32, uint64, viewOf } from "../media/bytes.ts";
import { boxOn, tracksOf } from "./boxes.ts";
import { type Unusable, unusable } from "./unusable.ts";

/**
 * The encoded pictures of an MP4, in place. Whatever its tables say, the work is limited by their bytes and
 * `MAX_FRAMES`.
 */
export interface Pictures {
  readonly kind: "pictures";
  readonly ticksPerSecond: number;
  /** In decoding order. The first is a key frame, and no frame is displayed before it. */
  readonly frames: readonly Frame[];
  /** The total duration in ticks. */
  readonly ticks: number;
  /** The decoder configuration: the content of `stsd`, unchanged. */
  readonly description: Uint8Array;
  /** The rotation and display size: the end of `tkhd`, unchanged. */
  readonly stance: Uint8Array;
}

/** Encoded bytes that belong together, and their position. */
export interface Packet {
  readonly offset: number;
  readonly size: number;
}

export interface Frame extends Packet {
  /** In ticks from the start of the video. */
  readonly shownAt: number;
  readonly isKey: boolean;
}

/** The limit for a video, and for a voice. */
export const MAX_MINUTES = 10;
/** The number at thirty frames per second. */
export const MAX_FRAMES = MAX_MINUTES * 60 * 30;
/** It is copied several times while the header is made. */
const MAX_DESCRIPTION_BYTES = 65_536;
/** H.264 and H.265. */
const CODECS: readonly string[] = ["avc1", "avc3", "hvc1", "hev1"];

/** Ignores edit lists: the video starts with its first picture. */
export function readPictures(video: Uint8Array): Pictures | Unusable {
  const [trak] = tracksOf(video, "vide") ?? [];
  if (trak === undefined) return unusable("The video is not an MP4 with a picture track.");
  if (boxOn(video, "moov", "mvex")) return unusable("The video is a fragmented MP4, which supports no voice-over.");
  const description = boxOn(trak, "mdia", "minf", "stbl", "stsd") ?? NOTHING;
  if (uint32(description, 4) !== 1 || !CODECS.includes(latin1(description, 12, 4)) || uint16(description, 22) !== 1) {
    return unusable("The video is neither H.264 nor H.265; only these support a voice-over.");
  }
  const stance = stanceOf(trak);
  const ticksPerSecond = ticksOf(trak);
  const samples = readSamples(boxOn(trak, "mdia", "minf", "stbl") ?? NOTHING, video.byteLength);
  const isOdd = ticksPerSecond === 0 || description.byteLength > MAX_DESCRIPTION_BYTES;
  if (samples === null || stance === null || isOdd) {
    return unusable("The video is cut off or damaged: its sample tables do not match its data.");
  }
  const frames = framesOf(samples);
  if (frames.length === 0) return unusable("The video does not start with a key frame.");
  const ticks = lengthOf(samples, frames);
  if (ticks > MAX_MINUTES * 60 * ticksPerSecond) return unusable(`The video is longer than ${MAX_MINUTES} minutes.`);
  return { kind: "pictures", ticksPerSecond, frames, ticks, description, stance };
}

function stanceOf(trak: Uint8Array): Uint8Array | null {
  const tkhd = boxOn(trak, "tkhd") ?? NOTHING;
  const start = tkhd[0] === 1 ? 52 : 40;
  return tkhd.byteLength >= start + 44 ? tkhd.subarray(start, start + 44) : null;
}

function ticksOf(trak: Uint8Array): number {
  const mdhd = boxOn(trak, "mdia", "mdhd") ?? NOTHING;
  return uint32(mdhd, mdhd[0] === 1 ? 20 : 12);
}

interface Sample extends Packet {
  readonly presentedAt: number;
  /** The time to the next sample in decoding order. */
  readonly ticks: number;
  readonly isKey: boolean;
}

/** In decoding order; null if the tables contradict each other or the file. */
function readSamples(stbl: Uint8Array, fileBytes: number): readonly Sample[] | null {
  const tables = new Map(boxesIn(stbl).map(({ type, bytes }) => [type, bytes]));
  const table = (type: string) => tables.get(type) ?? NOTHING;
  const sizes = table("stsz");
  const count = uint32(sizes, 8);
  const isUniform = uint32(sizes, 4) !== 0;
  if (count === 0 || count > MAX_FRAMES) return null;
  const places = placesOf(table("stsc"), { short: tables.get("stco"), long: table("co64") }, count, (index) =>
    isUniform ? uint32(sizes, 4) : uint32(sizes, 12 + index * 4),
  );
  const ticks = runs(table("stts"), count);
  const shifts = runs(table("ctts"), count, (bits) => bits | 0);
  const keys = tables.has("stss") ? numbersIn(table("stss"), count) : null;
  if (places.length < count || ticks.length < count) return null;
  const samples: Sample[] = [];
  let decodedAt = 0;
  for (const [index, place] of places.entries()) {
    if (place.offset + place.size > fileBytes) return null;
    const step = ticks[index] ?? 0;
    const presentedAt = decodedAt + (shifts[index] ?? 0);
    samples.push({ ...place, presentedAt, ticks: step, isKey: keys === null || keys.has(index + 1) });
    decodedAt += step;
  }
  return samples;
}

/** The position of each sample, as far as the chunks go. */
function placesOf(
  runsOfChunks: Uint8Array,
  { short, long }: { readonly short: Uint8Array | undefined; readonly long: Uint8Array },
  count: number,
  sizeOf: (index: number) => number,
): readonly Packet[] {
  const places: Packet[] = [];
  const isShort = short !== undefined;
  const offsets = short ?? long;
  const chunks = Math.min(uint32(offsets, 4), Math.floor((offsets.byteLength - 8) / (isShort ? 4 : 8)));
  let run = 0;
  for (let chunk = 0; chunk < chunks && places.length < count; chunk += 1) {
    if (uint32(runsOfChunks, 8 + (run + 1) * 12) === chunk + 1) run += 1;
    let offset = isShort ? uint32(offsets, 8 + chunk * 4) : uint64(offsets, 8 + chunk * 8);
    for (let left = uint32(runsOfChunks, 12 + run * 12); left > 0 && places.length < count; left -= 1) {
      const size = sizeOf(places.length);
      places.push({ offset, size });
      offset += size;
    }
  }
  return places;
}

/** Decodes a run-length table: the first `max` numbers. */
function runs(table: Uint8Array, max: number, read = (bits: number) => bits): readonly number[] {
  const values: number[] = [];
  const entries = Math.min(uint32(table, 4), Math.floor((table.byteLength - 8) / 8));
  for (let entry = 0; entry < entries && values.length < max; entry += 1) {
    const value = read(uint32(table, 12 + entry * 8));
    for (let left = uint32(table, 8 + entry * 8); left > 0 && values.length < max; left -= 1) values.push(value);
  }
  return values;
}

function numbersIn(table: Uint8Array, max: number): ReadonlySet<number> {
  const view = viewOf(table);
  const length = Math.min(uint32(table, 4), Math.floor((table.byteLength - 8) / 4), max);
  return new Set(Array.from({ length: Math.max(0, length) }, (_, index) => view.getUint32(8 + index * 4)));
}

/** From the first key frame on, without frames that depend on earlier ones, and without empty ones. */
function framesOf(samples: readonly Sample[]): readonly Frame[] {
  const start = samples.findIndex(({ isKey, size }) => isKey && size > 0);
  const begin = samples[start]?.presentedAt ?? 0;
  return samples
    .slice(Math.max(0, start))
    .filter(({ presentedAt, size }) => start >= 0 && presentedAt >= begin && size > 0)
    .map(({ offset, size, presentedAt, isKey }) => ({ offset, size, shownAt: presentedAt - begin, isKey }));
}

/** The end of the last displayed frame; if the table has no duration for it, the average duration counts. */
function lengthOf(samples: readonly Sample[], frames: readonly Frame[]): number {
  const last = samples.reduce((latest, sample) => (sample.presentedAt > latest.presentedAt ? sample : latest));
  const until = frames.reduce((latest, { shownAt }) => Math.max(latest, shownAt), 0);
  return until + (last.ticks || Math.ceil(until / Math.max(1, frames.length - 1)) || 1);
}

const NOTHING = new Uint8Array();
