import { boxesIn, type ContentBox } from "../../media/boxes.ts";
import { latin1, uint16, uint32, uint64, viewOf } from "../../media/bytes.ts";
import type { Parts } from "../../media/parts.ts";
import { codecOf, entriesOf, type Handler } from "./sample-entries.ts";
import { damaged, Unfit } from "./unfit.ts";

/** The tracks of a movie header (`moov`) that an MP4 for a platform needs: pictures and sound. */
export interface Movie {
  /** The content of `mvhd`, as an MP4 has it. */
  readonly header: Uint8Array;
  readonly ticksPerSecond: number;
  readonly tracks: readonly Track[];
  /** Whether frames follow in fragments. */
  readonly isFragmented: boolean;
  readonly defaults: readonly TrackDefaults[];
  /** An XMP packet of QuickTime (`udta`); null without one. */
  readonly xmp: Uint8Array | null;
}

export interface Track {
  readonly id: number;
  readonly handler: Handler;
  readonly ticksPerSecond: number;
  /** The content of `tkhd` and `mdhd`, as an MP4 has them. */
  readonly header: Uint8Array;
  readonly mediaHeader: Uint8Array;
  /** The content of `elst`; null without one. */
  readonly edits: Uint8Array | null;
  readonly entries: readonly Uint8Array[];
  /** The tables of its frames (`stbl`). */
  readonly tables: ReadonlyMap<string, Uint8Array>;
}

/** What a fragment does not say of its frames (`trex`). */
export interface TrackDefaults {
  readonly id: number;
  readonly description: number;
  readonly ticks: number;
  readonly size: number;
  readonly flags: number;
}

const MAX_TRACKS = 32;
const NOTHING = new Uint8Array();

export function readMovie(moov: Uint8Array, isQuickTime: boolean, parts: Parts): Movie {
  const boxes = boxesIn(moov, parts);
  const header = movieHeader(contentOf(boxes, "mvhd"));
  const mvex = boxes.find(({ type }) => type === "mvex");
  const extends_ = mvex ? boxesIn(mvex.bytes, parts) : [];
  const found = boxes.filter(({ type }) => type === "trak").slice(0, MAX_TRACKS);
  const udta = boxesIn(contentOf(boxes, "udta"), parts);
  return {
    header,
    ticksPerSecond: header[0] === 1 ? uint32(header, 20) : uint32(header, 12),
    tracks: chosen(
      found.flatMap(({ bytes }) => candidate(bytes, { isFragmented: mvex !== undefined, isQuickTime }, parts) ?? []),
    ),
    isFragmented: mvex !== undefined,
    defaults: extends_.flatMap(({ type, bytes }) => (type === "trex" ? [defaultsOf(bytes)] : [])),
    xmp: udta.find(({ type }) => type === "XMP_")?.bytes ?? null,
  };
}

function defaultsOf(trex: Uint8Array): TrackDefaults {
  const [id, description, ticks, size, flags] = [4, 8, 12, 16, 20].map((at) => uint32(trex, at));
  return { id: id ?? 0, description: description ?? 1, ticks: ticks ?? 0, size: size ?? 0, flags: flags ?? 0 };
}

/** A track of pictures or sound; without `track`, an MP4 has no place for its codec. */
interface Candidate {
  readonly handler: Handler;
  readonly codec: string;
  readonly track: Track | null;
}

/**
 * All tracks of pictures and of sound whose codec fits. What phones add is left out: a second sound that few
 * programs play, a cover, times and places (`tmcd`, `mebx`), chapters.
 */
function chosen(candidates: readonly Candidate[]): readonly Track[] {
  const of = (handler: Handler): readonly Track[] => {
    const own = candidates.filter((one) => one.handler === handler);
    const fit = own.flatMap(({ track }) => track ?? []);
    const [first] = own;
    if (fit.length === 0 && first) {
      throw new Unfit({ why: "codec", of: handler === "vide" ? "video" : "audio", codec: first.codec });
    }
    return fit;
  };
  const pictures = of("vide");
  if (pictures.length === 0) throw damaged();
  return [...pictures, ...of("soun")];
}

