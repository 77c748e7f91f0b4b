import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Canvas, createCanvas } from "../../src/banners/canvas.ts";
import { FONT_FILES } from "../../src/banners/fonts.ts";
import { ROOT } from "./paths.ts";

const packages = join(ROOT, "node_modules");
const ENGINE = join(packages, "@takumi-rs", "wasm", "pkg", "takumi_wasm_bg.wasm");

export const readEngine = async (): Promise<Uint8Array<ArrayBuffer>> => new Uint8Array(await readFile(ENGINE));

/** The font, from its package. */
export async function readBannerFont(name: string): Promise<Uint8Array> {
  const file = FONT_FILES.find((one) => one.name === name);
  if (!file) throw new Error(`There is no font ${name}.`);
  return readFile(join(packages, file.source));
}

/** The canvas for banners in Node. */
export const createNodeCanvas = (): Canvas => createCanvas({ loadEngine: readEngine, readFont: readBannerFont });
