import { load } from "cheerio";

/**
 * Reads XMP the way metadata tools do, written from the specifications of the formats and independently of
 * the service: PNG 3rd edition 11.3.3, XMP part 3 for JPEG, WebP and MP4.
 */
export interface FileMark {
  /** The Digital Source Types of all packets, each the last part of its address. */
  readonly types: readonly string[];
  readonly systems: readonly string[];
  /** The text of each packet. */
  readonly packets: readonly string[];
}

const IPTC = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/";

export function markOf(file: Uint8Array): FileMark {
  const packets = packetsOf(Buffer.from(file));
  const values = (name: string) => packets.flatMap((packet) => propertiesOf(packet, name));
  return {
    types: values("DigitalSourceType").map((address) => address.replace(/^.*\//, "")),
    systems: values("AISystemUsed"),
    packets,
  };
}

/** The values of an IPTC property, as attributes or as elements, whatever its prefix is. */
export function propertiesOf(packet: string, name: string): readonly string[] {
  const $ = load(packet, { xml: true });
  const elements = $("*")
    .toArray()
    .flatMap((node) => (node.type === "tag" ? [node] : []));
  const attributes = elements.flatMap(({ attribs }) => Object.entries(attribs));
  const prefixes = attributes.flatMap(([key, value]) => (value === IPTC ? [key.replace("xmlns:", "")] : []));
  const isNamed = (key: string) => prefixes.some((prefix) => key === `${prefix}:${name}`);
  const inside = elements.filter((element) => isNamed(element.name));
  return [
    ...attributes.flatMap(([key, value]) => (isNamed(key) ? [value] : [])),
    ...inside.map((element) => element.attribs["rdf:resource"] ?? $(element).text()),
  ];
}

function packetsOf(file: Buffer): readonly string[] {
  if (file.readUInt32BE(0) === 0x89504e47) return ofPng(file);
  if (file.readUInt16BE(0) === 0xffd8) return ofJpeg(file);
  if (file.toString("latin1", 8, 12) === "WEBP") return ofWebp(file);
  return ofMovie(file);
}

function ofPng(file: Buffer): readonly string[] {
  const packets: string[] = [];
  let hasPixels = false;
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
    const type = file.toString("latin1", at + 4, at + 8);
    hasPixels ||= type === "IDAT";
    const content = file.subarray(at + 8, at + 8 + file.readUInt32BE(at));
    if (type !== "iTXt" || content.toString("latin1", 0, 18) !== "XML:com.adobe.xmp\0") continue;
    if (hasPixels) throw new Error("XMP behind the pixels is not found by all readers.");
    packets.push(content.toString("utf8", 22));
  }
  return packets;
}

function ofJpeg(file: Buffer): readonly string[] {
  const packets: string[] = [];
  for (let at = 2; file.readUInt16BE(at) !== 0xffda; at += 2 + file.readUInt16BE(at + 2)) {
    const content = file.subarray(at + 4, at + 2 + file.readUInt16BE(at + 2));
    const isXmp = content.toString("latin1", 0, 29) === "http://ns.adobe.com/xap/1.0/\0";
    if (file.readUInt16BE(at) === 0xffe1 && isXmp) packets.push(content.toString("utf8", 29));
  }
  return packets;
}

function ofWebp(file: Buffer): readonly string[] {
  if (file.readUInt32LE(4) + 8 !== file.length) throw new Error("The size of the file is wrong.");
  if (file.toString("latin1", 12, 16) !== "VP8X" || ((file[20] ?? 0) & 4) === 0) return [];
  const packets: string[] = [];
  for (let at = 12; at < file.length; ) {
    const length = file.readUInt32LE(at + 4);
    if (file.toString("latin1", at, at + 4) === "XMP ") packets.push(file.toString("utf8", at + 8, at + 8 + length));
    at += 8 + length + (length & 1);
  }
  return packets;
}

function ofMovie(file: Buffer): readonly string[] {
  const packets: string[] = [];
  for (let at = 0; at < file.length; ) {
    const short = file.readUInt32BE(at);
    const size = short === 1 ? Number(file.readBigUInt64BE(at + 8)) : short || file.length - at;
    const start = at + (short === 1 ? 16 : 8);
    const isXmp = file.toString("hex", start, start + 16) === "be7acfcb97a942e89c71999491e3afac";
    if (file.toString("latin1", at + 4, at + 8) === "uuid" && isXmp) {
      packets.push(file.toString("utf8", start + 16, at + size));
    }
    at += size;
  }
  return packets;
}
