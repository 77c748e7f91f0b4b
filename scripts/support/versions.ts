import { createRequire } from "node:module";
import { join } from "node:path";
import { ROOT } from "./paths.ts";
import { run } from "./processes.ts";

/** Of which code a result is. */

/**
 * The commit of this checkout, with `+` if files other than the page differ from it; the version where git
 * does not know.
 */
export async function commitOf(page: string): Promise<string> {
  const head = await run("git", ["rev-parse", "--short", "HEAD"]).catch(() => null);
  if (head?.code !== 0) return versionOf(ROOT);
  const changed = await run("git", ["status", "--porcelain", "--", ".", `:!${page}`]);
  return `${head.output.trim()}${changed.output.trim() === "" ? "" : "+"}`;
}

/** The version of an installed package, or of the one at this path. */
export function versionOf(name: string): string {
  const { version } = createRequire(import.meta.url)(join(name, "package.json"));
  return String(version);
}