function candidate(
  trak: Uint8Array,
  { isFragmented, isQuickTime }: { readonly isFragmented: boolean; readonly isQuickTime: boolean },
  parts: Parts,
): Candidate | null {
  const boxes = boxesIn(trak, parts);
  const media = boxesIn(contentOf(boxes, "mdia"), parts);
  const handler = latin1(contentOf(media, "hdlr"), 8, 4);
  if (handler !== "vide" && handler !== "soun") return null;
  const info = boxesIn(contentOf(media, "minf"), parts);
  const tables = new Map(boxesIn(contentOf(info, "stbl"), parts).map(({ type, bytes }) => [type, bytes]));
  const stsd = tables.get("stsd") ?? NOTHING;
  const tkhd = contentOf(boxes, "tkhd");
  const isEmpty = !isFragmented && countOf(tables) === 0;
  if (isEmpty) return null;
  const codec = codecOf(stsd, handler);
  const entries = entriesOf(stsd, { handler, isQuickTime }, parts);
  if (entries === null) return { handler, codec, track: null };
  requireOwnData(contentOf(info, "dinf"), stsd, parts);
  const mediaHeader = mediaHeaderOf(contentOf(media, "mdhd"));
  const ticksPerSecond = uint32(mediaHeader, mediaHeader[0] === 1 ? 20 : 12);
  if (ticksPerSecond === 0) throw damaged();
  const edts = boxesIn(contentOf(boxes, "edts"), parts);
  const edits = edts.find(({ type }) => type === "elst")?.bytes ?? null;
  const [header, id] = [trackHeader(tkhd), uint32(tkhd, tkhd[0] === 1 ? 20 : 12)];
  const track = { id, handler, ticksPerSecond, header, mediaHeader, edits, entries, tables } as const;
  return { handler, codec, track };
}

/** The number of frames that the tables of a track state. */
export function countOf(tables: ReadonlyMap<string, Uint8Array>): number {
  return uint32(tables.get("stsz") ?? tables.get("stz2") ?? NOTHING, 8);
}

/** QuickTime may refer to other files. */
function requireOwnData(dinf: Uint8Array, stsd: Uint8Array, parts: Parts): void {
  const dref = contentOf(boxesIn(dinf, parts), "dref");
  if (dref.byteLength === 0) return;
  const references = boxesIn(dref.subarray(8), parts, 64);
  const used = boxesIn(stsd.subarray(8), parts, 64).map(({ bytes }) => uint16(bytes, 6));
  const isOwn = (index: number): boolean => ((references[index - 1]?.bytes[3] ?? 0) & 1) !== 0;
  if (!used.every(isOwn)) throw damaged();
}

/** QuickTime has the times of a preview and a selection where an MP4 has zeros. */
function movieHeader(mvhd: Uint8Array): Uint8Array {
  const isLong = mvhd[0] === 1;
  if (mvhd.byteLength < (isLong ? 112 : 100)) throw damaged();
  const header = mvhd.slice();
  header.fill(0, isLong ? 84 : 72, isLong ? 108 : 96);
  if (uint32(header, isLong ? 20 : 12) === 0) throw damaged();
  return header;
}

/** Of the flags, an MP4 has three; the fourth of QuickTime has another meaning there. */
function trackHeader(tkhd: Uint8Array): Uint8Array {
  if (tkhd.byteLength < (tkhd[0] === 1 ? 96 : 84)) throw damaged();
  const header = tkhd.slice();
  header[3] = (header[3] ?? 0) & 7;
  return header;
}

const UNDETERMINED = 0x55c4;
/** Lower numbers are languages of the Macintosh. */
const FIRST_LANGUAGE = 0x400;

function mediaHeaderOf(mdhd: Uint8Array): Uint8Array {
  const isLong = mdhd[0] === 1;
  const at = isLong ? 32 : 20;
  if (mdhd.byteLength < at + 4) throw damaged();
  const header = mdhd.slice();
  const language = uint16(header, at);
  if (language < FIRST_LANGUAGE || language === 0x7fff) viewOf(header).setUint16(at, UNDETERMINED);
  viewOf(header).setUint16(at + 2, 0);
  return header;
}

/** Writes a duration into a copy of `mvhd`, `tkhd` or `mdhd`. */
export function withDuration(header: Uint8Array, ticks: number, [short, long]: readonly [number, number]): Uint8Array {
  const copy = header.slice();
  const isLong = copy[0] === 1;
  if (ticks >= (isLong ? Number.MAX_SAFE_INTEGER : 0xffff_ffff)) throw damaged();
  if (isLong) viewOf(copy).setBigUint64(long, BigInt(ticks));
  else viewOf(copy).setUint32(short, ticks);
  return copy;
}

/** The offset of the duration, in a header of version 0 and of version 1. */
export const DURATION = { mvhd: [16, 24], tkhd: [20, 28], mdhd: [16, 24] } as const;

/** The first number of `tfdt`, `sidx` and edit lists: 64 bits in version 1. */
export const longOf = (bytes: Uint8Array, at: number): number =>
  bytes[0] === 1 ? uint64(bytes, at) : uint32(bytes, at);

function contentOf(boxes: readonly ContentBox[], type: string): Uint8Array {
  return boxes.find((box) => box.type === type)?.bytes ?? NOTHING;
}
