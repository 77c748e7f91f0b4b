import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./paths.ts";
import type { Ended } from "./processes.ts";

const SOURCES = "{src,sandbox,scripts,test,bench,client,n8n}/**/*.{ts,tsx,mjs}";
const COMMENT = /^\s*(?:\*|\/\/|\/\*\*)\s/;
const REFERENCE = /(?<![\w/.<*-])(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|tsx|mjs|md|toml)\b(?!\w)/g;
/** Files that are made, and are not committed. */
const MADE = /^(?:settings\.toml|wrangler\.databases\.toml|(?:src\/)?(?:openapi|operations)\.ts|use\.ts|texts\.d\.ts)$/;

/** The files that a line of a comment names; none of other lines. */
export const namedIn = (line: string): readonly string[] =>
  COMMENT.test(line) ? (line.match(REFERENCE) ?? []).filter((name) => !MADE.test(name)) : [];

const filesOf = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: ROOT, exclude: (path) => /(^|\/)(node_modules|dist|\.wrangler)$/.test(path) });

/** "src/core/ids.ts", "core/ids.ts", "ids.ts". */
const endsOf = (file: string): readonly string[] => file.split("/").map((_, at, parts) => parts.slice(at).join("/"));

/** Checks that each file that a comment names exists: by its whole path, or by the end of it. */
export function checkReferences(): Ended {
  const known = new Set(filesOf("**/*.{ts,tsx,mjs,md,toml}").flatMap(endsOf));
  const found = filesOf(SOURCES).flatMap((file) =>
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .flatMap((line, index) => {
        const lost = namedIn(line).filter((name) => !known.has(name));
        return lost.map((name) => `${file}:${index + 1}: there is no ${name}`);
      }),
  );
  return { code: found.length > 0 ? 1 : 0, output: found.join("\n") };
}
