import { viewOf } from "./bytes.ts";
import { Parts } from "./parts.ts";

/** EBML (RFC 8794): elements of an id, a length and a content, used by Matroska and WebM. Pure. */
export interface Element {
  /** With its length marker, as the specifications write it: 0x1A45DFA3. */
  readonly id: number;
  /** Offset of the content. */
  readonly start: number;
  /** Offset after the element; null for an unknown length: it extends to the next element of its level. */
  readonly end: number | null;
}

/** An id of at most 4 bytes and a length of at most 8. */
export const ELEMENT_HEADER_BYTES = 12;

/** The element whose header starts at `offset`; null if the header is incomplete or invalid. */
export function elementAt(bytes: Uint8Array, offset: number): Element | null {
  const id = numberAt(bytes, offset, 4);
  const length = id && numberAt(bytes, id.end, 8);
  if (!id || !length) return null;
  const { end: start, value, mark } = length;
  return { id: id.mark + id.value, start, end: value === mark - 1 ? null : start + value };
}

/** A variable-length number: the position of its first set bit, the marker, gives its length. */
function numberAt(bytes: Uint8Array, offset: number, maxBytes: number) {
  const first = bytes[offset] ?? 0;
  const length = Math.clz32(first) - 23;
  if (length > maxBytes || offset + length > bytes.byteLength) return null;
  let value = first & (0xff >> length);
  for (let index = 1; index < length; index += 1) value = value * 256 + (bytes[offset + index] ?? 0);
  return { value, mark: 2 ** (7 * length), end: offset + length };
}

/** An element whose content was read, possibly truncated. */
export interface ContentElement {
  readonly id: number;
  /** The content. */
  readonly bytes: Uint8Array;
}

const MAX_ELEMENTS = 256;

/**
 * The first elements of the content. An element can be as small as two bytes, and no video's header has more.
 */
export function elementsIn(bytes: Uint8Array, parts = new Parts()): readonly ContentElement[] {
  const elements: ContentElement[] = [];
  for (const element of walkElements(bytes, parts)) {
    if (elements.length === MAX_ELEMENTS) break;
    elements.push(element);
  }
  return elements;
}

export function* walkElements(bytes: Uint8Array, parts: Parts): Generator<ContentElement> {
  for (let offset = 0; ; ) {
    const element = elementAt(bytes, offset);
    if (element === null) return;
    parts.take();
    yield { id: element.id, bytes: bytes.subarray(element.start, element.end ?? undefined) };
    if (element.end === null) return;
    offset = element.end;
  }
}

/** Up to eight bytes; inexact above 2^53. */
export function unsigned(bytes: Uint8Array): number {
  return bytes.subarray(0, 8).reduce((value, byte) => value * 256 + byte, 0);
}

/** 0 if the content is not four or eight bytes long. */
export function float(bytes: Uint8Array): number {
  if (bytes.byteLength === 4) return viewOf(bytes).getFloat32(0);
  return bytes.byteLength === 8 ? viewOf(bytes).getFloat64(0) : 0;
}

/** The content of the first element with the id; empty without one. */
export function contentOf(elements: readonly ContentElement[], id: number): Uint8Array {
  return elements.find((element) => element.id === id)?.bytes ?? new Uint8Array();
}
