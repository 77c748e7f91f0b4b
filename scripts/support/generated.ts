import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { z } from "zod";
import { commandsPage } from "./commands-page.ts";
import { costsPage } from "./costs-page.ts";
import { errorsPage } from "./errors-page.ts";
import { fontRanges } from "./font-ranges.ts";
import { makeLocales } from "./locales.ts";
import { ROOT } from "./paths.ts";
import { platformPage, RECORDED_PLATFORMS } from "./platform-calls.ts";
import { CONFIGS } from "./prepare.ts";
import type { Ended } from "./processes.ts";
import { sentCallsText } from "./sent-calls.ts";
import { runTool, wrangler } from "./tools.ts";
import { usagesText } from "./usages.ts";

/** A generated, committed file; `check` fails if it is outdated. */
interface Generated {
  readonly name: string;
  write(): Promise<Ended>;
  check(): Promise<Ended>;
}

export const GENERATED: readonly Generated[] = [
  { name: "migrations", write: () => migrationsInto("migrations"), check: checkMigrations },
  documented("docs/openapi.json", documentText),
  documented("docs/errors.md", async () => errorsPage()),
  documented("docs/costs.md", async () => costsPage()),
  documented("docs/README.md", async () => commandsPage()),
  documented(
    "scripts/support/sent-calls.json",
    async () => sentCallsText(),
    async () => sentCallsText({}),
  ),
  ...RECORDED_PLATFORMS.map((name) => documented(`docs/platforms/${name}.md`, async () => platformPage(name))),
  documented("src/banners/font-ranges.ts", async () => fontRanges()),
  documented("scripts/usages.json", usagesText),
  { name: "worker-configuration.d.ts", write: () => wrangler(BINDING_TYPES), check: checkBindingTypes },
];

/** Types of the bindings of both Workers; the runtime types come from a package. */
const BINDING_TYPES = [
  "types",
  "--config",
  CONFIGS.service,
  "--config",
  CONFIGS.banners,
  "--include-runtime=false",
  "--strict-vars=false",
];

async function checkBindingTypes(): Promise<Ended> {
  const checked = await wrangler([...BINDING_TYPES, "--check"]);
  if (checked.code === 0) return checked;
  const advice = "wrangler.toml binds something else: run `npm run generate` and commit worker-configuration.d.ts.\n";
  return { code: 1, output: `${checked.output}${advice}` };
}

function migrationsInto(folder: string): Promise<Ended> {
  return runTool("drizzle-kit", ["generate", "--dialect", "sqlite", "--schema", "./src/db/schema.ts", "--out", folder]);
}

/** Generates into a copy: a new migration there means that the committed ones are outdated. */
async function checkMigrations(): Promise<Ended> {
  // drizzle-kit accepts only a relative folder.
  const copy = mkdtempSync(join(ROOT, "node_modules", ".migrations-"));
  try {
    cpSync(join(ROOT, "migrations"), copy, { recursive: true });
    const result = await migrationsInto(relative(ROOT, copy));
    const missing = readdirSync(copy).filter((name) => !readdirSync(join(ROOT, "migrations")).includes(name));
    if (result.code !== 0 || missing.length === 0) return result;
    return { code: 1, output: "The tables have changed: run `npm run generate` and commit the new migration.\n" };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const ORIGIN = "https://belfry.example";

/** A file whose text is generated from the source; `checked`: what it must be at least, if that is less. */
function documented(name: string, text: () => Promise<string>, checked = text): Generated {
  const file = join(ROOT, name);
  return {
    name,
    async write() {
      writeFileSync(file, await text());
      return { code: 0, output: `Wrote ${name}.\n` };
    },
    async check() {
      const committed = existsSync(file) ? readFileSync(file, "utf8") : "";
      if (committed === (await checked())) return { code: 0, output: "" };
      return { code: 1, output: `${name} is not fresh: run \`npm run generate\`.\n` };
    },
  };
}

/** A line of JSON has at most this many columns, unless it is one value. */
const JSON_COLUMNS = 160;

/** JSON with objects and lists on one line where they fit: half as long as with a line for each value. */
function jsonText(value: unknown, indent = "", before = 0): string {
  const flat = JSON.stringify(value);
  if (typeof value !== "object" || value === null || indent.length + before + flat.length < JSON_COLUMNS) return flat;
  const inner = `${indent} `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((part: unknown) => inner + jsonText(part, inner, 1))
    : Object.entries(value)
        .filter(([, part]) => part !== undefined)
        .map(([name, part]) => `${inner}${JSON.stringify(name)}: ${jsonText(part, inner, name.length + 5)}`);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

/** The OpenAPI document as the service serves it, from its operations. */
async function documentText(): Promise<string> {
  makeLocales();
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { API } from "./src/api/document.ts";
        import { openApiDocument } from "./src/http/document.ts";
        export const document = openApiDocument(API, "${ORIGIN}");`,
      resolveDir: ROOT,
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    target: "node24",
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    logLevel: "error",
    external: ["cloudflare:workers"],
    conditions: ["workerd"],
    loader: { ".wasm": "empty" },
    // Uses the package, because Node's own module prints a deprecation warning.
    alias: { punycode: "punycode/punycode.js" },
  });
  mkdirSync(join(ROOT, "dist"), { recursive: true });
  const script = join(ROOT, "dist", "openapi-document.cjs");
  writeFileSync(script, outputFiles[0]?.contents ?? "");
  const { document } = z.object({ document: z.unknown() }).parse(createRequire(import.meta.url)(script));
  return `${jsonText(document)}\n`;
}
