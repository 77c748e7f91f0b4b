import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getTableName, isTable } from "drizzle-orm";
import { describe, test } from "vitest";
import { ROOT } from "../../scripts/support/paths.ts";
import * as schema from "../../src/db/schema.ts";

/**
 * Everything that is stored or paid has a ceiling: each table and each call that costs something is in
 * docs/storage.md with the quota, the limit of the code, or the table that bounds it. A new one without
 * fails.
 */
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const [, section = ""] = read("docs/storage.md").split("## Ceilings");
const lines = (section.split("\n## ")[0] ?? "").split("\n");
const ceilings = new Map(
  lines.flatMap((line) => {
    const [, name, ceiling] = /^\| `(\w+)` \| ([^|]+) \|$/.exec(line) ?? [];
    return name && ceiling ? [[name, ceiling.trim()] as const] : [];
  }),
);
const paid = new Map(
  lines.flatMap((line) => {
    const [, file, ceiling] = /^\| `(src\/[\w./-]+)` \| [^|]+ \| ([^|]+) \|$/.exec(line) ?? [];
    return file && ceiling ? [[file, ceiling.trim()] as const] : [];
  }),
);
const tables: readonly string[] = Object.values(schema).flatMap((one) => (isTable(one) ? [getTableName(one)] : []));

/** Why a ceiling is none; null for one that holds. */
function problemOf(ceiling: string, seen: readonly string[] = []): string | null {
  const [, variable] = /^`(MAX_[A-Z_]+)`$/.exec(ceiling) ?? [];
  if (variable) {
    const isSetting = read("src/service/quotas.ts").includes(`  ${variable}: z`);
    const isOfService = read("src/service/config.ts").includes(`  ${variable}: z`);
    if (!isSetting && !isOfService) return `${variable} is no setting.`;
    return read("docs/operate.md").includes(`\`${variable}\``) ? null : `docs/operate.md does not name ${variable}.`;
  }
  const [, file, name] = /^`(src\/[\w./-]+)` (\w+)$/.exec(ceiling) ?? [];
  if (file && name) {
    const source = existsSync(join(ROOT, file)) ? read(file) : "";
    const uses = source.match(new RegExp(`\\b${name}\\b`, "g")) ?? [];
    return uses.length > 1 ? null : `${file} does not use ${name}.`;
  }
  const [, owner] = /^with `(\w+)`$/.exec(ceiling) ?? [];
  if (owner) {
    const above = ceilings.get(owner);
    if (seen.includes(owner) || above === undefined) return `${owner} has no ceiling of its own.`;
    return problemOf(above, [...seen, owner]);
  }
  return ["by the operator", "a dozen rows"].includes(ceiling) ? null : `"${ceiling}" names no ceiling.`;
}

describe("a ceiling", () => {
  test("of every table is named, and exists", ({ expect }) => {
    expect(tables.filter((table) => !ceilings.has(table))).toEqual([]);
    expect([...ceilings.keys()].filter((name) => !tables.includes(name))).toEqual([]);
    expect([...ceilings].flatMap(([name, ceiling]) => problemOf(ceiling)?.concat(` (${name})`) ?? [])).toEqual([]);
  });

  test("of every call that costs something is named, and exists", ({ expect }) => {
    // A model is called by what `…For(project)` returns; `.model` only reads its name.
    const PAID =
      /\b(?:chatFor|imagesFor|speechFor|videosFor)\([\w.]*\)(?!\.model)|\bpictures\.convert\(|\bmailer\.send\(|new Billing\(/;
    const files = globSync("src/**/*.{ts,tsx}", { cwd: ROOT }).filter((file) => !file.startsWith("src/models/"));
    const callers = files.filter((file) => PAID.test(read(file).replace(/\/\*[\s\S]*?\*\//g, "")));
    expect(callers.length).toBeGreaterThan(6);
    const derived = callers.filter((file) => file !== "src/service/deps.ts" && !file.endsWith("generation-run.ts"));
    expect(derived.filter((file) => !paid.has(file))).toEqual([]);
    expect([...paid].flatMap(([file, ceiling]) => problemOf(ceiling)?.concat(` (${file})`) ?? [])).toEqual([]);
    expect([...paid.keys()].filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  test("without a quota, a constant or an owner is refused by this test", ({ expect }) => {
    for (const none of ["lots", "`MAX_NOTHING`", "`src/access/store.ts` NOTHING", "with `nothing`"]) {
      expect([none, problemOf(none)]).toEqual([none, expect.any(String)]);
    }
  });
});
