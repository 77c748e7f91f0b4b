// An MP4 video with text and an optional silent audio track (ISO 14496-12 and -14). The header comes first.

import { drawText, GLYPH, hashOf } from "./font";
import { blocksOf, encode, FRAMES_A_SECOND, type Stream } from "./h264";
import type { Size } from "./png";

const SOUND_RATE = 48_000;
const SOUND_FRAME_SAMPLES = 1024;
/** A silent AAC frame with two channels. */
const SILENCE = [0x21, 0x00, 0x49, 0x90, 0x02, 0x19, 0x00, 0x23, 0x80];
const MOVIE_SCALE = 1000;

export interface VideoForm extends Size {
  seconds: number;
  hasSound: boolean;
}

/** Light text on a background colour that depends on the text, above a bar that grows every second. */
export function videoOf(words: string, { seconds, hasSound, ...size }: VideoForm): Uint8Array<ArrayBuffer> {
  const { wide, high } = blocksOf(size);
  const drawing = drawText(words, Math.floor((wide - 2) / GLYPH.width), Math.floor((high - 6) / GLYPH.height));
  const hash = hashOf(words);
  const stream = encode({
    ...size,
    seconds,
    tint: { blue: 4 + (hash % 12), red: -4 - ((hash >> 5) % 12) },
    isLit(x, y, second) {
      if (y === high - 3) return x > 0 && x <= ((wide - 2) * (second + 1)) / seconds;
      const [column, row] = [x - 1, y - 2];
      return column >= 0 && row >= 0 && column < drawing.width && row < drawing.height && drawing.isLit(column, row);
    },
  });
  const sounds = hasSound ? Math.floor((seconds * SOUND_RATE) / SOUND_FRAME_SAMPLES) : 0;
  const pictures = stream.frames.map((frame) => joined([u32(frame.length), frame]));
  const data = joined([...pictures, ...Array.from({ length: sounds }, () => bytes(SILENCE))]);
  const head = box("ftyp", text("isom"), u32(512), text("isomiso2avc1mp41"));
  const header = (start: number) => {
    const soundStart = start + pictures.reduce((sum, one) => sum + one.length, 0);
    return box(
      "moov",
      movieHeader(seconds),
      videoTrack({ size, seconds }, stream, pictures, start),
      ...(hasSound ? [soundTrack(seconds, sounds, soundStart)] : []),
    );
  };
  // The header length does not depend on the data offset.
  const start = head.length + header(0).length + 8;
  return joined([head, header(start), box("mdat", data)]);
}

function movieHeader(seconds: number): Uint8Array {
  const rate = [u32(0x10000), bytes([1, 0, 0, 0]), zeros(8)];
  return full("mvhd", 0, zeros(8), u32(MOVIE_SCALE), u32(seconds * MOVIE_SCALE), ...rate, MATRIX, zeros(24), u32(3));
}

function videoTrack(
  { size, seconds }: { size: Size; seconds: number },
  stream: Stream,
  samples: Uint8Array[],
  start: number,
): Uint8Array {
  const { sps, pps, isKey } = stream;
  const config = box(
    "avcC",
    bytes([1, ...sps.subarray(1, 4), 0xff, 0xe1]),
    u16(sps.length),
    sps,
    bytes([1]),
    u16(pps.length),
    pps,
  );
  const entry = box(
    "avc1",
    zeros(6),
    u16(1),
    zeros(16),
    u16(size.width),
    u16(size.height),
    u32(0x480000),
    u32(0x480000),
    zeros(4),
    u16(1),
    zeros(32),
    u16(24),
    u16(0xffff),
    config,
  );
  const keys = samples.flatMap((_, index) => (isKey(index) ? [index + 1] : []));
  const sizes = samples.map((one) => one.length);
  const more = [full("stss", 0, u32(keys.length), ...keys.map(u32))];
  const table = sampleTable(entry, { sizes, duration: 1, start }, more);
  const media = [full("mdhd", 0, zeros(8), u32(FRAMES_A_SECOND), u32(samples.length), u16(0x55c4), zeros(2))];
  const handler = full("hdlr", 0, zeros(4), text("vide"), zeros(12), text("Video\0"));
  const info = box("minf", full("vmhd", 1, zeros(8)), DATA_HERE, table);
  return box("trak", trackHeader(1, seconds, size), box("mdia", ...media, handler, info));
}

function soundTrack(seconds: number, count: number, start: number): Uint8Array {
  const config = [0x05, 2, 0x11, 0x90];
  const decoder = [0x04, 13 + config.length, 0x40, 0x15, 0, 0, 0, ...u32(3500), ...u32(3500), ...config];
  const description = bytes([0x03, 3 + decoder.length + 3, 0, 1, 0, ...decoder, 0x06, 1, 2]);
  const entry = box(
    "mp4a",
    zeros(6),
    u16(1),
    zeros(8),
    u16(2),
    u16(16),
    zeros(4),
    u32(SOUND_RATE * 0x10000),
    full("esds", 0, description),
  );
  const sizes = Array.from({ length: count }, () => SILENCE.length);
  const table = sampleTable(entry, { sizes, duration: SOUND_FRAME_SAMPLES, start }, []);
  const length = u32(count * SOUND_FRAME_SAMPLES);
  const media = full("mdhd", 0, zeros(8), u32(SOUND_RATE), length, u16(0x55c4), zeros(2));
  const handler = full("hdlr", 0, zeros(4), text("soun"), zeros(12), text("Sound\0"));
  const info = box("minf", full("smhd", 0, zeros(4)), DATA_HERE, table);
  return box("trak", trackHeader(2, seconds, null), box("mdia", media, handler, info));
}

function trackHeader(id: number, seconds: number, size: Size | null): Uint8Array {
  const volume = size === null ? 0x0100 : 0;
  const sides = [u32((size?.width ?? 0) * 0x10000), u32((size?.height ?? 0) * 0x10000)];
  const length = u32(seconds * MOVIE_SCALE);
  return full(
    "tkhd",
    3,
    zeros(8),
    u32(id),
    zeros(4),
    length,
    zeros(8),
    zeros(4),
    u16(volume),
    zeros(2),
    MATRIX,
    ...sides,
  );
}

/** The sample table of a track whose samples are in one chunk. */
function sampleTable(
  entry: Uint8Array,
  { sizes, duration, start }: { sizes: number[]; duration: number; start: number },
  more: Uint8Array[],
): Uint8Array {
  return box(
    "stbl",
    full("stsd", 0, u32(1), entry),
    full("stts", 0, u32(1), u32(sizes.length), u32(duration)),
    ...more,
    full("stsc", 0, u32(1), u32(1), u32(sizes.length), u32(1)),
    full("stsz", 0, u32(0), u32(sizes.length), ...sizes.map(u32)),
    full("stco", 0, u32(1), u32(start)),
  );
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

const bytes = (list: readonly number[]) => new Uint8Array(list);
const zeros = (count: number) => new Uint8Array(count);
const text = (value: string) => new TextEncoder().encode(value);
const u16 = (value: number) => bytes([value >> 8, value & 0xff]);
const u32 = (value: number) => bytes([value / 0x1000000, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff]);
const box = (type: string, ...content: Uint8Array[]) => {
  const inner = joined(content);
  return joined([u32(inner.length + 8), text(type), inner]);
};
/** A full box: version 0 and flags. */
const full = (type: string, flags: number, ...content: Uint8Array[]) => box(type, u32(flags), ...content);

const MATRIX = joined([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].map(u32));
const DATA_HERE = box("dinf", full("dref", 0, u32(1), full("url ", 1)));
