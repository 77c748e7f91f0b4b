import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { databasesIn, withDatabases } from "../../scripts/support/databases.ts";

const TOML = readFileSync("wrangler.toml", "utf8");

test("further databases are added to wrangler.toml with the queue of sweeps, and what is there stays", () => {
  const three = withDatabases(TOML, 3);
  expect(databasesIn(TOML)).toBe(1);
  expect(databasesIn(three)).toBe(3);
  expect(three.startsWith(TOML.trimEnd())).toBe(true);
  expect(three.match(/binding = "SWEEPS"/g)).toHaveLength(1);
  const five = withDatabases(three, 5);
  expect(five.startsWith(three.trimEnd())).toBe(true);
  expect(five.match(/binding = "SWEEPS"/g)).toHaveLength(1);
  expect(five.match(/database_name = "belfry-\d"/g)).toEqual([1, 2, 3, 4].map((n) => `database_name = "belfry-${n}"`));
});

test("one database changes nothing, and fewer than before neither", () => {
  expect(withDatabases(TOML, 1)).toBe(TOML);
  const three = withDatabases(TOML, 3);
  expect(withDatabases(three, 2)).toBe(three);
});
