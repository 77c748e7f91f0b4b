import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "./paths.mjs";
import { run } from "./processes.mjs";
import { runTool } from "./tools.mjs";

const openApi = (...args) => run(process.execPath, [join("scripts", "openapi.mjs"), ...args]);

/** What is generated and committed. Both verbs answer `{ code, output }`; `check` fails when the files are not fresh. */
export const GENERATED = [
  { name: "migrations", write: () => migrationsInto("migrations"), check: checkMigrations },
  { name: "docs/openapi.json", write: () => openApi(), check: () => openApi("--check") },
];

function migrationsInto(folder) {
  return runTool("drizzle-kit", ["generate", "--dialect", "sqlite", "--schema", "./src/db/schema.ts", "--out", folder]);
}

/** Generates into a copy: a migration that appears there is one that nobody generated yet. */
async function checkMigrations() {
  // drizzle-kit takes a relative folder only.
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
