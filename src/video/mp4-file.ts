import { joined } from "../media/bytes.ts";
import { box, DATA_HERE, FILE_TYPE, full, fullOf, IDENTITY, name, u16, u32, words, zeros } from "./box-bytes.ts";
import type { LoopLength } from "./loop-length.ts";
import type { Packet, Pictures } from "./picture-track.ts";
import { secondsOf, type Voice } from "./voice.ts";

/**
 * A video with a voice-over as an MP4 (ISO 14496-12 and -14): header first, no edit lists, both tracks start
 * at zero.
 */
interface VideoSource {
  readonly pictures: Pictures;
  readonly showing: LoopLength;
  /** The bytes that the pictures refer to. */
  readonly video: Uint8Array;
  readonly voice: Voice;
  /** The bytes that the voice refers to. */
  readonly spoken: Uint8Array;
}

/** The maximum distance of pictures and sound in the file, so that it can be played while it downloads. */
const CHUNK_SECONDS = 0.5;
/** The movie's time scale, per second. Each track has its own. */
const MOVIE_TICKS = 1000;

/** A file that is generated while it is sent: only its header is in memory besides its sources. */
export interface WrittenVideo {
  readonly byteLength: number;
  /** The header, then the packets as they are in the sources. Starts at the beginning on each call. */
  pieces(): Iterable<Uint8Array>;
}

export function writeVideo(source: VideoSource): WrittenVideo {
  const { pictures, voice, video, spoken } = source;
  const shown = shownFrames(source);
  const length = source.showing.ticks / pictures.ticksPerSecond;
  const pictureTrack = { packets: shown, bytes: video, perSecond: shown.length / length };
  const soundTrack = { packets: voice.packets, bytes: spoken, perSecond: voice.sound.rate / voice.sound.samples };
  const chunks = chunked(pictureTrack, soundTrack);
  const headerAt = (start: number) => {
    const [ofPictures, ofSound] = placed(chunks, start);
    return box(
      "moov",
      movieHeader(length),
      pictureBox(pictures, { shown, ticks: source.showing.ticks, seconds: length }, ofPictures),
      soundBox(voice, ofSound),
    );
  };
  // The header's length does not depend on the data's offset.
  const start = FILE_TYPE.byteLength + headerAt(0).byteLength + 8;
  const dataBytes = chunks.reduce((sum, { size }) => sum + size, 0);
  const front = joined([FILE_TYPE, headerAt(start), u32(dataBytes + 8), name("mdat")]);
  return { byteLength: start + dataBytes, pieces: () => piecesOf(front, chunks) };
}

/** The file with one more box at its end. */
export function withBox({ byteLength, pieces }: WrittenVideo, last: Uint8Array): WrittenVideo {
  return {
    byteLength: byteLength + last.byteLength,
    *pieces() {
      yield* pieces();
      yield last;
    },
  };
}

function* piecesOf(front: Uint8Array, chunks: readonly Chunk[]): Generator<Uint8Array> {
  yield front;
  for (const { packets, bytes } of chunks) {
    for (const { offset, size } of packets) yield bytes.subarray(offset, offset + size);
  }
}

interface Shown extends Packet {
  readonly shownAt: number;
  readonly isKey: boolean;
}

/** All frames, loop after loop. */
function shownFrames({ pictures: { frames, ticks }, showing }: VideoSource): readonly Shown[] {
  const time = (index: number, count: number) =>
    frames.slice(0, count).map((frame) => ({ ...frame, shownAt: frame.shownAt + index * ticks }));
  const whole = Array.from({ length: showing.times }, (_, index) => time(index, frames.length));
  return [...whole, time(showing.times, showing.more)].flat();
}

interface Track {
  readonly packets: readonly Packet[];
  readonly bytes: Uint8Array;
  /** The average number of packets per second. */
  readonly perSecond: number;
}
interface Chunk {
  readonly isSound: boolean;
  readonly packets: readonly Packet[];
  readonly bytes: Uint8Array;
  readonly size: number;
}

/** Interleaves pictures and sound by half seconds. */
function chunked(pictures: Track, sound: Track): readonly Chunk[] {
  const pieces = [pictures, sound].flatMap(({ packets, bytes, perSecond }, track) => {
    const many = Math.max(1, Math.round(CHUNK_SECONDS * perSecond));
    return Array.from({ length: Math.ceil(packets.length / many) }, (_, index) => {
      const own = packets.slice(index * many, (index + 1) * many);
      const size = own.reduce((sum, packet) => sum + packet.size, 0);
      return { at: (index * many) / perSecond, isSound: track === 1, packets: own, bytes, size };
    });
  });
  return pieces.toSorted((one, other) => one.at - other.at);
}

interface Place {
  readonly offset: number;
  readonly count: number;
}

/** The offsets of the chunks if the first one is at `start`: those of pictures, and those of sound. */
function placed(chunks: readonly Chunk[], start: number): readonly [readonly Place[], readonly Place[]] {
  let offset = start;
  const places = chunks.map(({ isSound, packets, size }) => {
    const place = { isSound, offset, count: packets.length };
    offset += size;
    return place;
  });
  return [places.filter(({ isSound }) => !isSound), places.filter(({ isSound }) => isSound)];
}

