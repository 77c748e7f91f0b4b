import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Canvas } from "../src/banners/canvas.ts";
import { BANNER_SIZES } from "../src/banners/copy.ts";
import { TEMPLATE_NAMES } from "../src/banners/designs.ts";
import { box } from "../src/banners/nodes.ts";
import { PALETTE_NAMES } from "../src/banners/palettes.ts";
import { renderBanner } from "../src/banners/render.ts";
import { createNodeCanvas } from "./support/banner-canvas.ts";
import { SAMPLES } from "./support/banner-samples.ts";
import { readArguments, runCommand } from "./support/command.ts";
import { elapsed, say } from "./support/terminal.ts";

const USAGE = `node scripts/run.mjs scripts/banners.ts [--out FOLDER] [--template NAME]

Draws every design with every sample text in both sizes, each pair in another palette, a page that shows all of them (index.html),
and an overview (overview.jpg; docs/banners.jpg is a copy).

  --out FOLDER       where to (default: dist/banners)
  --template NAME    only this design`;

async function banners(): Promise<number> {
  const options = readArguments({
    out: { type: "string" },
    template: { type: "string" },
  });
  const since = Date.now();
  const folder = options.out ?? join("dist", "banners");
  mkdirSync(folder, { recursive: true });
  const canvas = createNodeCanvas();
  const rows: string[] = [];
  const shown: Uint8Array<ArrayBuffer>[] = [];
  for (const [index, template] of TEMPLATE_NAMES.entries()) {
    if (options.template !== undefined && options.template !== template) continue;
    for (const [size, pixels] of Object.entries(BANNER_SIZES)) {
      const cells: string[] = [];
      for (const [at, [sample, copy]] of Object.entries(SAMPLES).entries()) {
        const palette = PALETTE_NAMES[(at + index) % PALETTE_NAMES.length] ?? "mono";
        const name = `${template}-${sample}-${size}.png`;
        const picture = await renderBanner(canvas, { ...copy, template, palette }, pixels);
        writeFileSync(join(folder, name), picture);
        cells.push(`<a href="${name}"><img src="${name}" alt="${sample}" title="${sample}, ${palette}"></a>`);
        if (size === "square" && OVERVIEW.includes(sample)) shown.push(picture);
      }
      rows.push(`<h2>${template}, ${size}</h2>\n<div>${cells.join("")}</div>`);
    }
  }
  writeFileSync(join(folder, "index.html"), page(rows.join("\n")));
  writeFileSync(join(folder, "overview.jpg"), await overview(canvas, shown));
  say(`${join(folder, "index.html")} shows them. ${elapsed(since)}`);
  return 0;
}

/** The samples in the overview of each design. */
const OVERVIEW = ["plain", "emoji", "chinese", "japanese", "arabic", "hindi"];
const SIDE = 180;
const GAP = 10;

/** Draws one row for each design. */
function overview(canvas: Canvas, pictures: readonly Uint8Array<ArrayBuffer>[]) {
  const images = pictures.map((data, index) => ({ src: String(index), data, cache: "none" as const }));
  const cells = images.map(({ src }) => ({ type: "image" as const, src, width: SIDE, height: SIDE }));
  const extent = (count: number) => count * SIDE + (count + 1) * GAP;
  const size = { width: extent(OVERVIEW.length), height: extent(Math.ceil(pictures.length / OVERVIEW.length)) };
  const node = box({ ...size, flexWrap: "wrap", gap: GAP, padding: GAP, backgroundColor: "#ffffff" }, ...cells);
  return canvas.draw(node, { ...size, images, format: "jpeg", quality: 76 });
}

const page = (rows: string): string => `<!doctype html>
<meta charset="utf-8">
<title>Banners</title>
<style>body { font: 16px system-ui; margin: 2rem } div { display: flex; flex-wrap: wrap; gap: 1rem } img { width: 270px }</style>
${rows}
`;

await runCommand(USAGE, banners);
