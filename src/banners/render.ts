import type { Node } from "@takumi-rs/wasm/no-bundler";
import type { Canvas } from "./canvas.ts";
import type { BannerCopy, BannerFormat, BannerSize } from "./copy.ts";
import { uncovered } from "./coverage.ts";
import { TEMPLATE_NAMES } from "./designs.ts";
import { MIRRORED } from "./nodes.ts";
import { PALETTE_NAMES, paletteOf } from "./palettes.ts";
import { settingOf } from "./scripts.ts";
import { TEMPLATES } from "./templates.ts";
import { createTypeset } from "./typeset.ts";
import { textOf, wordsOf } from "./words.ts";

/** The JPEG quality, from 0 to 100. */
export const JPEG_QUALITY = 90;

/**
 * Renders the banner of a copy; deterministic. The image has the whole text, in letters that fit, with a
 * contrast of at least 4.5:1; nothing in it is markup. Throws if the fonts lack characters of it
 * (`uncovered`). Takes some tenths of a second of CPU time.
 */
export async function renderBanner(
  canvas: Canvas,
  copy: BannerCopy,
  size: BannerSize,
  format: BannerFormat = "png",
): Promise<Uint8Array<ArrayBuffer>> {
  const node = await layOut(canvas, copy, size);
  return canvas.draw(node, { ...size, format, ...(format === "jpeg" ? { quality: JPEG_QUALITY } : {}) });
}

/** The banner as a node tree, with every text measured. */
export async function layOut(canvas: Canvas, copy: BannerCopy, size: BannerSize): Promise<Node> {
  const missing = uncovered(copy);
  if (missing.length > 0) throw new Error(`A banner cannot show ${missing.length} of its characters.`);
  const words = wordsOf(copy);
  const seed = hash(JSON.stringify(words));
  const template = TEMPLATES[copy.template ?? pick(TEMPLATE_NAMES, seed)];
  const palette = paletteOf(copy.palette ?? pick(PALETTE_NAMES, Math.floor(seed / TEMPLATE_NAMES.length)));
  const setting = settingOf(textOf(words));
  const node = await template.draw({ words, palette, ...size, set: createTypeset(canvas, setting) });
  return setting.isRightToLeft ? { ...node, style: { ...node.style, ...MIRRORED } } : node;
}

function pick<T>(list: readonly [T, ...T[]], index: number): T {
  return list[index % list.length] ?? list[0];
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value >>> 0;
}
