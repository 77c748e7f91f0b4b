import type { AudioEncoding, VideoEncoding } from "../platforms/rules.ts";
import { boxesIn, type ContentBox } from "./boxes.ts";
import { latin1, uint16, uint32, viewOf } from "./bytes.ts";
import {
  aacConfiguration,
  av1Configuration,
  avcConfiguration,
  type Configuration,
  hdrOf,
  hevcConfiguration,
  vpConfiguration,
} from "./codec-configuration.ts";
import { audioOfEntry, audioOfObject, CODECS_WITH_OWN_CHANNELS, videoOfEntry, videoOfObject } from "./codec-names.ts";
import { type FrameRate, frameRateOf, type Run, UNKNOWN_RATE } from "./frame-rate.ts";
import type { Parts } from "./parts.ts";

/**
 * How the tracks of an MP4 or QuickTime file are encoded, from their sample descriptions (`stsd`) and the
 * durations of their frames (`stts`). ISO 14496-12 and 14496-14, QuickTime File Format. Pure.
 */

/** The boxes of a track that its encoding is read from; empty if the track has none. */
export interface Tables {
  readonly stsd: Uint8Array;
  readonly stts: Uint8Array;
  readonly ticksPerSecond: number;
}

/** `minf` of a track: its tables. */
export function tablesOf(minf: Uint8Array, ticksPerSecond: number, parts: Parts): Tables {
  const stbl = boxesIn(contentOf(boxesIn(minf, parts), "stbl"), parts);
  return { stsd: contentOf(stbl, "stsd"), stts: contentOf(stbl, "stts"), ticksPerSecond };
}

/** Null without a sample description. */
export function videoEncoding(video: Tables, audio: Tables | null, parts: Parts): VideoEncoding | null {
  const [entry] = boxesIn(video.stsd.subarray(8), parts, 1);
  if (!entry) return null;
  const heard = audio && audioEncoding(audio, parts);
  return { ...describe(entry, parts), ...rateOf(video, parts), audio: heard };
}

/** Sizes, resolutions, a name and a depth precede the boxes of a visual sample entry. */
const VISUAL_BYTES = 78;
const ENCRYPTED = /^enc[vat]$/;

function describe(entry: ContentBox, parts: Parts): Omit<VideoEncoding, keyof FrameRate | "audio"> {
  const boxes = boxesIn(entry.bytes.subarray(VISUAL_BYTES), parts);
  const colr = contentOf(boxes, "colr");
  const hdr = /^ncl[xc]$/.test(latin1(colr, 0, 4)) ? hdrOf(uint16(colr, 6)) : null;
  const type = ENCRYPTED.test(entry.type) ? originalFormat(boxes, parts) : entry.type;
  const object = type === "mp4v" ? videoOfObject(objectOf(boxes).type) : null;
  const { name: codec, chroma = null, bitDepth = null } = object ?? videoOfEntry(type);
  const known = configurationIn(boxes);
  return { codec, hdr, ...(known ?? { profile: null, chroma, bitDepth }) };
}

/** The codec of an encrypted track. */
function originalFormat(boxes: readonly ContentBox[], parts: Parts): string {
  return latin1(contentOf(boxesIn(contentOf(boxes, "sinf"), parts), "frma"), 0, 4);
}

const CONFIGURATIONS: readonly (readonly [type: string, read: (bytes: Uint8Array) => Configuration])[] = [
  ["avcC", avcConfiguration],
  ["hvcC", hevcConfiguration],
  ["vpcC", vpConfiguration],
  ["av1C", av1Configuration],
];

function configurationIn(boxes: readonly ContentBox[]): Configuration | null {
  for (const [type, read] of CONFIGURATIONS) {
    const box = boxes.find((one) => one.type === type);
    if (box) return read(box.bytes);
  }
  return null;
}

/** Rows of the table that one part stands for. */
const ROWS_OF_A_PART = 64;

function rateOf({ stts, ticksPerSecond }: Tables, parts: Parts): FrameRate {
  const rows = Math.min(uint32(stts, 4), Math.floor(Math.max(0, stts.byteLength - 8) / 8));
  parts.take(Math.ceil(rows / ROWS_OF_A_PART));
  const runs: Run[] = [];
  for (let row = 0; row < rows; row += 1) {
    runs.push({ count: uint32(stts, 8 + row * 8), ticks: uint32(stts, 12 + row * 8) });
  }
  return rows === 0 ? UNKNOWN_RATE : frameRateOf(runs, ticksPerSecond);
}

/** The bytes before the boxes of an audio sample entry, by the version of QuickTime. */
const AUDIO_BYTES = [28, 44, 64];

function audioEncoding({ stsd }: Tables, parts: Parts): AudioEncoding | null {
  const [entry] = boxesIn(stsd.subarray(8), parts, 1);
  if (!entry) return null;
  const { bytes } = entry;
  const version = uint16(bytes, 8);
  const isSecond = version === 2 && bytes.byteLength >= 64;
  const stated = {
    channels: (isSecond ? uint32(bytes, 40) : uint16(bytes, 16)) || null,
    hz: (isSecond ? Math.round(viewOf(bytes).getFloat64(32)) : uint16(bytes, 24)) || null,
  };
  const own = boxesIn(bytes.subarray(AUDIO_BYTES[version] ?? 28), parts);
  // QuickTime wraps the description in a box of its own.
  const boxes = [...own, ...boxesIn(contentOf(own, "wave"), parts)];
  const type = ENCRYPTED.test(entry.type) ? originalFormat(boxes, parts) : entry.type;
  if (type !== "mp4a") {
    const name = audioOfEntry(type);
    return { codec: name, ...stated, ...(CODECS_WITH_OWN_CHANNELS.includes(name) ? { channels: null } : {}) };
  }
  const object = objectOf(boxes);
  const codec = audioOfObject(object.type) ?? audioOfEntry(type);
  if (codec !== "AAC" || object.configuration.byteLength < 2) return { codec, ...stated };
  const aac = aacConfiguration(object.configuration);
  // Without a number, the stream describes each channel.
  return { codec: aac.codec, channels: aac.channels, hz: aac.hz ?? stated.hz };
}

const [ES, DECODER, SPECIFIC] = [3, 4, 5];

/** `esds`: the type of the object, and the configuration of its decoder. */
function objectOf(boxes: readonly ContentBox[]): { readonly type: number; readonly configuration: Uint8Array } {
  const es = descriptorIn(contentOf(boxes, "esds").subarray(4), ES);
  const flags = es[2] ?? 0;
  const optional = ((flags & 0x80) !== 0 ? 2 : 0) + ((flags & 0x40) !== 0 ? 1 + (es[3] ?? 0) : 0);
  const decoder = descriptorIn(es.subarray(3 + optional + ((flags & 0x20) !== 0 ? 2 : 0)), DECODER);
  return { type: decoder[0] ?? 0, configuration: descriptorIn(decoder.subarray(13), SPECIFIC) };
}

/**
 * The content of the first descriptor, if it has this tag. Its length has seven bits in each of up to four
 * bytes.
 */
function descriptorIn(bytes: Uint8Array, tag: number): Uint8Array {
  if (bytes[0] !== tag) return new Uint8Array();
  let length = 0;
  let at = 1;
  for (; at < 5; at += 1) {
    const byte = bytes[at] ?? 0;
    length = length * 128 + (byte & 0x7f);
    if (byte < 0x80) break;
  }
  return bytes.subarray(at + 1, at + 1 + length);
}

function contentOf(boxes: readonly ContentBox[], type: string): Uint8Array {
  return boxes.find((box) => box.type === type)?.bytes ?? new Uint8Array();
}
