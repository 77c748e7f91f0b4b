import type { Node } from "@takumi-rs/wasm/no-bundler";
import type { Palette } from "./palettes.ts";
import type { Typeset } from "./typeset.ts";
import type { Words } from "./words.ts";

/**
 * A design: it places words that may be short or long, and some of which may be missing, in a picture of
 * either height.
 */
export interface Template {
  /** In a few words, for whoever chooses. */
  readonly about: string;
  draw(frame: Frame): Promise<Node>;
}

export interface Frame {
  readonly words: Words;
  readonly palette: Palette;
  readonly width: number;
  readonly height: number;
  readonly set: Typeset;
}
