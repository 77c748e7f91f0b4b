/**
 * What the first bytes of a file say it is, and what its headers say of size and duration. Pure: bytes in, facts out.
 * Names and content types that servers claim are not looked at.
 */
export type FileType =
  | { readonly kind: "image" | "gif" | "video"; readonly mime: string; readonly word: string }
  /** Something else that we can name. */
  | { readonly kind: "other"; readonly word: string };

const JPEG: FileType = { kind: "image", mime: "image/jpeg", word: "a JPEG image" };
const PNG: FileType = { kind: "image", mime: "image/png", word: "a PNG image" };
const GIF: FileType = { kind: "gif", mime: "image/gif", word: "a GIF" };
const WEBP: FileType = { kind: "image", mime: "image/webp", word: "a WebP image" };
const BMP: FileType = { kind: "image", mime: "image/bmp", word: "a BMP image" };
const TIFF: FileType = { kind: "image", mime: "image/tiff", word: "a TIFF image" };
const HEIC: FileType = { kind: "image", mime: "image/heic", word: "a HEIC image" };
const AVIF: FileType = { kind: "image", mime: "image/avif", word: "an AVIF image" };
const MP4: FileType = { kind: "video", mime: "video/mp4", word: "an MP4 video" };
const MOV: FileType = { kind: "video", mime: "video/quicktime", word: "a QuickTime video" };
const WEBM: FileType = { kind: "video", mime: "video/webm", word: "a WebM video" };
const MKV: FileType = { kind: "video", mime: "video/x-matroska", word: "a Matroska video" };
const AVI: FileType = { kind: "video", mime: "video/x-msvideo", word: "an AVI video" };

const SIGNATURES: readonly (readonly [offset: number, text: string, type: FileType])[] = [
  [0, "\xff\xd8\xff", JPEG],
  [0, "\x89PNG\r\n\x1a\n", PNG],
  [0, "GIF87a", GIF],
  [0, "GIF89a", GIF],
  [8, "WEBP", WEBP],
  [8, "AVI ", AVI],
  [0, "BM", BMP],
  [0, "II*\0", TIFF],
  [0, "MM\0*", TIFF],
  // QuickTime files from before `ftyp` begin with one of these boxes.
  [4, "moov", MOV],
  [4, "mdat", MOV],
  [4, "wide", MOV],
  [4, "free", MOV],
  [4, "skip", MOV],
  [0, "%PDF", { kind: "other", word: "a PDF document" }],
  [0, "PK\x03\x04", { kind: "other", word: "a ZIP archive or office document" }],
  [0, "ID3", { kind: "other", word: "an MP3 audio file" }],
  [0, "OggS", { kind: "other", word: "an Ogg file" }],
  [8, "WAVE", { kind: "other", word: "a WAV audio file" }],
];

const BRANDS: readonly (readonly [pattern: RegExp, type: FileType])[] = [
  [/^(avif|avis)/, AVIF],
  [/^(heic|heix|heim|heis|hevc|hevx|mif1|msf1)/, HEIC],
  [/^qt /, MOV],
  [/^(M4A |M4B )/, { kind: "other", word: "an MPEG-4 audio file" }],
];

