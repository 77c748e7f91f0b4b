import { joined, latin1, uint16, viewOf } from "./bytes.ts";
import type { Parts } from "./parts.ts";
import { markedPacket, type SourceMark } from "./xmp-packet.ts";

/** XMP is in an APP1 segment that begins so, behind the segments that some readers expect first. */
const SIGNATURE = "http://ns.adobe.com/xap/1.0/\0";
const FIRST = ["JFIF\0", "JFXX\0", "Exif\0"];
const APP0 = 0xffe0;
const APP1 = 0xffe1;
const START_OF_SCAN = 0xffda;
const END_OF_IMAGE = 0xffd9;

/** Null if the segments before the pixels cannot be read. */
export function markJpeg(jpeg: Uint8Array, mark: SourceMark, parts: Parts): Uint8Array<ArrayBuffer> | null {
  const kept: Uint8Array[] = [];
  let existing: Uint8Array | null = null;
  let place = 2;
  let from = place;
  for (let at = place; ; ) {
    parts.take();
    const marker = uint16(jpeg, at);
    if (marker === START_OF_SCAN || marker === END_OF_IMAGE) break;
    if (marker === 0xffff) {
      at += 1;
      continue;
    }
    const length = uint16(jpeg, at + 2);
    const end = at + 2 + length;
    if (marker >> 8 !== 0xff || length < 2 || end > jpeg.byteLength) return null;
    const begins = (text: string) => latin1(jpeg, at + 4, text.length) === text;
    if (marker === APP1 && begins(SIGNATURE)) {
      existing ??= jpeg.subarray(at + 4 + SIGNATURE.length, end);
      kept.push(jpeg.subarray(from, at));
      from = end;
    } else if (at === place && (marker === APP0 || marker === APP1) && FIRST.some(begins)) {
      place = end;
      from = end;
    }
    at = end;
  }
  return joined([jpeg.subarray(0, place), segmentOf(markedPacket(mark, existing)), ...kept, jpeg.subarray(from)]);
}

function segmentOf(packet: Uint8Array): Uint8Array {
  const segment = joined([new Uint8Array(4), new TextEncoder().encode(SIGNATURE), packet]);
  const view = viewOf(segment);
  view.setUint16(0, APP1);
  view.setUint16(2, segment.byteLength - 2);
  return segment;
}
