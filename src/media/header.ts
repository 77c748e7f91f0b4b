import type { PictureFacts, VideoEncoding } from "../platforms/rules.ts";
import type { Unreadable } from "./file.ts";

/** The properties in the header of a picture or video. Null means unknown. */
interface Header {
  readonly kind: "header";
  /** As displayed: rotated, if the file says so. */
  readonly size: Size | null;
  readonly durationSeconds: number | null;
  readonly encoding?: VideoEncoding | undefined;
  readonly picture?: PictureFacts | undefined;
  /** Of a document. */
  readonly pages?: number | null;
  readonly isFragmented?: boolean;
  readonly isMoving?: boolean;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The content does not match its first bytes, or ends before the header does. */
export type Damaged = { readonly kind: "damaged" };

/** The header declares more bytes than the file has. */
export type CutOff = { readonly kind: "cut_off" };

/** The header is whole, but the end of the picture is missing, or a part of it is damaged. */
export type Incomplete = { readonly kind: "no_end" | "broken" };

/** A document that needs a password, or that holds programs. */
export type Guarded = { readonly kind: "locked" | "macros" };

/** What is in a container of many kinds of documents. */
export type DocumentOutcome =
  | { readonly kind: "document"; readonly mime: string; readonly pages: number | null }
  | { readonly kind: "other"; readonly word: string }
  | Guarded
  | Damaged
  | CutOff
  | Incomplete
  | Unreadable;

export type HeaderOutcome =
  | Header
  | Guarded
  | Damaged
  | CutOff
  | Incomplete
  | { readonly kind: "no_video" }
  | Unreadable;

export function turned({ width, height }: Size): Size {
  return { width: height, height: width };
}

export function area(size: Size | null): number {
  return size ? size.width * size.height : 0;
}

/** The largest side that may be posted: the limit of JPEG, and more than any camera produces. */
export const MAX_SIDE = 65_535;
export const MAX_PIXELS = 250_000_000;

export function isTooLarge({ width, height }: Size): boolean {
  return Math.max(width, height) > MAX_SIDE || width * height > MAX_PIXELS;
}
