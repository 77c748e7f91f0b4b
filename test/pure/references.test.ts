import { test } from "vitest";
import { checkReferences, namedIn } from "../../scripts/support/references.ts";

test("comments name files that exist", ({ expect }) => {
  expect(checkReferences().output).toBe("");
});

test.for([
  [" * The rules are in platforms/rules.ts, the page in docs/console.md.", ["platforms/rules.ts", "docs/console.md"]],
  ["// Read by forms.tsx (wrangler.toml).", ["forms.tsx", "wrangler.toml"]],
  ["/** Of `settings.toml`, which a person writes. */", []],
  ["// Every *.test.ts, at https://example.com/a.ts.", []],
  ['import { a } from "./nowhere.ts";', []],
] as const)("%s", ([line, names], { expect }) => {
  expect(namedIn(line)).toEqual(names);
});