/** Null when the bytes are none of what we know. */
export function typeOf(head: Uint8Array): FileType | null {
  const at = (offset: number, length: number) => latin1(head, offset, length);
  if (at(4, 4) === "ftyp") return BRANDS.find(([pattern]) => pattern.test(at(8, 4)))?.[1] ?? MP4;
  if (at(0, 4) === "\x1a\x45\xdf\xa3") return at(0, 64).includes("webm") ? WEBM : MKV;
  const known = SIGNATURES.find(([offset, text]) => at(offset, text.length) === text);
  if (known) return known[2];
  const start = new TextDecoder().decode(head.subarray(0, 512)).trimStart().toLowerCase();
  if (start.startsWith("<!doctype html") || start.startsWith("<html")) return { kind: "other", word: "a web page" };
  if (start.startsWith("<svg") || (start.startsWith("<?xml") && start.includes("<svg"))) {
    return { kind: "other", word: "an SVG drawing" };
  }
  return null;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Width and height of an image from its first bytes; null where they are not in there. */
export function imageSize(mime: string, head: Uint8Array): Size | null {
  const view = viewOf(head);
  try {
    switch (mime) {
      case "image/png":
        return { width: view.getUint32(16), height: view.getUint32(20) };
      case "image/gif":
        return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
      case "image/bmp":
        return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
      case "image/webp":
        return webpSize(view, latin1(head, 12, 4));
      case "image/jpeg":
        return jpegSize(view);
      default:
        return null;
    }
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function webpSize(view: DataView, chunk: string): Size | null {
  const uint24 = (offset: number) => view.getUint16(offset, true) + view.getUint8(offset + 2) * 65_536;
  if (chunk === "VP8X") return { width: uint24(24) + 1, height: uint24(27) + 1 };
  if (chunk === "VP8 ") return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (chunk !== "VP8L") return null;
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** Walks the segments to the frame header. EXIF may turn the picture by a quarter, which swaps the sides. */
function jpegSize(view: DataView): Size | null {
  let offset = 2;
  // The first EXIF segment counts: a file may hold thousands, each pointing at a directory of thousands.
  let isTurned: boolean | null = null;
  for (;;) {
    const marker = view.getUint16(offset);
    if (marker >> 8 !== 0xff) return null;
    const kind = marker & 0xff;
    if (kind === 0xff) {
      offset += 1;
      continue;
    }
    const isFrame = kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;
    if (isFrame) {
      const [height, width] = [view.getUint16(offset + 5), view.getUint16(offset + 7)];
      return isTurned ? { width: height, height: width } : { width, height };
    }
    if (kind === 0xe1 && view.getUint32(offset + 4) === 0x45786966) isTurned ??= isExifTurned(view, offset + 10);
    offset += 2 + view.getUint16(offset + 2);
  }
}

function isExifTurned(view: DataView, tiff: number): boolean {
  const little = view.getUint16(tiff) === 0x4949;
  const directory = tiff + view.getUint32(tiff + 4, little);
  const entries = view.getUint16(directory, little);
  for (let index = 0; index < entries; index += 1) {
    const entry = directory + 2 + index * 12;
    if (view.getUint16(entry, little) === 0x0112) return view.getUint16(entry + 8, little) >= 5;
  }
  return false;
}

// --- MP4 and QuickTime ------------------------------------------------------------------------------------------

export interface Box {
  readonly type: string;
  /** Offset of what the box holds. */
  readonly start: number;
  /** Offset after the box; null when it runs to the end of the file. */
  readonly end: number | null;
}

/** The box whose header begins at `offset`; null when the bytes end before the header does, or are no box. */
export function boxAt(bytes: Uint8Array, offset: number): Box | null {
  const view = viewOf(bytes);
  if (offset + 8 > bytes.byteLength) return null;
  const type = latin1(bytes, offset + 4, 4);
  const short = view.getUint32(offset);
  if (short === 0) return { type, start: offset + 8, end: null };
  if (short !== 1) return short < 8 ? null : { type, start: offset + 8, end: offset + short };
  if (offset + 16 > bytes.byteLength) return null;
  const long = Number(view.getBigUint64(offset + 8));
  return long < 16 ? null : { type, start: offset + 16, end: offset + long };
}

const MAX_TRACKS = 32;
const MAX_BOXES = 256;

export interface Movie {
  readonly durationSeconds: number | null;
  readonly size: Size | null;
  /** Whether any track is a video; null when the file does not say. */
  readonly hasVideo: boolean | null;
}

/** What a movie header (the content of a `moov` box, perhaps cut off) says. */
export function readMovie(moov: Uint8Array): Movie {
  let timescale = 0;
  let duration: number | null = null;
  let fragments: number | null = null;
  const tracks: Track[] = [];
  for (const { type, bytes } of boxesIn(moov)) {
    if (type === "mvhd") {
      const isLong = bytes[0] === 1;
      timescale = uint32(bytes, isLong ? 20 : 12);
      duration = isLong ? uint64(bytes, 24) : uint32(bytes, 16);
      if (duration === 0xffff_ffff) duration = null;
    }
    if (type === "trak" && tracks.length < MAX_TRACKS) tracks.push(readTrack(bytes));
    if (type === "mvex") {
      const mehd = boxesIn(bytes).find((box) => box.type === "mehd")?.bytes;
      if (mehd) fragments = mehd[0] === 1 ? uint64(mehd, 4) : uint32(mehd, 4);
    }
  }
  const video = tracks
    .filter((track) => track.handler === "vide" || (track.handler === null && track.size !== null))
    .toSorted((a, b) => area(b.size) - area(a.size))[0];
  const isKnown = tracks.length > 0 && tracks.every((track) => track.handler !== null);
  // A fragmented file has no duration in its own header.
  const units = duration || fragments;
  return {
    durationSeconds: timescale > 0 && units ? units / timescale : null,
    size: video?.size ?? null,
    hasVideo: video ? true : isKnown ? false : null,
  };
}

interface Track {
  readonly handler: string | null;
  readonly size: Size | null;
}

function readTrack(trak: Uint8Array): Track {
  let size: Size | null = null;
  let handler: string | null = null;
  for (const { type, bytes } of boxesIn(trak)) {
    if (type === "tkhd") size = trackSize(bytes);
    if (type === "mdia" && handler === null) {
      const hdlr = boxesIn(bytes).find((box) => box.type === "hdlr")?.bytes;
      if (hdlr && hdlr.byteLength >= 12) handler = latin1(hdlr, 8, 4);
    }
  }
  return { handler, size };
}

/** Sides are 16.16 fixed point; a matrix without a diagonal turns the picture by a quarter. */
function trackSize(tkhd: Uint8Array): Size | null {
  const matrix = tkhd[0] === 1 ? 52 : 40;
  if (tkhd.byteLength < matrix + 44) return null;
  const width = Math.round(uint32(tkhd, matrix + 36) / 65_536);
  const height = Math.round(uint32(tkhd, matrix + 40) / 65_536);
  if (width === 0 || height === 0) return null;
  const isTurned = uint32(tkhd, matrix) === 0 && uint32(tkhd, matrix + 16) === 0 && uint32(tkhd, matrix + 4) !== 0;
  return isTurned ? { width: height, height: width } : { width, height };
}

/** The first of them: nothing that plays needs more, and a box may be of eight bytes. */
function boxesIn(bytes: Uint8Array): { readonly type: string; readonly bytes: Uint8Array }[] {
  const boxes: { type: string; bytes: Uint8Array }[] = [];
  for (let offset = 0; ; ) {
    const box = boxAt(bytes, offset);
    if (box === null || boxes.length === MAX_BOXES) return boxes;
    boxes.push({ type: box.type, bytes: bytes.subarray(box.start, box.end ?? undefined) });
    if (box.end === null) return boxes;
    offset = box.end;
  }
}

function area(size: Size | null): number {
  return size ? size.width * size.height : 0;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** 0 where the bytes end before. */
function uint32(bytes: Uint8Array, offset: number): number {
  return offset + 4 <= bytes.byteLength ? viewOf(bytes).getUint32(offset) : 0;
}

function uint64(bytes: Uint8Array, offset: number): number {
  return uint32(bytes, offset) * 2 ** 32 + uint32(bytes, offset + 4);
}

function latin1(bytes: Uint8Array, offset: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + length));
}
