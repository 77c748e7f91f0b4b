// Detects media facts from a file's bytes. Like the platforms, it ignores the file name and the content type.

export interface ByteSource {
  readonly size: number;
  /** Bytes of [offset, offset + length); fewer at the end of the file. */
  read(offset: number, length: number): Uint8Array;
}

import { describedTracks, NO_TRACKS, namedTracks, type TrackFacts } from "./media-tracks";

export interface MediaFacts extends TrackFacts {
  type: string;
  size: number;
  width: number | null;
  height: number | null;
  durationMs: number | null;
  frames: number | null;
  frameRate: number | null;
}

export const bytesSource = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: (offset, length) => bytes.subarray(offset, offset + length),
});

export function probe(source: ByteSource): MediaFacts {
  const type = sniff(source.read(0, 32));
  const facts: MediaFacts = {
    type,
    size: source.size,
    width: null,
    height: null,
    durationMs: null,
    frames: null,
    frameRate: null,
    ...NO_TRACKS,
  };
  switch (type) {
    case "image/jpeg":
      return { ...facts, ...jpegSize(source) };
    case "image/png":
      return { ...facts, ...pngSize(source) };
    case "image/gif":
      return { ...facts, ...gifFacts(source) };
    case "image/webp":
      return { ...facts, ...webpSize(source) };
    case "video/mp4":
    case "video/quicktime":
      return { ...facts, ...movieFacts(source) };
    case "video/webm":
      return { ...facts, ...namedTracks(source.read(0, 8192)) };
    default:
      return facts;
  }
}

function sniff(head: Uint8Array): string {
  const text = latin(head);
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (/^GIF8[79]a/.test(text)) return "image/gif";
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WEBP") return "image/webp";
  if (text.startsWith("BM")) return "image/bmp";
  if (text.startsWith("II*\0") || text.startsWith("MM\0*")) return "image/tiff";
  if (text.slice(4, 8) === "ftyp") {
    const brand = text.slice(8, 12);
    if (/^(heic|heix|hevc|mif1|msf1)$/.test(brand)) return "image/heic";
    if (brand === "avif") return "image/avif";
    return brand === "qt  " ? "video/quicktime" : "video/mp4";
  }
  if (/^(moov|mdat|wide|free)$/.test(text.slice(4, 8))) return "video/quicktime";
  if (text.startsWith("\x1aE\xdf\xa3")) return "video/webm";
  if (text.startsWith("%PDF-")) return "application/pdf";
  if (text.startsWith("WEBVTT")) return "text/vtt";
  return "application/octet-stream";
}

type Size = Pick<MediaFacts, "width" | "height">;

function jpegSize(source: ByteSource): Size | null {
  let at = 2;
  while (at < source.size) {
    const head = view(source, at, 9);
    if (head.byteLength < 9) return null;
    // Like decoders, platforms skip what stands between two segments.
    if (head.getUint8(0) !== 0xff || [0, 0xff].includes(head.getUint8(1))) {
      at += 1;
      continue;
    }
    const marker = head.getUint8(1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: head.getUint16(5), width: head.getUint16(7) };
    at += 2 + head.getUint16(2);
  }
  return null;
}

function pngSize(source: ByteSource): Size | null {
  const head = view(source, 16, 8);
  return head.byteLength < 8 ? null : { width: head.getUint32(0), height: head.getUint32(4) };
}

function webpSize(source: ByteSource): Size | null {
  const head = view(source, 12, 18);
  if (head.byteLength < 18) return null;
  const chunk = latin(source.read(12, 4));
  if (chunk === "VP8X") return { width: 1 + uint24(head, 12), height: 1 + uint24(head, 15) };
  if (chunk === "VP8L") {
    const bits = head.getUint32(9, true);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) };
  }
  return { width: head.getUint16(14, true) & 0x3fff, height: head.getUint16(16, true) & 0x3fff };
}

const uint24 = (data: DataView, at: number) => data.getUint16(at, true) | (data.getUint8(at + 2) << 16);

function gifFacts(source: ByteSource): Pick<MediaFacts, "width" | "height" | "frames"> | null {
  const bytes = source.read(0, Math.min(source.size, 20_000_000));
  if (bytes.length < 13) return null;
  const byte = (at: number) => bytes[at] ?? 0;
  const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + tableBytes(byte(10));
  let frames = 0;
  const skipBlocks = () => {
    while (at < bytes.length && byte(at) !== 0) at += byte(at) + 1;
    at += 1;
  };
  while (at < bytes.length) {
    if (byte(at) === 0x21) {
      at += 2;
      skipBlocks();
    } else if (byte(at) === 0x2c) {
      frames += 1;
      at += 11 + tableBytes(byte(at + 9));
      skipBlocks();
    } else break;
  }
  return { width: byte(6) | (byte(7) << 8), height: byte(8) | (byte(9) << 8), frames };
}

interface Box {
  type: string;
  start: number;
  end: number;
}

function boxes(source: ByteSource, from: number, to: number): Box[] {
  const found: Box[] = [];
  let at = from;
  while (at + 8 <= to && found.length < 10_000) {
    const head = view(source, at, 16);
    if (head.byteLength < 8) break;
    const small = head.getUint32(0);
    const large = small === 1 && head.byteLength === 16;
    const size = small === 0 ? to - at : large ? Number(head.getBigUint64(8)) : small;
    if (size < 8) break;
    found.push({ type: latin(source.read(at + 4, 4)), start: at + (large ? 16 : 8), end: Math.min(to, at + size) });
    at += size;
  }
  return found;
}

