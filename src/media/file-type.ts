import type { MediaKind } from "../platforms/media-kinds.ts";
import { latin1, uint32 } from "./bytes.ts";
import { isPdf } from "./documents/pdf.ts";

/** The type of a file by its first bytes. Pure. File names and the server's content types are ignored. */
export type FileType =
  | { readonly kind: MediaKind; readonly mime: string; readonly word: string }
  /** A container of many kinds of documents: which one is read from its directory. */
  | { readonly kind: "container"; readonly of: "zip" | "compound" }
  /** Another type that we can name. */
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
const PDF: FileType = { kind: "document", mime: "application/pdf", word: "a PDF document" };

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
  // QuickTime files that predate `ftyp` start with one of these boxes.
  [4, "moov", MOV],
  [4, "mdat", MOV],
  [4, "wide", MOV],
  [4, "free", MOV],
  [4, "skip", MOV],
  [0, "%PDF-", PDF],
  [0, "PK\x03\x04", { kind: "container", of: "zip" }],
  [0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", { kind: "container", of: "compound" }],
  [0, "ID3", { kind: "other", word: "an MP3 audio file" }],
  [0, "OggS", { kind: "other", word: "an Ogg file" }],
  [8, "WAVE", { kind: "other", word: "a WAV audio file" }],
];

const MAX_FTYP_BYTES = 256;
const BRANDS: readonly (readonly [pattern: RegExp, type: FileType])[] = [
  [/^(avif|avis)/, AVIF],
  // Any picture in this container; the brands that follow name its codec.
  [/^(mif1|msf1)(....)*(avif|avis)/s, AVIF],
  [/^(heic|heix|heim|heis|hevc|hevx|mif1|msf1)/, HEIC],
  [/^qt /, MOV],
  [/^(M4A |M4B )/, { kind: "other", word: "an MPEG-4 audio file" }],
];

/** The major brand and the compatible brands, four letters each. */
function brandsOf(head: Uint8Array): string {
  const length = Math.min(uint32(head, 0), MAX_FTYP_BYTES);
  return latin1(head, 8, 4) + latin1(head, 16, Math.max(0, length - 16));
}

/** Null for an unknown type. */
export function typeOf(head: Uint8Array): FileType | null {
  const at = (offset: number, length: number) => latin1(head, offset, length);
  if (at(4, 4) === "ftyp") return BRANDS.find(([pattern]) => pattern.test(brandsOf(head)))?.[1] ?? MP4;
  if (at(0, 4) === "\x1a\x45\xdf\xa3") return at(0, 64).includes("webm") ? WEBM : MKV;
  const known = SIGNATURES.find(([offset, text]) => at(offset, text.length) === text);
  if (known) return known[2];
  const start = new TextDecoder().decode(head.subarray(0, 512)).trimStart().toLowerCase();
  if (start.startsWith("<!doctype html") || start.startsWith("<html")) return { kind: "other", word: "a web page" };
  if (start.startsWith("<svg") || (start.startsWith("<?xml") && start.includes("<svg"))) {
    return { kind: "other", word: "an SVG drawing" };
  }
  return isPdf(head) ? PDF : null;
}
