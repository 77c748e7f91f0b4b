import { typeOf } from "./file-type.ts";
import { markJpeg } from "./jpeg-mark.ts";
import { Parts, TooManyParts } from "./parts.ts";
import { markPng } from "./png-mark.ts";
import { markWebp } from "./webp-mark.ts";
import { readMark, type SourceMark } from "./xmp-packet.ts";

type Mark = (picture: Uint8Array, mark: SourceMark, parts: Parts) => Uint8Array<ArrayBuffer> | null;

const MARKERS: Readonly<Record<string, Mark>> = {
  "image/png": markPng,
  "image/jpeg": markJpeg,
  "image/webp": markWebp,
};

const MB = 1024 * 1024;

/** What a picture says of how it was made; null if nothing. Packets are near the beginning, or at the end. */
export function markOf(picture: Uint8Array): SourceMark | null {
  const text = (part: Uint8Array): string => new TextDecoder().decode(part);
  return readMark(text(picture.subarray(0, MB))) ?? readMark(text(picture.subarray(-MB / 4)));
}

/**
 * The picture with the mark in its only XMP packet. Null if it is no PNG, JPEG or WebP, is damaged, or has
 * too many parts.
 */
export function markPicture(
  picture: Uint8Array,
  mark: SourceMark,
  parts = new Parts(),
): Uint8Array<ArrayBuffer> | null {
  const type = typeOf(picture);
  const marker = type?.kind === "image" ? MARKERS[type.mime] : undefined;
  try {
    return marker?.(picture, mark, parts) ?? null;
  } catch (error) {
    if (error instanceof TooManyParts) return null;
    throw error;
  }
}
