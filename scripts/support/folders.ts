import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { ROOT } from "./paths.ts";
import type { Ended } from "./processes.ts";

/**
 * Whether folders of the service import each other in a circle, or use the tables of another folder. A file
 * at the root of `src` counts as a folder of its own, and so does a platform's folder. Only `db/schema.ts`
 * may do both: it gathers the tables for the migration generator.
 */
export function checkFolders(): Ended {
  const source = join(ROOT, "src");
  const imports: Imports = new Map();
  const files = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && file !== join("db", "schema.ts"))
    .map((file) => ({ file, code: readFileSync(join(source, file), "utf8") }));
  for (const { file, code } of files) {
    const from = folderOf(file);
    const known = imports.get(from) ?? new Set<string>();
    imports.set(from, known);
    for (const [, path = ""] of code.matchAll(IMPORTED)) {
      const to = folderOf(relative(source, resolve(source, dirname(file), path)));
      if (to !== from) known.add(to);
    }
  }
  const circle = findCircle(imports);
  const problems = [
    ...(circle ? [`These import each other in a circle: ${circle.join(" → ")}`] : []),
    ...foreignTables(files),
  ];
  return { code: problems.length > 0 ? 1 : 0, output: problems.join("\n") };
}

interface SourceFile {
  readonly file: string;
  readonly code: string;
}

const TABLE = /export const (\w+) = sqliteTable\(\s*"(\w+)"/g;

/** `deliveries/` has the tables of `webhooks/`: `events/`, below it, reads whether a project has webhooks. */
const SHARED = new Map([["webhooks", "deliveries"]]);

/** Only a folder's own files use its tables; other tables may refer to them by foreign keys. */
function foreignTables(files: readonly SourceFile[]): readonly string[] {
  const tables = files
    .filter(({ file }) => basename(file) === "table.ts")
    .flatMap(({ file, code }) =>
      [...code.matchAll(TABLE)].map(([, name = "", table = ""]) => ({ folder: folderOf(file), name, table })),
    );
  return files
    .filter(({ file }) => basename(file) !== "table.ts")
    .flatMap(({ file, code }) =>
      tables
        .filter(({ folder }) => folder !== folderOf(file) && folder !== SHARED.get(folderOf(file)))
        .filter(({ name, table }) =>
          new RegExp(`\\b${name}\\b|\\b(?:FROM|JOIN|INTO|UPDATE) ${table}\\b`).test(withoutComments(code)),
        )
        .map(({ folder, table }) => `src/${file} uses the table ${table} of src/${folder}: call its store instead`),
    );
}

const withoutComments = (code: string): string => code.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");

type Imports = Map<string, Set<string>>;

const IMPORTED = /\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;
/** Folders whose own folders are looked at one by one. */
const GROUPS = ["platforms"];

/** Facts of the platforms are data at the bottom of `platforms/`, whichever folder they stand in. */
const FACTS = [
  "facts.ts",
  "platform-facts.ts",
  "media-kinds.ts",
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
