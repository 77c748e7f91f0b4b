import type { Unreadable } from "./file.ts";

/** The properties in the header of a picture or video. Null means unknown. */
interface Header {
  readonly kind: "header";
  /** As displayed: rotated, if the file says so. */
  readonly size: Size | null;
  readonly durationSeconds: number | null;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The content does not match its first bytes, or ends before the header does. */
export type Damaged = { readonly kind: "damaged" };

/** The header declares more bytes than the file has. */
export type CutOff = { readonly kind: "cut_off" };

export type HeaderOutcome = Header | Damaged | CutOff | { readonly kind: "no_video" } | Unreadable;

export function turned({ width, height }: Size): Size {
  return { width: height, height: width };
}

export function area(size: Size | null): number {
  return size ? size.width * size.height : 0;
}
