import { DOMParser, onErrorStopParsing } from "@xmldom/xmldom";
import { load } from "cheerio";
import * as ExifReader from "exifreader";
import { createFile } from "mp4box";

/**
 * Reads the mark with the readers of others: ExifReader for pictures and XMP, mp4box for the boxes of a
 * video. The packets are found once more here, so that a test sees a second one, or one in the wrong place:
 * PNG 3rd edition 11.3.3, XMP part 3 for JPEG and WebP.
 */
export interface FileMark {
  /** The last part of the address of the Digital Source Type; empty without one. */
  readonly types: readonly string[];
  readonly systems: readonly string[];
  /** The text of each packet. */
  readonly packets: readonly string[];
}

const IPTC = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/";

export function markOf(file: Uint8Array): FileMark {
  const packets = packetsOf(Buffer.from(file));
  const [packet] = packets;
  const properties = isMovie(file) ? xmpOf(packet === undefined ? null : sidecar(packet)) : xmpOf(file);
  return {
    types: (properties("DigitalSourceType") ?? []).map((address) => address.replace(/^.*\//, "")),
    systems: properties("AISystemUsed") ?? [],
    packets,
  };
}

const parser = new DOMParser({ onError: onErrorStopParsing });

/** The values of the XMP properties that ExifReader finds in the file. */
function xmpOf(file: Uint8Array | null): (name: string) => readonly string[] | null {
  if (file === null) return () => null;
  const { xmp } = ExifReader.load(Buffer.from(file), { expanded: true, domParser: parser, includeUnknown: true });
  return (name) => {
    const tag = xmp?.[name];
    return typeof tag === "object" && typeof tag.value === "string" ? [tag.value] : null;
  };
}

/** ExifReader knows a file of XMP alone by its header. */
function sidecar(packet: string): Uint8Array {
  const header = '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>';
  return new TextEncoder().encode(packet.startsWith("<?xpacket") ? packet : `${header}${packet}<?xpacket end="w"?>`);
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

const isMovie = (file: Uint8Array): boolean =>
  !/^(\x89PNG|\xff\xd8|RIFF....WEBP)/s.test(Buffer.from(file.subarray(0, 12)).toString("latin1"));

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
  const movie = createFile();
  movie.appendBuffer(Object.assign(new Uint8Array(file).buffer, { fileStart: 0 }), true);
  movie.flush();
  const ofXmp = movie.boxes.filter(({ type, uuid }) => type === "uuid" && uuid === "be7acfcb97a942e89c71999491e3afac");
  return ofXmp.map(({ data }) => Buffer.from(data ?? []).toString("utf8"));
}
