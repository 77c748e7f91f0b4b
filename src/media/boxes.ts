import { latin1, viewOf } from "./bytes.ts";
import type { Unreadable } from "./file.ts";
import type { CutOff, Damaged } from "./header.ts";
import { Parts } from "./parts.ts";
import type { Scan } from "./scan.ts";

/** A box: the building block of MP4, QuickTime and HEIF files (ISO 14496-12). */
export interface Box {
  readonly type: string;
  /** Offset of the box's content. */
  readonly start: number;
  /** Offset after the box; null if it extends to the end of the file. */
  readonly end: number | null;
}

/** The box whose header starts at `offset`; null if the header is incomplete or invalid. */
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

/** A box whose content was read, possibly truncated. */
export interface ContentBox {
  readonly type: string;
  /** The content. */
  readonly bytes: Uint8Array;
}

const MAX_BOXES = 256;

/**
 * The first boxes of the content, up to `max`. A box can be as small as eight bytes, and no playable file
 * needs more.
 */
export function boxesIn(bytes: Uint8Array, parts = new Parts(), max = MAX_BOXES): readonly ContentBox[] {
  const boxes: ContentBox[] = [];
  for (let offset = 0; ; ) {
    const box = boxAt(bytes, offset);
    if (box === null || boxes.length === max) return boxes;
    parts.take();
    boxes.push({ type: box.type, bytes: bytes.subarray(box.start, box.end ?? undefined) });
    if (box.end === null) return boxes;
    offset = box.end;
  }
}

/** `end`: offset in the file after the box. */
export type FoundBox = ContentBox & { readonly kind: "box"; readonly end: number };

const MAX_TOP_BOXES = 1000;
const BOX_HEADER_BYTES = 16;

/** Skips from box to box until the first of these types, and reads the first `maxBytes` of its content. */
export async function readBox(
  scan: Scan,
  types: readonly string[],
  maxBytes: number,
): Promise<FoundBox | Damaged | CutOff | Unreadable> {
  let offset = 0;
  for (let boxes = 0; offset < scan.length && boxes < MAX_TOP_BOXES; boxes += 1) {
    const part = await scan.from(offset, BOX_HEADER_BYTES);
    if (part.kind !== "part") return part;
    const box = boxAt(part.body, 0);
    if (box === null) return { kind: "damaged" };
    const end = box.end === null ? scan.length : offset + box.end;
    if (types.includes(box.type)) {
      const start = offset + box.start;
      const length = Math.min(end - start, maxBytes);
      const content = await scan.from(start, length);
      if (content.kind !== "part") return content;
      return { kind: "box", type: box.type, bytes: content.body.subarray(0, length), end };
    }
    offset = end;
  }
  return { kind: offset > scan.length ? "cut_off" : "damaged" };
}

const MAX_LATER_BOXES = 8;

/**
 * Whether a box from `offset` on, up to the first box of the type, extends past the end of the file. False if
 * the boxes cannot be read.
 */
export async function isCutOff(scan: Scan, offset: number, type: string): Promise<boolean> {
  for (let boxes = 0; offset < scan.length && boxes < MAX_LATER_BOXES; boxes += 1) {
    const part = await scan.from(offset, BOX_HEADER_BYTES);
    const box = part.kind === "part" ? boxAt(part.body, 0) : null;
    if (box === null || box.end === null) return false;
    offset += box.end;
    if (box.type === type) break;
  }
  return offset > scan.length;
}
