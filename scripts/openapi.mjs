// Writes docs/openapi.json from the operations table (`npm run generate`); `--check` only compares.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";

const FILE = "docs/openapi.json";
const ORIGIN = "https://belfry.example";

const bundled = await build({
  stdin: {
    contents: `export { about, api } from "./src/app.ts"; export { openApiDocument } from "./src/http/document.ts";`,
    resolveDir: process.cwd(),
    loader: "ts",
  },
  bundle: true,
  write: false,
  format: "cjs",
  platform: "node",
  target: "node22",
  jsx: "automatic",
  jsxImportSource: "hono/jsx",
  logLevel: "error",
  external: ["cloudflare:workers"],
});
await mkdir("dist", { recursive: true });
const module = join(process.cwd(), "dist", "openapi-document.cjs");
await writeFile(module, bundled.outputFiles[0].contents);
const { about, api, openApiDocument } = createRequire(import.meta.url)(module);
const text = `${JSON.stringify(openApiDocument(api, about, ORIGIN), null, 2)}\n`;

if (process.argv.includes("--check")) {
  const committed = await readFile(FILE, "utf8").catch(() => "");
  if (committed !== text) {
    console.error(`${FILE} is not fresh: run \`npm run generate\`.`);
    process.exit(1);
  }
} else {
  await writeFile(FILE, text);
  console.log(`Wrote ${FILE}.`);
}
