import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./paths.ts";
import type { Ended } from "./processes.ts";

const FILES = [
  "{src,sandbox,scripts,test,bench,client/src}/**/*.{ts,tsx,mjs}",
  ...["*.config.ts", "{,sandbox/,bench/bare/}wrangler.toml", ".ci/run", ".dev.vars.example"],
];
const MAX_COLUMNS = 110;
const MAX_LINES = 300;

/** Comment lines, except headings and lines aligned with spaces. */
const COMMENT = /^\s*(?:\* \S|\/\/ (?!---)\S|\/\*\*|# \S)/;

/** Checks the width of comments, and the number of lines of files in src/ and sandbox/ (CONTRIBUTING.md). */
export function checkLengths(): Ended {
  const files = globSync(FILES, {
    cwd: ROOT,
    exclude: (path) => path.includes("node_modules") || path.endsWith("openapi.ts"),
  });
  const found = files.flatMap((file) => {
    const lines = readFileSync(join(ROOT, file), "utf8").split("\n");
    const wide = lines.flatMap((line, index) =>
      COMMENT.test(line) && [...line].length > MAX_COLUMNS
        ? [`${file}:${index + 1}: a comment longer than ${MAX_COLUMNS} columns`]
        : [],
    );
    const isLong = (file.startsWith("src") || file.startsWith("sandbox")) && lines.length - 1 > MAX_LINES;
    return isLong ? [...wide, `${file}: ${lines.length - 1} lines; the maximum is ${MAX_LINES}`] : wide;
  });
  return { code: found.length > 0 ? 1 : 0, output: found.join("\n") };
}
