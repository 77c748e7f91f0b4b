import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./paths.ts";
import type { Ended } from "./processes.ts";

const FILES = [
  "{src,sandbox,scripts,test,bench,client/src}/**/*.{ts,tsx,mjs}",
  "*.config.ts",
  "{,src/banners/,sandbox/,bench/bare/}wrangler.toml",
  ".ci/run",
  ".dev.vars.example",
];
const MAX_COLUMNS = 110;
/** Above it, a file may want to be two; its subject decides. */
const LONG_LINES = 400;

/** Comment lines, except lines aligned with spaces. */
const COMMENT = /^\s*(?:\* \S|\/\/ \S|\/\*\*|# \S)/;

const linesOf = (file: string): readonly string[] => readFileSync(join(ROOT, file), "utf8").split("\n");

const files = (pattern: string | readonly string[]): readonly string[] =>
  globSync(pattern, {
    cwd: ROOT,
    exclude: (path) => path.includes("node_modules") || path.endsWith("openapi.ts"),
  });

/** It divides a file in two: then it is two files, or the line says what the functions below it say. */
const BANNER = /^\s*\/\/ (?:---|===)/;

/** Checks the width of comments, and that none is a banner (CONTRIBUTING.md). */
export function checkLengths(): Ended {
  const found = files(FILES).flatMap((file) =>
    linesOf(file).flatMap((line, index) => {
      if (BANNER.test(line)) return [`${file}:${index + 1}: a banner: make two files, or leave it out`];
      const isLong = COMMENT.test(line) && [...line].length > MAX_COLUMNS;
      return isLong ? [`${file}:${index + 1}: a comment longer than ${MAX_COLUMNS} columns`] : [];
    }),
  );
  return { code: found.length > 0 ? 1 : 0, output: found.join("\n") };
}

/** Files of src/ and sandbox/ that are long, a line each: a warning. */
export function longFiles(): readonly string[] {
  return files("{src,sandbox}/**/*.{ts,tsx}").flatMap((file) => {
    const count = linesOf(file).length - 1;
    return count > LONG_LINES ? [`${file}: ${count} lines`] : [];
  });
}
