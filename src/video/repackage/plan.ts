import { latin1, uint32, viewOf } from "../../media/bytes.ts";
import { XMP_ID } from "../../media/movie-mark.ts";
import { Parts, TooManyParts } from "../../media/parts.ts";
import { MAX_REPACKAGED_BYTES } from "../../media/repackaging.ts";
import { box, DATA_HERE, FILE_TYPE, full, name, u32, zeros } from "../box-bytes.ts";
import { Chunks } from "./chunks.ts";
import { addFragment, addOwnFrames } from "./fragments.ts";
import { TableBudget } from "./lists.ts";
import { descriptionBox } from "./sample-entries.ts";
import { addChunks } from "./sample-tables.ts";
import { MAX_READ_BYTES, type Source, type TopBox, Walk } from "./source.ts";
import { timed } from "./timing.ts";
import { DURATION, type Movie, readMovie, type Track, withDuration } from "./tracks.ts";
import { damaged, type Reason, tooComplex, Unfit } from "./unfit.ts";
import { SampleCount, WrittenTrack } from "./written-track.ts";

/**
 * Repackages a QuickTime file or a fragmented MP4 as an ordinary MP4: `ftyp`, `moov`, and the frames of all
 * tracks in `mdat`, unchanged and in their order. Nothing is decoded. Rotation, colors, edit lists and the
 * delay of the sound are kept. Frames pass in parts, so only the tables are in memory (docs/decisions/0089).
 */
export type Mp4Plan = { readonly kind: "plan"; readonly mp4: RepackagedMp4 } | ({ readonly kind: "unfit" } & Reason);

const MAX_MOOV_BYTES = 6 * 1024 * 1024;
const MAX_PACKET_BYTES = 256 * 1024;
const MAX_BRAND_BYTES = 4096;
/** A recording with a fragment for each frame has some eight boxes a frame. */
const MAX_PARTS = 500_000;

/**
 * Reads the header and the fragments of a file, in any order. What the file contains never throws, and its
 * work and memory are bounded. Rejections of `source.read` pass through.
 */
export async function planMp4(source: Source): Promise<Mp4Plan> {
  try {
    if (source.bytes > MAX_REPACKAGED_BYTES) throw tooComplex();
    return { kind: "plan", mp4: await plan(source, new Parts(MAX_PARTS)) };
  } catch (error) {
    if (error instanceof Unfit) return { kind: "unfit", ...error.reason };
    if (error instanceof TooManyParts) return { kind: "unfit", why: "too_complex" };
    throw error;
  }
}

/** The file that is made, of which any part can be read. */
export class RepackagedMp4 {
  /** Its length. */
  readonly bytes: number;
  /** What precedes the frames: the tables describe each of them. */
  readonly front: readonly Uint8Array[];
  readonly #frontBytes: number;
  readonly #chunks: Chunks;
  readonly #end: Uint8Array;

  constructor(front: readonly Uint8Array[], chunks: Chunks, end: Uint8Array) {
    this.front = front;
    this.#frontBytes = lengthOf(front);
    this.#chunks = chunks;
    this.#end = end;
    this.bytes = this.#frontBytes + chunks.bytes + end.byteLength;
  }

