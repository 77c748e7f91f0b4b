import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { ROOT } from "./paths.ts";
import type { Ended } from "./processes.ts";

/**
 * Whether folders of the service import each other in a circle. A file at the root of `src` counts as a
 * folder of its own, and so does a platform's folder. Only `db/schema.ts` may: it gathers the tables for the
 * migration generator.
 */
export function checkFolders(): Ended {
  const source = join(ROOT, "src");
  const imports: Imports = new Map();
  for (const file of readdirSync(source, { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(file) || file === join("db", "schema.ts")) continue;
    const from = folderOf(file);
    const known = imports.get(from) ?? new Set<string>();
    imports.set(from, known);
    for (const [, path = ""] of readFileSync(join(source, file), "utf8").matchAll(IMPORTED)) {
      const to = folderOf(relative(source, resolve(source, dirname(file), path)));
      if (to !== from) known.add(to);
    }
  }
  const circle = findCircle(imports);
  return circle
    ? { code: 1, output: `These import each other in a circle: ${circle.join(" → ")}` }
    : { code: 0, output: "" };
}

type Imports = Map<string, Set<string>>;

const IMPORTED = /\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;
/** Folders whose own folders are looked at one by one. */
const GROUPS = ["platforms"];

/** Facts of the platforms are data at the bottom of `platforms/`, whichever folder they stand in. */
const FACTS = [
  "facts.ts",
  "platform-facts.ts",
  "names.ts",
  "apps.ts",
  "declarations.ts",
  "options.ts",
  "post-fields.ts",
];

function folderOf(file: string): string {
  const parts = file.split(sep);
  const [first = "", second = ""] = parts;
  if (!GROUPS.includes(first)) return first;
  if (FACTS.includes(basename(file))) return `${first}/facts`;
  if (parts.length > 2) return `${first}/${second}`;
  // The registry imports every platform's folder; these folders import the other files of `platforms/`.
  return second === "registry.ts" ? `${first}/registry` : first;
}

function findCircle(imports: Imports): readonly string[] | null {
  const done = new Set<string>();
  const visit = (folder: string, path: readonly string[]): readonly string[] | null => {
    const at = path.indexOf(folder);
    if (at >= 0) return [...path.slice(at), folder];
    if (done.has(folder)) return null;
    for (const next of imports.get(folder) ?? []) {
      const circle = visit(next, [...path, folder]);
      if (circle) return circle;
    }
    done.add(folder);
    return null;
  };
  for (const folder of imports.keys()) {
    const circle = visit(folder, []);
    if (circle) return circle;
  }
  return null;
}