function movieHeader(seconds: number): Uint8Array {
  const rates = [u32(0x10000), u16(0x0100), zeros(10)];
  const length = u32(Math.round(seconds * MOVIE_TICKS));
  return full("mvhd", zeros(8), u32(MOVIE_TICKS), length, ...rates, IDENTITY, zeros(24), u32(3));
}

interface Showing {
  readonly shown: readonly Shown[];
  readonly ticks: number;
  readonly seconds: number;
}

function pictureBox(
  { ticksPerSecond, description, stance }: Pictures,
  { shown, ticks, seconds }: Showing,
  places: readonly Place[],
): Uint8Array {
  // Frames are decoded in decoding order, at the display times in ascending order. Some are decoded after
  // their display time, and their composition offset (possibly negative) corrects this. Otherwise the video
  // would have to start later than its sound.
  const times = Float64Array.from(shown, ({ shownAt }) => shownAt).sort();
  const steps = shown.map((_, index) => (times[index + 1] ?? ticks) - (times[index] ?? 0));
  const shifts = shown.map(({ shownAt }, index) => shownAt - (times[index] ?? 0));
  const keys = shown.flatMap(({ isKey }, index) => (isKey ? [index + 1] : []));
  const table = sampleTable(
    [
      box("stsd", description),
      runsBox("stts", 0, steps),
      ...(shifts.some((shift) => shift !== 0) ? [runsBox("ctts", 1, shifts)] : []),
      ...(keys.length < shown.length ? [full("stss", u32(keys.length), words(keys))] : []),
    ],
    shown,
    places,
  );
  const volume = u16(0);
  return box(
    "trak",
    trackHeader(1, seconds, volume, stance),
    mediaBox("vide", { ticksPerSecond, ticks }, fullOf("vmhd", 0, 1, zeros(8)), table),
  );
}

function soundBox(voice: Voice, places: readonly Place[]): Uint8Array {
  const { objectType, rate, channels, samples, config } = voice.sound;
  const bitRate = u32(Math.round((voice.packets.reduce((sum, { size }) => sum + size, 0) * 8) / secondsOf(voice)));
  const specific = config.length > 0 ? [0x05, config.length, ...config] : [];
  const decoder = [0x04, 13 + specific.length, objectType, 0x15, 0, 0, 0, ...bitRate, ...bitRate, ...specific];
  const description = [0x03, 3 + decoder.length + 3, 0, 2, 0, ...decoder, 0x06, 1, 2];
  const entry = box(
    "mp4a",
    zeros(6),
    u16(1),
    zeros(8),
    u16(channels),
    u16(16),
    zeros(4),
    // 16.16 fixed point, in which higher rates do not fit.
    u16(rate > 0xffff ? 0 : rate),
    u16(0),
    full("esds", Uint8Array.from(description)),
  );
  const steps = voice.packets.map(() => samples);
  const table = sampleTable([full("stsd", u32(1), entry), runsBox("stts", 0, steps)], voice.packets, places);
  const stance = joined([IDENTITY, zeros(8)]);
  return box(
    "trak",
    trackHeader(2, secondsOf(voice), u16(0x0100), stance),
    mediaBox("soun", { ticksPerSecond: rate, ticks: voice.packets.length * samples }, full("smhd", zeros(4)), table),
  );
}

function trackHeader(id: number, seconds: number, volume: Uint8Array, stance: Uint8Array): Uint8Array {
  const length = u32(Math.round(seconds * MOVIE_TICKS));
  // Enabled, and part of the movie.
  return fullOf("tkhd", 0, 3, zeros(8), u32(id), zeros(4), length, zeros(12), volume, zeros(2), stance);
}

function mediaBox(
  handler: "vide" | "soun",
  { ticksPerSecond, ticks }: { readonly ticksPerSecond: number; readonly ticks: number },
  kind: Uint8Array,
  table: Uint8Array,
) {
  const undetermined = 0x55c4;
  return box(
    "mdia",
    full("mdhd", zeros(8), u32(ticksPerSecond), u32(ticks), u16(undetermined), zeros(2)),
    full("hdlr", zeros(4), name(handler), zeros(12), name(handler === "vide" ? "Video\0" : "Sound\0")),
    box("minf", kind, DATA_HERE, table),
  );
}

function sampleTable(first: readonly Uint8Array[], packets: readonly Packet[], places: readonly Place[]): Uint8Array {
  const runs = places.flatMap(({ count }, index) => (count === places[index - 1]?.count ? [] : [index + 1, count, 1]));
  return box(
    "stbl",
    ...first,
    full("stsc", u32(runs.length / 3), words(runs)),
    full("stsz", u32(0), u32(packets.length), words(packets.map(({ size }) => size))),
    full("stco", u32(places.length), words(places.map(({ offset }) => offset))),
  );
}

/** Run-length encoding: each number with its count in a row. */
function runsBox(type: string, version: number, values: readonly number[]): Uint8Array {
  const runs: number[] = [];
  for (const [index, value] of values.entries()) {
    if (index > 0 && value === values[index - 1]) runs[runs.length - 2] = (runs.at(-2) ?? 0) + 1;
    else runs.push(1, value);
  }
  return fullOf(type, version, 0, u32(runs.length / 2), words(runs));
}
