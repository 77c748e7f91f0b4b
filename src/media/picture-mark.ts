import { typeOf } from "./file-type.ts";
import { markJpeg } from "./jpeg-mark.ts";
import { Parts, TooManyParts } from "./parts.ts";
import { markPng } from "./png-mark.ts";
import { markWebp } from "./webp-mark.ts";
import type { SourceMark } from "./xmp-packet.ts";

type Mark = (picture: Uint8Array, mark: SourceMark, parts: Parts) => Uint8Array<ArrayBuffer> | null;

const MARKERS: Readonly<Record<string, Mark>> = {
  "image/png": markPng,
  "image/jpeg": markJpeg,
  "image/webp": markWebp,
};

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
