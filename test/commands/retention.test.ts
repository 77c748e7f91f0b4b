import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getTableName, isTable } from "drizzle-orm";
import { test } from "vitest";
import { ROOT } from "../../scripts/support/paths.ts";
import * as schema from "../../src/db/schema.ts";

/**
 * Nothing grows for ever: each table has its lifetime and its pace in docs/storage.md, or lives with its
 * project.
 */
const tables = Object.values(schema).flatMap((one) => (isTable(one) ? [getTableName(one)] : []));

const [, section = ""] = readFileSync(join(ROOT, "docs/storage.md"), "utf8").split("## Retention");
const rows = (section.split("\n## ")[0] ?? "").split("\n").flatMap((line) => {
  const [, name, lifetime, pace] = /^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$/.exec(line) ?? [];
  return name && lifetime && pace ? [{ name, lifetime: lifetime.trim(), pace: pace.trim() }] : [];
});

const LIFETIME =
  /lives with its project|^with its \w+|^until |\d+ (months|days|hours|minutes|seconds)|^a (year|week)|rows$/;
const PACE = /\d|^with its|^one row|^in the statement|^all|^none|^made by|^merged/;

test("every table has a lifetime and a pace", ({ expect }) => {
  expect(tables.filter((table) => !rows.some(({ name }) => name === table))).toEqual([]);
  for (const row of rows) {
    expect(row).toMatchObject({ lifetime: expect.stringMatching(LIFETIME), pace: expect.stringMatching(PACE) });
  }
});
