import { joined, latin1, uint32, viewOf } from "./bytes.ts";
import { crc32 } from "./crc32.ts";
import type { Parts } from "./parts.ts";
import { markedPacket, type SourceMark } from "./xmp-packet.ts";

/** XMP is in an `iTXt` chunk with this keyword, after the header and before the pixels. */
const KEYWORD = "XML:com.adobe.xmp\0";
const SIGNATURE_BYTES = 8;
/** Length and type before a chunk's content, a checksum after it. */
const CHUNK_BYTES = 12;
const HEADER_END = SIGNATURE_BYTES + CHUNK_BYTES + 13;

/** Null if the file does not begin with a whole header. */
export function markPng(png: Uint8Array, mark: SourceMark, parts: Parts): Uint8Array<ArrayBuffer> | null {
  if (png.byteLength < HEADER_END || uint32(png, SIGNATURE_BYTES) !== 13 || latin1(png, 12, 4) !== "IHDR") return null;
  const kept: Uint8Array[] = [];
  let existing: Uint8Array | null = null;
  let from = HEADER_END;
  for (let at = from; at + CHUNK_BYTES <= png.byteLength; ) {
    parts.take();
    const end = at + CHUNK_BYTES + uint32(png, at);
    if (end > png.byteLength) break;
    const content = png.subarray(at + 8, end - 4);
    if (latin1(png, at + 4, 4) === "iTXt" && latin1(content, 0, KEYWORD.length) === KEYWORD) {
      existing ??= packetIn(content);
      kept.push(png.subarray(from, at));
      from = end;
    }
    at = end;
  }
  const packet = markedPacket(mark, existing);
  return joined([png.subarray(0, HEADER_END), chunkOf(packet), ...kept, png.subarray(from)]);
}

/** Null if it is compressed, which XMP must not be. */
function packetIn(content: Uint8Array): Uint8Array | null {
  if (content[KEYWORD.length] !== 0) return null;
  const languageEnd = content.indexOf(0, KEYWORD.length + 2);
  const translationEnd = languageEnd < 0 ? -1 : content.indexOf(0, languageEnd + 1);
  return translationEnd < 0 ? null : content.subarray(translationEnd + 1);
}

function chunkOf(packet: Uint8Array): Uint8Array {
  // Not compressed, and neither language nor translation.
  const text = `iTXt${KEYWORD}\0\0\0\0`;
  const chunk = joined([new Uint8Array(4), new TextEncoder().encode(text), packet, new Uint8Array(4)]);
  const view = viewOf(chunk);
  view.setUint32(0, chunk.byteLength - CHUNK_BYTES);
  view.setUint32(chunk.byteLength - 4, crc32(chunk.subarray(4, -4)));
  return chunk;
}
