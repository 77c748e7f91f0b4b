import { join } from "node:path";
import { inject, test } from "vitest";
import { ROOT } from "../../scripts/support/paths.ts";
import { runTool } from "../../scripts/support/tools.ts";
import { Folder } from "./folder.ts";

/** Linters of others find nothing in the served document, their warnings and hints included. */
const folder = new Folder("lint");
const served = folder.write("openapi.json", inject("document"));

test("Redocly, recommended-strict", async ({ expect }) => {
  const { code, output } = await runTool("redocly", ["lint", served, "--extends=recommended-strict"]);
  expect(output).toContain("Your API description is valid");
  expect(output).not.toMatch(/warning/i);
  expect(code).toBe(0);
});

test("Spectral, spectral:oas", async ({ expect }) => {
  const rules = join(ROOT, "test", "document", "spectral.yaml");
  const { code, output } = await runTool("spectral", [
    "lint",
    served,
    "--ruleset",
    rules,
    "--fail-severity",
    "hint",
    "--display-only-failures",
  ]);
  expect(output).toContain("No results with a severity of 'hint' or higher found!");
  expect(code).toBe(0);
});

test("a mistake would be found", async ({ expect }) => {
  // A small one: the linters take ten seconds for the whole document.
  const { openapi, servers } = JSON.parse(inject("document"));
  const paths = { "/posts": { get: { responses: { 200: { description: "Posts." } } } } };
  const document = { openapi, servers, info: { title: "x", version: "1" }, paths };
  const broken = folder.write("broken.json", JSON.stringify(document));
  expect((await runTool("redocly", ["lint", broken, "--extends=recommended-strict"])).code).not.toBe(0);
  const rules = join(ROOT, "test", "document", "spectral.yaml");
  expect((await runTool("spectral", ["lint", broken, "--ruleset", rules, "--fail-severity", "hint"])).code).not.toBe(0);
});
