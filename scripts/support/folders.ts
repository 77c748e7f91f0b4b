import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { ROOT } from "./paths.ts";
import type { Ended } from "./processes.ts";

/**
 * Checks the service's folders for circular imports. A file at the root of `src` counts as a separate folder,
 * and so does each platform's folder. Only `db/schema.ts` is exempt: it collects the tables for the migration
 * generator.
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
/** Folders whose subfolders are checked individually. */
const GROUPS = ["platforms"];

function folderOf(file: string): string {
  const parts = file.split(sep);
  return parts.slice(0, isInGroup(parts) && parts.length > 2 ? 2 : 1).join("/") + sharedMark(parts);
}

/** `platforms/registry.ts` is above the platforms; the other files of that folder are below them. */
function sharedMark(parts: readonly string[]): string {
  return isInGroup(parts) && parts[1] === "registry.ts" ? "/registry" : "";
}

const isInGroup = ([first = ""]: readonly string[]) => GROUPS.includes(first);

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
