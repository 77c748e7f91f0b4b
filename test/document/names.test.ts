import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { inject, test } from "vitest";
import { z } from "zod";

const Document = z.object({
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ operationId: z.string() }))),
});

/** All that a browser, a Worker or Node declares for every file: `Error`, `Event`, `Request`, … */
function globalNames(): ReadonlySet<string> {
  const lib = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "lib");
  const declared = readdirSync(lib)
    .filter((name) => /^lib\..*\.d\.ts$/.test(name))
    .flatMap((name) =>
      Array.from(
        readFileSync(join(lib, name), "utf8").matchAll(
          /^(?:declare )?(?:interface|type|var|const|class|function|namespace) (\w+)/gm,
        ),
        ([, word = ""]) => word,
      ),
    );
  return new Set([...declared, ...Object.getOwnPropertyNames(globalThis)]);
}

test("no schema and no operation has the name of something global", ({ expect }) => {
  const globals = globalNames();
  for (const known of ["Error", "Event", "Request", "Partial", "fetch"]) expect(globals).toContain(known);
  const { components, paths } = Document.parse(JSON.parse(inject("document")));
  const names = [
    ...Object.keys(components.schemas),
    ...Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId)),
  ];
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => globals.has(name))).toEqual([]);
});
