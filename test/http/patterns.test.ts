import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tokenizer } from "acorn";
import { transform } from "esbuild";
import { analyse } from "scslre";
import { test, vi } from "vitest";
import { z } from "zod";
import { ROOT } from "../../scripts/support/paths.ts";

/**
 * No pattern of `src` takes time that grows faster than its text: a text that somebody sends would cost all
 * others. Patterns that are built from strings are read where their module builds them.
 */
interface Pattern {
  readonly source: string;
  readonly flags: string;
}

/** A token of a regular expression; acorn's types leave its value out. */
const Literal = z.object({ value: z.object({ pattern: z.string(), flags: z.string() }) });

/** Patterns whose texts are short, by their source, and why. */
const SHORT: ReadonlyMap<string, string> = new Map([
  [String.raw`\B(?=(?:\d{3})+$)`, "the digits of our numbers, to group them (core/sentences.ts)"],
]);

/** Files that build patterns within a function, and of what. */
const BUILT_LATER: ReadonlyMap<string, string> = new Map([
  ["src/branding/colors.ts", "the name of one of our colours"],
  ["src/console/compose/tiktok-views.tsx", "the labels of our two links"],
  ["src/platforms/twitter/likeness.ts", "the id of a post, which is digits"],
]);

const FILES = globSync("src/**/*.{ts,tsx}", { cwd: ROOT });

/** Short names of Unicode properties, which `scslre` does not know. */
const PROPERTIES: readonly (readonly [short: RegExp, name: string])[] = [
  [/\\p\{ExtPict\}/g, String.raw`\p{Extended_Pictographic}`],
  [/\\p\{EMod\}/g, String.raw`\p{Emoji_Modifier}`],
  [/\\p\{RI\}/g, String.raw`\p{Regional_Indicator}`],
];

/** What is super-linear in a pattern, as `scslre` says it; empty if nothing. */
function flawsOf({ source, flags }: Pattern): string[] {
  const known = PROPERTIES.reduce((text, [short, name]) => text.replace(short, name), source);
  const { reports } = analyse({ source: known, flags }, { reportTypes: { Move: true, Self: true, Trade: true } });
  return [...new Set(reports.map(({ type, exponential }) => `${type}${exponential ? ", exponential" : ""}`))];
}

async function literalsOf(file: string): Promise<{ readonly literals: Pattern[]; readonly isBuilding: boolean }> {
  const loader = file.endsWith("x") ? "tsx" : "ts";
  const { code } = await transform(readFileSync(join(ROOT, file), "utf8"), {
    loader,
    target: "esnext",
    jsx: "automatic",
  });
  const literals: Pattern[] = [];
  for (const token of tokenizer(code, { ecmaVersion: "latest", sourceType: "module" })) {
    if (token.type.label === "regexp") {
      const { pattern: source, flags } = Literal.parse(token).value;
      literals.push({ source, flags });
    }
  }
  return { literals, isBuilding: /\bRegExp\(/.test(code) };
}

test("the check finds what is known to be slow", ({ expect }) => {
  expect(flawsOf(/[.,]+$/u)).toEqual(["Move"]);
  expect(flawsOf(/^(?:\s*a\s*)+$/)).toEqual(["Trade, exponential"]);
  expect(flawsOf(/^[.,]+$/u)).toEqual([]);
});

test("every pattern of src is linear, or its text is short", { timeout: 120_000 }, async ({ expect }) => {
  const flaws: string[] = [];
  let count = 0;
  const unused = new Set(SHORT.keys());
  for (const file of FILES) {
    for (const pattern of (await literalsOf(file)).literals) {
      count += 1;
      const found = flawsOf(pattern);
      if (found.length === 0) continue;
      unused.delete(pattern.source);
      if (!SHORT.has(pattern.source)) flaws.push(`${file}: /${pattern.source}/${pattern.flags}: ${found.join(", ")}`);
    }
  }
  expect(flaws).toEqual([]);
  expect([...unused]).toEqual([]);
  expect(count).toBeGreaterThan(400);
});

test("every pattern that is built of strings is linear", { timeout: 120_000 }, async ({ expect }) => {
  const building: string[] = [];
  for (const file of FILES) if ((await literalsOf(file)).isBuilding) building.push(file);
  const flaws: string[] = [];
  const loading = building.filter((file) => !BUILT_LATER.has(file));
  const built = await builtBy(loading);
  for (const file of loading) {
    const patterns = built.get(file) ?? [];
    if (patterns.length === 0) flaws.push(`${file} builds its patterns in a function: say of what in this test.`);
    for (const pattern of patterns) {
      const found = flawsOf(pattern);
      if (found.length > 0) flaws.push(`${file}: /${pattern.source}/${pattern.flags}: ${found.join(", ")}`);
    }
  }
  expect(flaws).toEqual([]);
  expect([...BUILT_LATER.keys()].filter((file) => !building.includes(file))).toEqual([]);
});

/** The patterns that modules build while they load, by file. */
async function builtBy(files: readonly string[]): Promise<Map<string, Pattern[]>> {
  const built = new Map<string, Pattern[]>();
  const { RegExp: Original } = globalThis;
  // Files before this one share the process, and may have loaded some of them.
  vi.resetModules();
  globalThis.RegExp = new Proxy(Original, {
    construct(target, args, self) {
      const made: RegExp = Reflect.construct(target, args, self);
      // Below are those that import it.
      const lines = new Error().stack?.split("\n") ?? [];
      const nearest = lines.find((line) => line.includes("/src/")) ?? "";
      const file = files.find((one) => nearest.includes(`/${one}:`));
      if (file) built.set(file, [...(built.get(file) ?? []), { source: made.source, flags: made.flags }]);
      return made;
    },
  });
  try {
    for (const file of files) await import(join(ROOT, file));
  } finally {
    globalThis.RegExp = Original;
  }
  return built;
}
