import type { Unreadable } from "./file.ts";

/** What the header of a picture or film says. Null is what it leaves open. */
export interface Header {
  readonly kind: "header";
  /** As shown: turned, where the file says so. */
  readonly size: Size | null;
  readonly durationSeconds: number | null;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The bytes are not what their beginning says, or end before the header does. */
export type Damaged = { readonly kind: "damaged" };

/** The header promises more bytes than the file has. */
export type CutOff = { readonly kind: "cut_off" };

export type HeaderOutcome = Header | Damaged | CutOff | { readonly kind: "no_video" } | Unreadable;

export function turned({ width, height }: Size): Size {
  return { width: height, height: width };
}

export function area(size: Size | null): number {
  return size ? size.width * size.height : 0;
}
