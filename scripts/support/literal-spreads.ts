import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./paths.ts";
import type { Ended } from "./processes.ts";

const FILES = "{src,sandbox,scripts,test,bench,client/src,n8n}/**/*.{ts,tsx,mts}";

/** Refuses `...{ a, b }` and `...[a, b]`, which say the same as `a, b` and only pack lines. */
export function checkLiteralSpreads(): Ended {
  const files = globSync(FILES, {
    cwd: ROOT,
    exclude: (path) => path.includes("node_modules") || path.endsWith("openapi.ts"),
  });
  const found = files.flatMap((file) =>
    literalSpreads(readFileSync(join(ROOT, file), "utf8")).map((line) => `${file}:${line}: a literal is spread`),
  );
  return { code: found.length > 0 ? 1 : 0, output: found.join("\n") };
}

/** The lines, from 1, at which a fresh literal is spread in code. Pure. */
export function literalSpreads(code: string): readonly number[] {
  const plain = withoutTexts(code);
  return [...plain.matchAll(/\.\.\.\s*(?=[{[])/g)].flatMap(({ index, 0: dots }) => {
    const end = endOf(plain, index + dots.length);
    // What follows a literal that is spread ends the element; a method or a type makes it something else.
    return end !== null && /^\s*[,)\]}]/.test(plain.slice(end)) ? [plain.slice(0, index).split("\n").length] : [];
  });
}

/** The same length, with spaces for comments and for the letters of strings. */
function withoutTexts(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\/|(?<![:\\])\/\/[^\n]*|"(?:\\.|[^"\\\n])*"/g, (text) =>
    text.replace(/[^\n]/g, " "),
  );
}

/** Where the bracket at `start` closes; null if it does not. */
function endOf(code: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < code.length; at++) {
    const letter = code.charAt(at);
    if ("{[(".includes(letter)) depth++;
    if ("}])".includes(letter)) depth--;
    if (depth === 0) return at + 1;
  }
  return null;
}
