import { boxesIn, type ContentBox, isCutOff, readBox } from "./boxes.ts";
import { uint16, uint32 } from "./bytes.ts";
import { type HeaderOutcome, type Size, turned } from "./header.ts";
import { readMovie } from "./movie.ts";
import type { Parts } from "./parts.ts";
import type { Scan } from "./scan.ts";

/**
 * HEIC and AVIF (ISO 23008-12): a file has items (the picture, its tiles, a preview) and a list of shared
 * properties. The primary item is displayed after its own properties are applied in order: a crop, a
 * rotation.
 */
const META_BYTES = 1024 * 1024;
/** A picture with many tiles may have several properties for each. */
const MAX_PROPERTIES = 4096;

export async function readHeif(scan: Scan): Promise<HeaderOutcome> {
  // An image sequence may contain a video only.
  const box = await readBox(scan, ["meta", "moov"], META_BYTES);
  if (box.kind !== "box") return box;
  if (await isCutOff(scan, box.end, "mdat")) return { kind: "cut_off" };
  const size = box.type === "moov" ? readMovie(box.bytes, scan.parts, "pict").size : shownSize(box.bytes, scan.parts);
  return size === null ? { kind: "damaged" } : { kind: "header", size, durationSeconds: null };
}

/** Reads the content of a `meta` box. */
function shownSize(meta: Uint8Array, budget: Parts): Size | null {
  const boxes = boxesIn(meta.subarray(4), budget);
  const primary = contentOf(boxes, "pitm");
  const properties = contentOf(boxes, "iprp");
  if (primary === null || properties === null) return null;
  const item = primary[0] === 0 ? uint16(primary, 4) : uint32(primary, 4);
  const parts = boxesIn(properties, budget);
  const known = boxesIn(contentOf(parts, "ipco") ?? new Uint8Array(), budget, MAX_PROPERTIES);
  let size: Size | null = null;
  for (const index of propertiesOf(item, contentOf(parts, "ipma") ?? new Uint8Array(), budget)) {
    const property = known[index - 1];
    if (property?.type === "ispe") size = { width: uint32(property.bytes, 4), height: uint32(property.bytes, 8) };
    if (property?.type === "clap") size = size && cropped(size, property.bytes);
    // The angle is in steps of a quarter turn.
    if (property?.type === "irot" && ((property.bytes[0] ?? 0) & 1) === 1) size = size && turned(size);
  }
  return size;
}

/** The numbers of an item's properties, counted from 1, in the order in which they apply. */
function propertiesOf(item: number, ipma: Uint8Array, budget: Parts): readonly number[] {
  const idBytes = ipma[0] === 0 ? 2 : 4;
  const indexBytes = ((ipma[3] ?? 0) & 1) === 1 ? 2 : 1;
  let offset = 8;
  for (let entries = uint32(ipma, 4); entries > 0 && offset < ipma.byteLength; entries -= 1) {
    budget.take();
    const id = idBytes === 2 ? uint16(ipma, offset) : uint32(ipma, offset);
    const count = ipma[offset + idBytes] ?? 0;
    const start = offset + idBytes + 1;
    // The first bit says whether a reader must support the property.
    const indexAt = (at: number) => (indexBytes === 2 ? uint16(ipma, at) & 0x7fff : (ipma[at] ?? 0) & 0x7f);
    if (id === item) return Array.from({ length: count }, (_, nth) => indexAt(start + nth * indexBytes));
    offset = start + count * indexBytes;
  }
  return [];
}

/** Width and height are fractions; an invalid crop leaves the size unchanged. */
function cropped({ width, height }: Size, clap: Uint8Array): Size {
  const side = (at: number, whole: number) => {
    const length = Math.round(uint32(clap, at) / uint32(clap, at + 4));
    return length > 0 && length <= whole ? length : whole;
  };
  return { width: side(0, width), height: side(8, height) };
}

function contentOf(boxes: readonly ContentBox[], type: string): Uint8Array | null {
  return boxes.find((box) => box.type === type)?.bytes ?? null;
}
