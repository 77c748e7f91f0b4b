import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "./paths.ts";
import type { Ended } from "./processes.ts";

const Lock = z.object({
  packages: z.record(z.string(), z.looseObject({ hasInstallScript: z.boolean().default(false) })),
});
const Manifest = z.object({ allowScripts: z.record(z.string(), z.boolean()) });

/**
 * Checks that `allowScripts` in package.json covers every package with an install script, and no other. True
 * allows the script; npm skips the scripts of packages with false. A package without an entry would run its
 * script unnoticed after the next update.
 */
export function checkInstallScripts(): Ended {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), "utf8"));
  const problems = installScriptProblems(read("package-lock.json"), read("package.json"));
  return { code: problems.length === 0 ? 0 : 1, output: problems.join("\n") };
}

/** One message for each package without an entry, or with an unnecessary one. */
function installScriptProblems(lock: unknown, manifest: unknown): readonly string[] {
  const { packages } = Lock.parse(lock);
  const { allowScripts } = Manifest.parse(manifest);
  // The path of this project itself is empty.
  const paths = Object.keys(packages).filter((path) => path !== "" && packages[path]?.hasInstallScript);
  const running = new Set(paths.map((path) => path.replace(/^.*node_modules\//, "")));
  const undecided = [...running].filter((name) => !Object.hasOwn(allowScripts, name));
  const idle = Object.keys(allowScripts).filter((name) => !running.has(name));
  return [
    ...undecided.map((name) => `${name} has an install script: add it to allowScripts in package.json, true or false.`),
    ...idle.map((name) => `${name} is in allowScripts of package.json, but has no install script.`),
  ];
}