  /** The bytes [from, to), with the ranges of the source that are in them. Holds one range beside them. */
  async read(source: Source, from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
    const result = new Uint8Array(to - from);
    let at = 0;
    for (const piece of [...this.front, null, this.#end]) {
      const length = piece?.byteLength ?? this.#chunks.bytes;
      const start = Math.max(from - at, 0);
      const end = Math.min(to - at, length);
      if (start < end) {
        const target = result.subarray(at + start - from, at + end - from);
        if (piece === null) await this.#readFrames(source, start, end, target);
        else target.set(piece.subarray(start, end));
      }
      at += length;
    }
    return result;
  }

  /** Ranges that are close to each other are read together. */
  async #readFrames(source: Source, from: number, to: number, target: Uint8Array): Promise<void> {
    let at = 0;
    let read: { readonly start: number; readonly end: number }[] = [];
    const flush = async (): Promise<void> => {
      const [first] = read;
      if (!first) return;
      // Ranges may overlap: they are in the order of their starts only.
      const bytes = await source.read(first.start, Math.max(...read.map(({ end }) => end)));
      for (const { start, end } of read) {
        target.set(bytes.subarray(start - first.start, end - first.start), at);
        at += end - start;
      }
      read = [];
    };
    for (const range of this.#chunks.ranges(from, to)) {
      for (let { start } = range; start < range.end; ) {
        const first = read[0]?.start ?? start;
        const end = Math.min(range.end, first + MAX_READ_BYTES);
        if (end <= start || start < first || start - (read.at(-1)?.end ?? start) > MAX_GAP_BYTES) {
          await flush();
          continue;
        }
        read.push({ start, end });
        start = end;
      }
    }
    await flush();
  }
}

/** Bytes between two ranges that cost less than another read. */
const MAX_GAP_BYTES = 128 * 1024;

async function plan(source: Source, parts: Parts): Promise<RepackagedMp4> {
  const walk = new Walk(source, parts);
  let movie: Movie | null = null;
  let isQuickTime = true;
  let packet: Uint8Array | null = null;
  const chunks = new Chunks();
  let written: readonly WrittenTrack[] = [];
  for (let at = 0; ; ) {
    const top: TopBox | null = await walk.box(at);
    if (top === null) break;
    at = top.end;
    if (top.type === "ftyp") isQuickTime = latin1(await walk.content(top, MAX_BRAND_BYTES), 0, 4) === "qt  ";
    if (top.type === "moov" && movie === null) {
      movie = readMovie(await walk.content(top, MAX_MOOV_BYTES), isQuickTime, parts);
      written = movie.isFragmented ? startTables(movie, chunks, source.bytes, parts) : [];
    }
    if (top.type === "moof" && movie?.isFragmented) {
      const moof = await walk.content(top, MAX_MOOV_BYTES);
      addFragment({ written, defaults: movie.defaults, bytes: source.bytes }, moof, top.at, parts);
    }
    if (top.type === "uuid" && top.end - top.start <= MAX_PACKET_BYTES) {
      const content = await walk.content(top, MAX_PACKET_BYTES);
      if (XMP_ID.every((byte, index) => content[index] === byte)) packet = content;
    }
  }
  if (movie === null) throw damaged();
  if (!movie.isFragmented) {
    const target = { chunks, fileBytes: source.bytes, parts };
    for (const [index, track] of movie.tracks.entries()) addChunks(target, track, index);
  }
  // Tracks that share bytes would make a file larger than the source.
  if (chunks.length === 0 || chunks.bytes > source.bytes) throw damaged();
  chunks.sort();
  const own = movie.xmp && movie.xmp.byteLength <= MAX_PACKET_BYTES ? [XMP_ID, movie.xmp] : [];
  const end = packet ? [packet] : own;
  return layOut(movie, written, chunks, end.length === 0 ? new Uint8Array() : box("uuid", ...end));
}

function startTables({ tracks }: Movie, chunks: Chunks, fileBytes: number, parts: Parts): readonly WrittenTrack[] {
  const shared = { chunks, budget: new TableBudget(), count: new SampleCount() };
  const written = tracks.map((track, index) => new WrittenTrack(track, index, shared));
  for (const one of written) addOwnFrames(one, fileBytes, parts);
  return written;
}

/** Bytes of a box in pieces, so that tables are not copied. */
type Pieces = readonly Uint8Array[];

const lengthOf = (pieces: Pieces): number => pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
const wrapped = (type: string, pieces: Pieces): Pieces => [u32(lengthOf(pieces) + 8), name(type), ...pieces];