function child(source: ByteSource, parent: Box | undefined, ...path: string[]): Box | undefined {
  let box = parent;
  for (const type of path) box = box && boxes(source, box.start, box.end).find((inner) => inner.type === type);
  return box;
}

function movieFacts(source: ByteSource): Partial<MediaFacts> | null {
  const moov = boxes(source, 0, source.size).find((box) => box.type === "moov");
  const mvhd = child(source, moov, "mvhd");
  if (!moov || !mvhd) return null;
  const header = view(source, mvhd.start, 32);
  if (header.byteLength < 32) return null;
  const isLong = header.getUint8(0) === 1;
  const timescale = header.getUint32(isLong ? 20 : 12);
  const duration = isLong ? Number(header.getBigUint64(24)) : header.getUint32(16);
  const facts: Partial<MediaFacts> = { durationMs: timescale ? Math.round((duration * 1000) / timescale) : null };
  const tracks = boxes(source, moov.start, moov.end).filter((box) => box.type === "trak");
  const track = (handler: string) =>
    tracks.find((one) => {
      const hdlr = child(source, one, "mdia", "hdlr");
      return hdlr && latin(source.read(hdlr.start + 8, 4)) === handler;
    });
  const [video, audio] = [track("vide"), track("soun")];
  Object.assign(facts, describedTracks(description(source, video), description(source, audio)));
  if (!video) return facts;
  const tkhd = child(source, video, "tkhd");
  if (tkhd) {
    const sizes = view(source, tkhd.end - 8, 8);
    if (sizes.byteLength === 8) Object.assign(facts, { width: sizes.getUint16(0), height: sizes.getUint16(4) });
  }
  facts.frameRate = frameRate(source, video);
  if (child(source, moov, "mvex")) Object.assign(facts, fragmentedFacts(source, moov, video));
  return facts;
}

function description(source: ByteSource, track: Box | undefined): Uint8Array {
  const stsd = child(source, track, "mdia", "minf", "stbl", "stsd");
  return stsd ? source.read(stsd.start, stsd.end - stsd.start) : new Uint8Array();
}

/** The frames of a fragmented file are listed in its fragments; all of them are counted. */
function fragmentedFacts(source: ByteSource, moov: Box, video: Box): Partial<MediaFacts> {
  const number = (box: Box | undefined, at: number) => {
    const bytes = box && view(source, box.start + at, 4);
    return bytes?.byteLength === 4 ? bytes.getUint32(0) : 0;
  };
  const mdhd = child(source, video, "mdia", "mdhd");
  const timescale = number(mdhd, number(mdhd, 0) >>> 24 === 1 ? 20 : 12);
  const tkhd = child(source, video, "tkhd");
  const id = number(tkhd, number(tkhd, 0) >>> 24 === 1 ? 20 : 12);
  const mvex = child(source, moov, "mvex");
  const trex = mvex && boxes(source, mvex.start, mvex.end).find((one) => one.type === "trex" && number(one, 4) === id);
  // The first frames may stand in the header, like those of an ordinary file.
  const stts = child(source, video, "mdia", "minf", "stbl", "stts");
  const rows = Math.min(number(stts, 4), 10_000);
  let [frames, ticks] = [0, 0];
  for (let row = 0; row < rows; row++) {
    const count = number(stts, 8 + row * 8);
    frames += count;
    ticks += count * number(stts, 12 + row * 8);
  }
  for (const moof of boxes(source, 0, source.size).filter((one) => one.type === "moof")) {
    for (const traf of boxes(source, moof.start, moof.end).filter((one) => one.type === "traf")) {
      const tfhd = child(source, traf, "tfhd");
      if (number(tfhd, 4) !== id) continue;
      const has = number(tfhd, 0);
      const own = has & 8 ? number(tfhd, 8 + (has & 1 ? 8 : 0) + (has & 2 ? 4 : 0)) : number(trex, 12);
      for (const trun of boxes(source, traf.start, traf.end).filter((one) => one.type === "trun")) {
        const flags = number(trun, 0);
        const count = Math.min(number(trun, 4), 1_000_000);
        const width = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length * 4;
        const first = 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0);
        frames += count;
        for (let nth = 0; nth < count; nth++) ticks += flags & 0x100 ? number(trun, first + nth * width) : own;
      }
    }
  }
  if (!timescale || !ticks) return {};
  return {
    durationMs: Math.round((ticks * 1000) / timescale),
    frameRate: Math.round((frames * timescale * 100) / ticks) / 100,
  };
}

function frameRate(source: ByteSource, track: Box): number | null {
  const mdhd = child(source, track, "mdia", "mdhd");
  const stts = child(source, track, "mdia", "minf", "stbl", "stts");
  if (!mdhd || !stts) return null;
  const media = view(source, mdhd.start, 32);
  const times = view(source, stts.start, Math.min(stts.end - stts.start, 65_536));
  if (media.byteLength < 24 || times.byteLength < 16) return null;
  const timescale = media.getUint32(media.getUint8(0) === 1 ? 20 : 12);
  let samples = 0;
  let ticks = 0;
  const entries = Math.min(times.getUint32(4), Math.floor((times.byteLength - 8) / 8));
  for (let i = 0; i < entries; i++) {
    const count = times.getUint32(8 + i * 8);
    samples += count;
    ticks += count * times.getUint32(12 + i * 8);
  }
  return ticks ? Math.round((samples * timescale * 100) / ticks) / 100 : null;
}

export function view(source: ByteSource, offset: number, length: number): DataView {
  const bytes = source.read(offset, length);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export const latin = (bytes: Uint8Array) => String.fromCharCode(...bytes);
