import type { VideoEncoding } from "../platforms/rules.ts";
import { boxesIn, type ContentBox, isCutOff, readBox } from "./boxes.ts";
import { latin1, uint32, uint64 } from "./bytes.ts";
import { type FragmentTrack, readFragments } from "./fragments.ts";
import { area, type HeaderOutcome, type Size, turned } from "./header.ts";
import { type Tables, tablesOf, videoEncoding } from "./movie-encoding.ts";
import { Parts } from "./parts.ts";
import type { Scan } from "./scan.ts";

const MOOV_BYTES = 2 * 1024 * 1024;
const MAX_TRACKS = 32;

/** Reads the header of an MP4 or QuickTime file, which may be at either end of the file. */
export async function readMovieFile(scan: Scan): Promise<HeaderOutcome> {
  const moov = await readBox(scan, ["moov"], MOOV_BYTES);
  if (moov.kind !== "box") return moov;
  if (await isCutOff(scan, moov.end, "mdat")) return { kind: "cut_off" };
  const { durationSeconds, size, hasVideo, encoding, fragmentTracks } = readMovie(moov.bytes, scan.parts);
  if (hasVideo === false) return { kind: "no_video" };
  if (fragmentTracks === undefined) return { kind: "header", size, durationSeconds, encoding };
  const fragments = await readFragments(scan, moov.end, fragmentTracks);
  if (fragments.kind !== "fragments") return fragments;
  // The first frames may be in the header, and fragments with the others after it.
  const hasFrames = encoding !== undefined && encoding.fps !== null;
  const ownSeconds = hasFrames ? fragments.endsAt : fragments.seconds;
  return {
    kind: "header",
    size,
    durationSeconds: ownSeconds ?? durationSeconds,
    encoding: hasFrames ? encoding : encoding && { ...encoding, ...fragments.rate },
    isFragmented: true,
  };
}

export interface Movie {
  readonly durationSeconds: number | null;
  readonly size: Size | null;
  /** Whether any track is a video; null if unknown. */
  readonly hasVideo: boolean | null;
  /** Undefined if no video track describes its samples. */
  readonly encoding: VideoEncoding | undefined;
  /** The tracks of a fragmented file, whose frames follow in fragments; undefined for any other. */
  readonly fragmentTracks: readonly FragmentTrack[] | undefined;
}

/**
 * Reads a movie header (the content of a `moov` box, possibly truncated). `handler` selects the visual
 * tracks.
 */
export function readMovie(moov: Uint8Array, parts = new Parts(), handler = "vide"): Movie {
  let timescale = 0;
  let duration: number | null = null;
  let fragments: number | null = null;
  let mvex: readonly ContentBox[] | undefined;
  const tracks: Track[] = [];
  for (const { type, bytes } of boxesIn(moov, parts)) {
    if (type === "mvhd") {
      const isLong = bytes[0] === 1;
      timescale = uint32(bytes, isLong ? 20 : 12);
      duration = isLong ? uint64(bytes, 24) : uint32(bytes, 16);
      if (duration === 0xffff_ffff) duration = null;
    }
    if (type === "trak" && tracks.length < MAX_TRACKS) tracks.push(readTrack(bytes, parts));
    if (type === "mvex") {
      mvex = boxesIn(bytes, parts);
      const mehd = mvex.find((box) => box.type === "mehd")?.bytes;
      if (mehd) fragments = mehd[0] === 1 ? uint64(mehd, 4) : uint32(mehd, 4);
    }
  }
  const video = tracks
    .filter((track) => track.handler === handler || (track.handler === null && track.size !== null))
    .toSorted((a, b) => area(b.size) - area(a.size))[0];
  const audio = tracks.find((track) => track.handler === "soun");
  const isKnown = tracks.length > 0 && tracks.every((track) => track.handler !== null);
  // A fragmented file has no duration in its own header.
  const units = duration || fragments;
  return {
    durationSeconds: timescale > 0 && units ? units / timescale : null,
    size: video?.size ?? null,
    hasVideo: video ? true : isKnown ? false : null,
    encoding: video ? (videoEncoding(video.tables, audio?.tables ?? null, parts) ?? undefined) : undefined,
    fragmentTracks: mvex && tracks.map((track) => fragmentTrack(track, track === video, mvex ?? [])),
  };
}

/** `trex` has the duration of a track's frames, where a fragment does not say it. */
function fragmentTrack({ id, tables }: Track, isVideo: boolean, boxes: readonly ContentBox[]): FragmentTrack {
  const trex = boxes.find((box) => box.type === "trex" && uint32(box.bytes, 4) === id);
  return { id, isVideo, ticksPerSecond: tables.ticksPerSecond, frameTicks: trex ? uint32(trex.bytes, 12) : 0 };
}

interface Track {
  readonly id: number;
  readonly handler: string | null;
  readonly size: Size | null;
  readonly tables: Tables;
}

function readTrack(trak: Uint8Array, parts: Parts): Track {
  let id = 0;
  let size: Size | null = null;
  let handler: string | null = null;
  let ticksPerSecond = 0;
  let minf: Uint8Array = new Uint8Array();
  for (const { type, bytes } of boxesIn(trak, parts)) {
    if (type === "tkhd") {
      size = trackSize(bytes);
      id = uint32(bytes, bytes[0] === 1 ? 20 : 12);
    }
    if (type !== "mdia" || handler !== null) continue;
    const media = boxesIn(bytes, parts);
    const hdlr = media.find((box) => box.type === "hdlr")?.bytes;
    if (hdlr && hdlr.byteLength >= 12) handler = latin1(hdlr, 8, 4);
    const mdhd = media.find((box) => box.type === "mdhd")?.bytes;
    if (mdhd) ticksPerSecond = uint32(mdhd, mdhd[0] === 1 ? 20 : 12);
    minf = media.find((box) => box.type === "minf")?.bytes ?? minf;
  }
  return { id, handler, size, tables: tablesOf(minf, ticksPerSecond, parts) };
}
/**
 * Width and height are 16.16 fixed point; a matrix without a diagonal rotates the picture by a quarter turn.
 */
function trackSize(tkhd: Uint8Array): Size | null {
  const matrix = tkhd[0] === 1 ? 52 : 40;
  if (tkhd.byteLength < matrix + 44) return null;
  const width = Math.round(uint32(tkhd, matrix + 36) / 65_536);
  const height = Math.round(uint32(tkhd, matrix + 40) / 65_536);
  if (width === 0 || height === 0) return null;
  const isTurned = uint32(tkhd, matrix) === 0 && uint32(tkhd, matrix + 16) === 0 && uint32(tkhd, matrix + 4) !== 0;
  return isTurned ? turned({ width, height }) : { width, height };
}
