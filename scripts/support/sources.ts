import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { typesText } from "../../client/types.mjs";
import { operationsText } from "../../n8n/operations.mjs";
import { makeLocales } from "./locales.ts";
import { ROOT } from "./paths.ts";

/** Sources that are made and not committed, each from one committed file. */
const SOURCES = [
  { name: join("client", "src", "openapi.ts"), from: join("docs", "openapi.json"), text: clientText },
  { name: join("n8n", "src", "operations.ts"), from: join("docs", "openapi.json"), text: operationsText },
];

/** Makes the sources that are not committed, before anything is tested or checked. */
export async function makeSources(): Promise<void> {
  makeLocales();
  for (const { name, from, text } of SOURCES) {
    const made = await text(readFileSync(join(ROOT, from), "utf8"));
    const file = join(ROOT, name);
    // The compiler and the tests look at the time of a file.
    if (!existsSync(file) || readFileSync(file, "utf8") !== made) writeFileSync(file, made);
  }
}

/** The generator is in a package of its own, because it needs an older TypeScript than we do. */
const GENERATOR = join(ROOT, "test", "document", "node_modules", "openapi-typescript", "dist", "index.mjs");

async function clientText(document: string): Promise<string> {
  return typesText(document, await import(pathToFileURL(GENERATOR).href));
}
