import { build } from "esbuild";
import { beforeAll, describe, test } from "vitest";
import { ROOT } from "../../scripts/support/paths.ts";
import { asWrangler, WORKER_BUILD } from "../../scripts/support/service-bundle.ts";

/**
 * What an isolate evaluates, and when: a dynamic import keeps a module out of the start, but one static
 * import elsewhere brings it back (docs/decisions/0057).
 */
describe("an isolate", () => {
  let evaluated: (entry: string) => ReadonlyMap<string, number>;
  beforeAll(async () => {
    evaluated = await readImports();
  });

  test("starts from the limiters alone: no routes, no schemas, no tables", ({ expect }) => {
    const modules = evaluated("src/worker.ts");
    expect([...modules.keys()]).toContain("src/accounts/limiter-object.ts");
    expect([...modules.keys()].filter((path) => /\/(zod|hono|drizzle-orm)\/|^src\/(entry|db)\//.test(path))).toEqual(
      [],
    );
    expect(sum(modules)).toBeLessThan(100_000);
  });

  test.for([
    ["src/mcp/server.ts", /^node_modules\/@modelcontextprotocol\//],
    ["node_modules/@simplewebauthn/server/esm/index.js", /^node_modules\/(@simplewebauthn|@peculiar|asn1js)\//],
  ] as const)("loads %s on first use, not with the routes", ([entry, packages], { expect }) => {
    const loaded = (of: string) => [...evaluated(of).keys()].filter((path) => packages.test(path));
    expect(loaded(entry)).not.toEqual([]);
    expect(loaded("src/entry/app.ts")).toEqual([]);
    expect(loaded("src/entry/batch.ts")).toEqual([]);
  });
});

const sum = (modules: ReadonlyMap<string, number>): number =>
  [...modules.values()].reduce((total, bytes) => total + bytes, 0);

/** The modules that an import of this one evaluates, with their bytes, minified. */
async function readImports(): Promise<(entry: string) => ReadonlyMap<string, number>> {
  const { metafile } = await build({
    ...WORKER_BUILD,
    absWorkingDir: ROOT,
    entryPoints: ["src/worker.ts"],
    outdir: ".bundled/start",
    plugins: [asWrangler],
    splitting: true,
    minify: true,
    metafile: true,
  });
  const chunks = new Map(Object.entries(metafile.outputs));
  const chunkOf = new Map([...chunks].flatMap(([name, { entryPoint }]) => (entryPoint ? [[entryPoint, name]] : [])));
  return (entry) => {
    const seen = new Set<string>();
    const modules = new Map<string, number>();
    const add = (name: string | undefined) => {
      const chunk = name === undefined ? undefined : chunks.get(name);
      if (name === undefined || chunk === undefined || seen.has(name)) return;
      seen.add(name);
      for (const [path, { bytesInOutput }] of Object.entries(chunk.inputs)) modules.set(path, bytesInOutput);
      for (const { kind, path } of chunk.imports) if (kind === "import-statement") add(path);
    };
    add(chunkOf.get(entry));
    return modules;
  };
}
