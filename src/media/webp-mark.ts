import { joined, latin1, viewOf } from "./bytes.ts";
import type { Parts } from "./parts.ts";
import { imageSize } from "./picture.ts";
import { markedPacket, type SourceMark } from "./xmp-packet.ts";

/** XMP is in the last chunk, and a flag of the extended header (`VP8X`) names it. */
const RIFF_BYTES = 12;
const CHUNK_BYTES = 8;
const HAS_XMP = 0x04;
const HAS_ALPHA = 0x10;

/** Null if the file is cut off, or its header cannot be read. */
export function markWebp(webp: Uint8Array, mark: SourceMark, parts: Parts): Uint8Array<ArrayBuffer> | null {
  const chunks = chunksOf(webp, parts);
  const header = chunks && headerOf(webp, chunks);
  if (!chunks || !header) return null;
  const kept = chunks.filter(({ type }) => type !== "VP8X" && type !== "XMP ").map(({ bytes }) => bytes);
  const existing = chunks.find(({ type }) => type === "XMP ")?.content ?? null;
  const packet = markedPacket(mark, existing);
  const file = joined([webp.subarray(0, RIFF_BYTES), header, ...kept, chunkOf("XMP ", packet)]);
  viewOf(file).setUint32(4, file.byteLength - 8, true);
  return file;
}

interface Chunk {
  readonly type: string;
  readonly content: Uint8Array;
  /** With its header and padding. */
  readonly bytes: Uint8Array;
}

function chunksOf(webp: Uint8Array, parts: Parts): readonly Chunk[] | null {
  if (webp.byteLength < RIFF_BYTES + CHUNK_BYTES) return null;
  const view = viewOf(webp);
  const end = view.getUint32(4, true) + 8;
  const chunks: Chunk[] = [];
  for (let at = RIFF_BYTES; at + CHUNK_BYTES <= Math.min(end, webp.byteLength); ) {
    parts.take();
    const start = at + CHUNK_BYTES;
    const length = view.getUint32(at + 4, true);
    if (start + length > webp.byteLength) return null;
    const content = webp.subarray(start, start + length);
    const type = latin1(webp, at, 4);
    // The padding of the last chunk is sometimes missing.
    const next = start + length + (length % 2);
    const isWhole = next <= webp.byteLength;
    chunks.push({ type, content, bytes: isWhole ? webp.subarray(at, next) : chunkOf(type, content) });
    at = next;
  }
  return chunks;
}

/** The extended header with the flag. A plain file gets one with its picture's size and transparency. */
function headerOf(webp: Uint8Array, [first]: readonly Chunk[]): Uint8Array | null {
  if (first?.type === "VP8X") {
    if (first.content.byteLength < 10) return null;
    const header = first.bytes.slice();
    header[CHUNK_BYTES] = (header[CHUNK_BYTES] ?? 0) | HAS_XMP;
    return header;
  }
  const size = imageSize("image/webp", webp);
  if (size === null || size === "damaged" || size.width === 0 || size.height === 0) return null;
  const hasAlpha = first?.type === "VP8L" && ((first.content[4] ?? 0) & 0x10) !== 0;
  const content = new Uint8Array(10);
  content[0] = HAS_XMP | (hasAlpha ? HAS_ALPHA : 0);
  const view = viewOf(content);
  // 24 bits each; a plain file has at most 16,384 pixels a side.
  view.setUint16(4, size.width - 1, true);
  view.setUint16(7, size.height - 1, true);
  return chunkOf("VP8X", content);
}

function chunkOf(type: string, content: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(CHUNK_BYTES + content.byteLength + (content.byteLength % 2));
  chunk.set(new TextEncoder().encode(type));
  viewOf(chunk).setUint32(4, content.byteLength, true);
  chunk.set(content, CHUNK_BYTES);
  return chunk;
}
