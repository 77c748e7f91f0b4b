import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { test } from "vitest";
import { ROOT } from "../../scripts/support/paths.ts";

/** The client package as others get it. test/commands/guides.long.test.ts runs it against the service. */
const SOURCE = join(ROOT, "client", "src");

test("it has at most 420 lines that are not generated, without the terminal", ({ expect }) => {
  const files = readdirSync(SOURCE).filter((name) => !["openapi.ts", "cli.ts", "login.ts"].includes(name));
  const lines = files.flatMap((name) => readFileSync(join(SOURCE, name), "utf8").trimEnd().split("\n"));
  expect(lines.length).toBeLessThanOrEqual(420);
});

test("it uses nothing that only Node has", async ({ expect }) => {
  const { warnings, metafile } = await build({
    entryPoints: [join(SOURCE, "index.ts")],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    logLevel: "silent",
  });
  expect(warnings).toEqual([]);
  expect(Object.keys(metafile.inputs).filter((path) => path.includes("(disabled)"))).toEqual([]);
});
