// Reads IPTC's Digital Source Type from the XMP packet of a file, as platforms do that label AI media.
// Written from the contract: PNG, JPEG, WebP and MP4.

import { hex } from "./digest";
import { type ByteSource, latin, view } from "./media-probe";

const MOST_PARTS = 20_000;
const MOST_PACKET = 1_000_000;

/** The last part of the type's address; null if the file has none. */
export function sourceTypeOf(source: ByteSource): string | null {
  const head = latin(source.read(0, 16));
  const packets = head.startsWith("\x89PNG")
    ? packetsOfPng(source)
    : head.startsWith("\xff\xd8")
      ? packetsOfJpeg(source)
      : head.slice(8, 12) === "WEBP"
        ? packetsOfWebp(source)
        : packetsOfMovie(source);
  if (packets.length > 1) return "several XMP packets";
  const [packet = ""] = packets;
  return (
    /DigitalSourceType[^>]*?["'>]http:\/\/cv\.iptc\.org\/newscodes\/digitalsourcetype\/(\w+)/.exec(packet)?.[1] ?? null
  );
}

function packetsOfPng(source: ByteSource): string[] {
  const found: string[] = [];
  for (let at = 8, parts = 0; at + 12 <= source.size && parts < MOST_PARTS; parts++) {
    const head = view(source, at, 8);
    const length = head.getUint32(0);
    const type = latin(source.read(at + 4, 4));
    if (type === "IDAT") break;
    const keyword = "XML:com.adobe.xmp\0\0\0\0\0";
    if (type === "iTXt" && latin(source.read(at + 8, keyword.length)) === keyword) {
      found.push(text(source, at + 8 + keyword.length, at + 8 + length));
    }
    at += 12 + length;
  }
  return found;
}

function packetsOfJpeg(source: ByteSource): string[] {
  const found: string[] = [];
  for (let at = 2, parts = 0; at + 4 <= source.size && parts < MOST_PARTS; parts++) {
    const head = view(source, at, 4);
    const marker = head.getUint16(0);
    if (marker < 0xffc0 || marker === 0xffda) break;
    const end = at + 2 + head.getUint16(2);
    const name = "http://ns.adobe.com/xap/1.0/\0";
    if (marker === 0xffe1 && latin(source.read(at + 4, name.length)) === name) {
      found.push(text(source, at + 4 + name.length, end));
    }
    at = end;
  }
  return found;
}

function packetsOfWebp(source: ByteSource): string[] {
  const found: string[] = [];
  const hasXmp = latin(source.read(12, 4)) === "VP8X" && ((source.read(20, 1)[0] ?? 0) & 4) !== 0;
  for (let at = 12, parts = 0; hasXmp && at + 8 <= source.size && parts < MOST_PARTS; parts++) {
    const length = view(source, at, 8).getUint32(4, true);
    if (latin(source.read(at, 4)) === "XMP ") found.push(text(source, at + 8, at + 8 + length));
    at += 8 + length + (length % 2);
  }
  return found;
}

function packetsOfMovie(source: ByteSource): string[] {
  const found: string[] = [];
  for (let at = 0, parts = 0; at + 8 <= source.size && parts < MOST_PARTS; parts++) {
    const head = view(source, at, Math.min(16, source.size - at));
    const short = head.getUint32(0);
    const isLong = short === 1 && head.byteLength === 16;
    const size = isLong ? Number(head.getBigUint64(8)) : short === 0 ? source.size - at : short;
    if (size < 8) break;
    const start = at + (isLong ? 16 : 8);
    const isXmp = hex(source.read(start, 16)) === "be7acfcb97a942e89c71999491e3afac";
    if (latin(source.read(at + 4, 4)) === "uuid" && isXmp) found.push(text(source, start + 16, at + size));
    at += size;
  }
  return found;
}

const text = (source: ByteSource, from: number, to: number) =>
  new TextDecoder().decode(source.read(from, Math.min(Math.max(0, to - from), MOST_PACKET)));
