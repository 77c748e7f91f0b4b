import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./paths.ts";

/** What the reference at /docs loads (src/http/document.ts), from the package: no CDN. */
const FROM_PACKAGE = ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"];

// A file, because the page's policy allows no script in the page itself.
const START = `SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  persistAuthorization: false,
  presets: [SwaggerUIBundle.presets.apis],
});
`;

/** Writes dist/assets, which the Worker serves. Repeatable. */
export function buildAssets(): void {
  const source = join(ROOT, "node_modules", "swagger-ui-dist");
  const target = join(ROOT, "dist", "assets", "docs");
  mkdirSync(target, { recursive: true });
  for (const name of FROM_PACKAGE) writeChanged(join(target, name), readFileSync(join(source, name)));
  writeChanged(join(target, "start.js"), Buffer.from(START));
}

/** A running `wrangler dev` takes every write for a change. */
function writeChanged(file: string, bytes: Buffer): void {
  if (!existsSync(file) || !readFileSync(file).equals(bytes)) writeFileSync(file, bytes);
}
