import { boxesIn, type ContentBox } from "../../media/boxes.ts";
import { joined, latin1, uint16, uint32, viewOf } from "../../media/bytes.ts";
import { audioOfEntry, videoOfEntry } from "../../media/codec-names.ts";
import type { Parts } from "../../media/parts.ts";
import { box, u16, u32, zeros } from "../box-bytes.ts";
import { damaged, Unfit } from "./unfit.ts";

/**
 * Sample descriptions as an MP4 has them (ISO 14496-12 and -15), from those of QuickTime, which has audio
 * descriptions of its own and shorter colors. The configuration of a decoder is copied as it is.
 */

const VIDEO_TYPES = ["avc1", "avc3", "hvc1", "hev1", "dvh1", "dvhe", "dva1", "dvav", "av01", "vp08", "vp09", "mp4v"];
/** With the box that holds the configuration of the decoder. */
const AUDIO_TYPES: Readonly<Record<string, string>> = {
  mp4a: "esds",
  "ac-3": "dac3",
  "ec-3": "dec3",
  alac: "alac",
  Opus: "dOps",
  fLaC: "dfLa",
};
const ENCRYPTED = /^(enc[vat]|drm[is])$/;
/** More descriptions than any file has. */
const MAX_ENTRIES = 64;

export type Handler = "vide" | "soun";

/** Where a description is from, and what it is of. */
export interface EntryOrigin {
  readonly handler: Handler;
  /** Whether the file is one of QuickTime, whose other codecs an MP4 has no place for. */
  readonly isQuickTime: boolean;
}

/** The descriptions of a track; null if an MP4 has no place for one of them. */
export function entriesOf(stsd: Uint8Array, origin: EntryOrigin, parts: Parts): readonly Uint8Array[] | null {
  const count = uint32(stsd, 4);
  const entries = boxesIn(stsd.subarray(8), parts, MAX_ENTRIES);
  if (count === 0 || count !== entries.length) throw damaged();
  const made = entries.map((entry) => {
    if (ENCRYPTED.test(entry.type)) throw new Unfit({ why: "encrypted" });
    const made = origin.handler === "vide" ? videoEntry(entry, parts) : audioEntry(entry, parts);
    return made ?? (origin.isQuickTime ? null : sameEntry(entry));
  });
  return made.some((entry) => entry === null) ? null : made.flatMap((entry) => entry ?? []);
}

/** The description of an MP4 stays as it is, with the only data reference. */
function sameEntry({ type, bytes }: ContentBox): Uint8Array {
  if (bytes.byteLength < 8) throw damaged();
  return box(type, bytes.subarray(0, 6), u16(1), bytes.subarray(8));
}

/** The common name of the codec. */
export function codecOf(stsd: Uint8Array, handler: Handler): string {
  const type = latin1(stsd, 12, 4);
  return handler === "vide" ? videoOfEntry(type).name : audioOfEntry(type);
}

const VISUAL_BYTES = 78;
/** Properties of QuickTime that colors replace. */
const LEFT_OUT = ["gama", "chrm"];

function videoEntry({ type, bytes }: ContentBox, parts: Parts): Uint8Array | null {
  if (!VIDEO_TYPES.includes(type)) return null;
  if (bytes.byteLength < VISUAL_BYTES) throw damaged();
  const head = bytes.slice(0, VISUAL_BYTES);
  // The only data reference; then what QuickTime has of the encoder, and the marks of no color table.
  viewOf(head).setUint16(6, 1);
  head.fill(0, 8, 24);
  viewOf(head).setUint16(76, 0xffff);
  const boxes = boxesIn(bytes.subarray(VISUAL_BYTES), parts);
  if (boxes.length === 0) throw damaged();
  const kept = boxes.filter((one) => !LEFT_OUT.includes(one.type));
  return box(type, head, ...kept.map((one) => box(one.type, one.type === "colr" ? color(one.bytes) : one.bytes)));
}

/** `nclc` of QuickTime is `nclx` without its last byte, which says whether the range is full. */
function color(colr: Uint8Array): Uint8Array {
  if (latin1(colr, 0, 4) !== "nclc" || colr.byteLength < 10) return colr;
  return joined([new TextEncoder().encode("nclx"), colr.subarray(4, 10), zeros(1)]);
}

/** The bytes before the boxes of an audio sample entry, by the version of QuickTime. */
const AUDIO_BYTES = [28, 44, 64];

function audioEntry({ type, bytes }: ContentBox, parts: Parts): Uint8Array | null {
  const configuration = AUDIO_TYPES[type];
  const version = uint16(bytes, 8);
  const start = AUDIO_BYTES[version];
  if (configuration === undefined) return null;
  if (start === undefined || bytes.byteLength < start) throw damaged();
  const own = boxesIn(bytes.subarray(start), parts);
  const wave = own.find((one) => one.type === "wave");
  const boxes = wave ? [...own, ...boxesIn(wave.bytes, parts)] : own;
  const found = boxes.find((one) => one.type === configuration);
  if (!found) throw damaged();
  const isSecond = version === 2;
  const channels = isSecond ? uint32(bytes, 40) : uint16(bytes, 16);
  const rate = isSecond ? Math.round(viewOf(bytes).getFloat64(32)) : uint16(bytes, 24);
  // A rate of 16.16 fixed point, in which higher ones do not fit.
  const stated = [u16(channels), u16(16), zeros(4), u16(rate > 0xffff ? 0 : rate), u16(0)];
  return box(type, zeros(6), u16(1), zeros(8), ...stated, box(found.type, found.bytes));
}

/** The whole table of descriptions. */
export function descriptionBox(entries: readonly Uint8Array[]): Uint8Array {
  return box("stsd", u32(0), u32(entries.length), ...entries);
}
