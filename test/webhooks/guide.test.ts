import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { ROOT } from "../../scripts/support/paths.ts";
import { LEAVING_NAMES } from "../../src/webhooks/catalog.ts";

test("the guide's table has every event that is sent, and no other", ({ expect }) => {
  const guide = readFileSync(join(ROOT, "docs", "guides", "webhooks.md"), "utf8");
  const [, table = ""] = /\n\| Type \| When \|\n\| --- \| --- \|\n((?:\|.*\n)+)/.exec(guide) ?? [];
  const named = table.split("\n").flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([\w.]+)`/g)]);
  expect(named.map(([, name]) => name).sort()).toEqual([...LEAVING_NAMES].sort());
});
