import type { Node } from "@takumi-rs/wasm/no-bundler";
import type { Palette } from "./palettes.ts";
import type { Typeset } from "./typeset.ts";
import type { Words } from "./words.ts";

/** A design: lays out texts that may be short, long or missing, in an image of either height. */
export interface Template {
  draw(frame: Frame): Promise<Node>;
}

interface Frame {
  readonly words: Words;
  readonly palette: Palette;
  readonly width: number;
  readonly height: number;
  readonly set: Typeset;
}
