import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "./paths.ts";

/** All that a Worker, its assets and its texts are built of. The lock file stands for the packages. */
const INPUTS = [
  "{src,sandbox,locales,docs,scripts}/**/*",
  "{package-lock,tsconfig,worker-configuration.d}.{json,ts}",
  "wrangler*.toml",
];
const NOT_INPUTS = ["**/node_modules/**", "scripts/node/**", "scripts/real/**"];

/**
 * A hash of the names and contents of everything that a build reads: with the same hash, it makes the same.
 */
export function hashInputs(root = ROOT): string {
  const hash = createHash("sha256");
  const files = globSync(INPUTS, { cwd: root, exclude: NOT_INPUTS, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.toSorted()) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/** Of which sources dist/assets was made. */
const RECORD = join(ROOT, "dist", "inputs");

export function recordAssets(hash: string): void {
  writeFileSync(RECORD, hash);
}

/** A part of the assets is made of other sources now. */
export function forgetAssets(): void {
  rmSync(RECORD, { force: true });
}

export const areAssetsOf = (hash: string): boolean => existsSync(RECORD) && readFileSync(RECORD, "utf8") === hash;