function layOut(movie: Movie, written: readonly WrittenTrack[], chunks: Chunks, end: Uint8Array): RepackagedMp4 {
  const timing = movie.isFragmented ? timed(movie, written) : null;
  const shown = movie.tracks.flatMap((track, index) => {
    const own = written[index];
    own?.close();
    return chunks.countOf(index) === 0 ? [] : [{ track, index, own }];
  });
  const headerAt = (start: number): Pieces =>
    wrapped("moov", [
      box("mvhd", timing ? withDuration(timing.movieHeader, timing.ticks, DURATION.mvhd) : movie.header),
      ...shown.flatMap(({ track, index, own }) => {
        const places = chunks.placesOf(index, start);
        const tables = own ? tablesOf(own) : keptTables(track);
        const stbl = wrapped("stbl", [
          descriptionBox(track.entries),
          ...tables,
          ...wrapped("stco", [zeros(4), u32(places.byteLength / 4), places]),
        ]);
        const time = timing?.tracks[index];
        const tkhd = time ? withDuration(track.header, time.movieTicks, DURATION.tkhd) : track.header;
        const mdhd = time ? withDuration(track.mediaHeader, time.mediaTicks, DURATION.mdhd) : track.mediaHeader;
        const edits = time ? time.edits : track.edits;
        const edts = edits === null ? [] : [box("edts", box("elst", edits))];
        return wrapped("trak", [
          box("tkhd", tkhd),
          ...edts,
          ...wrapped("mdia", [
            box("mdhd", mdhd),
            handlerBox(track),
            ...wrapped("minf", [kindBox(track), DATA_HERE, ...stbl]),
          ]),
        ]);
      }),
    ]);
  const size = lengthOf(headerAt(0));
  const start = FILE_TYPE.byteLength + size + 8;
  if (start + chunks.bytes > 0xffff_ffff) throw tooComplex();
  return new RepackagedMp4([FILE_TYPE, ...headerAt(start), u32(chunks.bytes + 8), name("mdat")], chunks, end);
}

const handlerBox = ({ handler }: Track): Uint8Array =>
  full("hdlr", zeros(4), name(handler), zeros(12), name(handler === "vide" ? "Video\0" : "Sound\0"));

const kindBox = ({ handler }: Track): Uint8Array =>
  handler === "vide" ? box("vmhd", u32(1), zeros(8)) : full("smhd", zeros(4));

/** What is copied of an ordinary track; its offsets are new. */
const KEPT = ["stts", "ctts", "cslg", "stss", "sdtp", "sgpd", "sbgp", "stsc", "stsz", "stz2"];

function keptTables({ tables }: Track): Pieces {
  return KEPT.flatMap((type) => {
    const table = tables.get(type);
    if (!table) return [];
    return wrapped(type, [type === "ctts" ? signed(table) : table]);
  });
}

/** QuickTime has negative shifts in the first version, where an MP4 has none. */
function signed(ctts: Uint8Array): Uint8Array {
  const rows = uint32(ctts, 4);
  for (let row = 0; row < rows && ctts[0] === 0; row += 1) {
    if (uint32(ctts, 12 + row * 8) < 0x8000_0000) continue;
    viewOf(ctts).setUint8(0, 1);
  }
  return ctts;
}

function tablesOf({
  track,
  sizes,
  ticks,
  shifts,
  keys,
  chunkRows,
  samples,
  hasShifts,
  hasNegativeShifts,
}: WrittenTrack): Pieces {
  const allKeys = track.handler === "soun" || keys.length === samples;
  return [
    ...wrapped("stts", [zeros(4), u32(ticks.rows), ...ticks.words.pieces()]),
    ...(hasShifts
      ? wrapped("ctts", [u32(hasNegativeShifts ? 0x1000000 : 0), u32(shifts.rows), ...shifts.words.pieces()])
      : []),
    ...(allKeys ? [] : wrapped("stss", [zeros(4), u32(keys.length), ...keys.pieces()])),
    ...wrapped("stsc", [zeros(4), u32(chunkRows.length / 3), ...chunkRows.pieces()]),
    ...wrapped("stsz", [zeros(8), u32(sizes.length), ...sizes.pieces()]),
  ];
}
