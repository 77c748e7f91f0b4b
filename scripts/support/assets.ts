import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildSync } from "esbuild";
import { FONT_FILES } from "../../src/banners/fonts.ts";
import { hashInputs, recordAssets } from "./build-inputs.ts";
import { DOCS_SCRIPT, DOCS_STYLE, ICON } from "./docs-layout.ts";
import { docsFiles } from "./docs-pages.ts";
import { makeLocales } from "./locales.ts";
import { ROOT } from "./paths.ts";

/**
 * Writes dist/assets, which the Worker serves, dist/fonts, which the Worker of banners reads, and the texts
 * of the languages. Idempotent.
 */
export function buildAssets(): void {
  const hash = hashInputs();
  makeLocales();
  const assets = join(ROOT, "dist", "assets");
  const files = [...docsFiles(), ["docs/docs.css", DOCS_STYLE], ["docs/docs.js", DOCS_SCRIPT], ["docs/icon.svg", ICON]];
  for (const [name = "", text = ""] of files) writeChanged(join(assets, name), Buffer.from(text));
  for (const name of readdirSync(join(ROOT, "docs"))) {
    if (/\.(jpg|png|webp)$/.test(name))
      writeChanged(join(assets, "docs", name), readFileSync(join(ROOT, "docs", name)));
  }
  const scripts = pageScripts(join(assets, "console"));
  for (const { path, contents } of scripts) writeChanged(path, Buffer.from(contents));
  for (const { name, source } of FONT_FILES) {
    writeChanged(join(ROOT, "dist", "fonts", name), readFileSync(join(ROOT, "node_modules", source)));
  }
  // An earlier version had the fonts there, and they would be uploaded with the rest.
  rmSync(join(assets, "fonts"), { recursive: true, force: true });
  recordAssets(hash);
}

/** The scripts of the console's pages, each with its packages in one file. */
function pageScripts(outdir: string) {
  const source = join(ROOT, "src", "console", "scripts");
  const names = readdirSync(source).filter((name) => name.endsWith(".ts"));
  const entryPoints = names.map((name) => join(source, name));
  const { outputFiles } = buildSync({
    entryPoints,
    outdir,
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    target: "es2022",
    legalComments: "none",
  });
  return outputFiles;
}

/**
 * Writes only changed files: a running `wrangler dev` reloads on every write. Each as a whole, because the
 * builds of two Workers may do so at once.
 */
function writeChanged(file: string, bytes: Buffer): void {
  if (existsSync(file) && readFileSync(file).equals(bytes)) return;
  mkdirSync(dirname(file), { recursive: true });
  const part = `${file}.${process.pid}`;
  writeFileSync(part, bytes);
  renameSync(part, file);
}
