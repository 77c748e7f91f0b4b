import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { FONT_FILES } from "../../src/banners/fonts.ts";
import { errorsHtml } from "./errors-page.ts";
import { ROOT } from "./paths.ts";

/**
 * The files that the API reference at /docs loads (src/http/document.ts), copied from the package instead of
 * a CDN.
 */
const FROM_PACKAGE = ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"];

// A separate file, because the page's content security policy forbids inline scripts.
const START = `SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  persistAuthorization: false,
  presets: [SwaggerUIBundle.presets.apis],
});
`;

/** Writes dist/assets, which the Worker serves. Idempotent. */
export function buildAssets(): void {
  const packages = join(ROOT, "node_modules");
  const folder = (name: string) => {
    const path = join(ROOT, "dist", "assets", name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const docs = folder("docs");
  for (const name of FROM_PACKAGE)
    writeChanged(join(docs, name), readFileSync(join(packages, "swagger-ui-dist", name)));
  writeChanged(join(docs, "start.js"), Buffer.from(START));
  writeChanged(join(docs, "errors.html"), Buffer.from(errorsHtml()));
  const pages = folder("console");
  for (const { path, contents } of pageScripts(pages)) writeChanged(path, Buffer.from(contents));
  const fonts = folder("fonts");
  for (const { name, source } of FONT_FILES) writeChanged(join(fonts, name), readFileSync(join(packages, source)));
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

/** Writes only changed files: a running `wrangler dev` reloads on every write. */
function writeChanged(file: string, bytes: Buffer): void {
  if (!existsSync(file) || !readFileSync(file).equals(bytes)) writeFileSync(file, bytes);
}
