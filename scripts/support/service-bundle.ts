import { createRequire } from "node:module";
import { basename, dirname, join, resolve, sep } from "node:path";
import { type BuildOptions, build, type Plugin as EsbuildPlugin } from "esbuild";
import type { Plugin } from "vitest/config";
import { ROOT } from "./paths.ts";

/** The options with which wrangler bundles a Worker. */
export const WORKER_BUILD = {
  bundle: true,
  write: false,
  format: "esm",
  target: "es2024",
  conditions: ["workerd", "worker", "browser"],
  external: ["cloudflare:*", "node:*"],
  jsx: "automatic",
  jsxImportSource: "hono/jsx",
  logLevel: "warning",
} as const satisfies BuildOptions;

/**
 * wrangler features that esbuild lacks: `[alias]` (esbuild's own covers only packages), and compiled modules
 * as separate files.
 */
const asWrangler: EsbuildPlugin = {
  name: "as-wrangler",
  setup: ({ onResolve }) => {
    onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => ({ path: resolve(resolveDir, path), external: true }));
    onResolve({ filter: /^\.\.\/locales\/index\.js$/ }, () => ({ path: join(SOURCE, "core", "no-locales.ts") }));
  },
};

const SOURCE = join(ROOT, "src") + sep;
const WORKER = join(SOURCE, "worker.ts");
/** Runs before each test file. */
const SETUP = "test/support/setup.ts";
/** A nonexistent folder: the virtual location of the bundle's modules, for the paths in their source maps. */
const OUT = join(ROOT, ".bundled");

/** Modules that vitest and its pool provide. */
const isProvided = (path: string): boolean => /^(cloudflare:|node:|vitest(\/|$))/.test(path);
const isRelative = (path: string): boolean => /^\.{0,2}\//.test(path);

interface Bundle {
  /** Code and source map of each module, by its path. */
  readonly modules: ReadonlyMap<string, { readonly code: string; readonly map: string }>;
  /** The module that replaces a file of src/, or a package that tests import. */
  readonly standsFor: ReadonlyMap<string, string>;
}

/**
 * Serves the service and its packages to these tests from one bundle, built when the first test starts.
 * Otherwise each runtime would load hundreds of modules.
 *
 * The imports of the tests are entry points that share chunks, so that each module exists once. Inactive in
 * watch mode.
 */
export function bundledService(tests: readonly string[]): Plugin {
  let isWatching = false;
  let made: Promise<Bundle> | undefined;
  const bundle = (): Promise<Bundle> => {
    made ??= bundleFor(tests);
    return made;
  };
  return {
    name: "belfry:bundled-service",
    enforce: "pre",
    configureVitest({ vitest }) {
      isWatching = vitest.config.watch;
    },
    async resolveId(path, importer) {
      if (isWatching || isProvided(path) || path.startsWith("\0")) return null;
      const { modules, standsFor } = await bundle();
      const file = importer !== undefined && path.startsWith(".") ? resolve(dirname(importer), path) : path;
      // Vite also requests URLs, which start at the root.
      const id = [file, join(ROOT, file)].map((name) => standsFor.get(name) ?? name).find((name) => modules.has(name));
      const isCode = file.startsWith(SOURCE) && !file.endsWith(".json");
      if (id === undefined && isCode) throw new Error(`${path} is not in the bundle of the service.`);
      return id ?? null;
    },
    async load(id) {
      return isWatching ? null : ((await bundle()).modules.get(id) ?? null);
    },
  };
}

async function bundleFor(tests: readonly string[]): Promise<Bundle> {
  const { files, packages } = await importsOf([SETUP, ...tests]);
  // Bundles packages separately. Some change others when loaded (@hono/zod-openapi), so order matters;
  // esbuild keeps the order of imports, but not of chunks.
  const service = await split("service", [...files], "external");
  const theirs = await split("packages", [...new Set([...packages, ...service.packages])], "bundle");
  return {
    modules: new Map([...service.modules, ...theirs.modules]),
    standsFor: new Map([...service.standsFor, ...theirs.standsFor]),
  };
}

/** Builds entry points that share chunks, with the given packages as external. */
async function split(
  folder: string,
  paths: readonly string[],
  packages: "bundle" | "external",
): Promise<Bundle & { readonly packages: readonly string[] }> {
  const entries = paths.map((path, index) => ({ path, name: `${index}-${basename(path)}` }));
  const outdir = join(OUT, folder);
  const { outputFiles, metafile } = await build({
    ...WORKER_BUILD,
    packages,
    absWorkingDir: ROOT,
    entryPoints: entries.map(({ path, name }) => ({ in: path, out: name })),
    splitting: true,
    outdir,
    plugins: [asWrangler],
    sourcemap: packages === "bundle" ? false : "external",
    ...(packages === "bundle" ? { minifyWhitespace: true, minifySyntax: true, legalComments: "none" as const } : {}),
    // Vite would look for the sources beside the chunk, in a folder that does not exist.
    sourcesContent: true,
    metafile: true,
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const modules = new Map<string, { code: string; map: string }>();
  const named = new Map(entries.map(({ path, name }) => [join(outdir, `${name}.js`), path]));
  for (const [path, code] of texts) {
    const map = texts.get(`${path}.map`);
    const name = named.get(path);
    if (path.endsWith(".map")) continue;
    // Chunks without a source map need no line mapping.
    const own = map ?? NO_MAP;
    modules.set(path, { code: name === undefined ? code : withNames(code, name), map: own });
  }
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return {
    modules,
    standsFor: new Map(entries.map(({ path, name }) => [path, join(outdir, `${name}.js`)])),
    packages: imports.filter(({ path, external }) => external && !isProvided(path)).map(({ path }) => path),
  };
}

const NO_MAP = JSON.stringify({ version: 3, sources: [], names: [], mappings: "" });

/** A CommonJS entry point has only a default export; this adds its named exports, as in Node and wrangler. */
function withNames(code: string, name: string): string {
  const [statement, whole] = /(?<=^|;|\n)export default (require_\w+\(\));/.exec(code) ?? [];
  if (statement === undefined) return code;
  const names = Object.keys(require(name)).filter((key) => key !== "default" && /^[A-Za-z_$][\w$]*$/.test(key));
  return code.replace(
    statement,
    `const whole = ${whole};\nexport default whole;\nexport const { ${names.join(", ")} } = whole;`,
  );
}
const require = createRequire(import.meta.url);

/** The modules of src/ and packages that these files import, directly or through other files of test/. */
async function importsOf(
  tests: readonly string[],
): Promise<{ files: ReadonlySet<string>; packages: ReadonlySet<string> }> {
  const files = new Set([WORKER]);
  const packages = new Set<string>();
  const collector: EsbuildPlugin = {
    name: "imports",
    setup: ({ onResolve }) => {
      onResolve({ filter: /./ }, ({ path, kind, resolveDir }) => {
        if (kind === "entry-point") return null;
        if (!isRelative(path)) {
          if (!isProvided(path)) packages.add(path);
          return { external: true };
        }
        const file = resolve(resolveDir, path);
        if (!file.startsWith(SOURCE)) return null;
        files.add(file);
        return { external: true };
      });
    },
  };
  await build({ ...WORKER_BUILD, absWorkingDir: ROOT, entryPoints: [...tests], outdir: OUT, plugins: [collector] });
  return { files, packages };
}
