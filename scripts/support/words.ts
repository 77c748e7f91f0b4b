import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ROOT } from "./paths.ts";
import type { Ended } from "./processes.ts";

/** Whole words of a name, in lower case, that docs/words.md replaces. */
const NAME_WORDS = [
  "told",
  "untold",
  "tells",
  "tell",
  "hear",
  "heed",
  "hasten",
  "hastened",
  "stumble",
  "doubt",
  "unsure",
  "verdict",
  "anew",
  "woken",
  "leg",
  "legs",
  "mended",
  "whoever",
  "unread",
];
/** Names that docs/words.md replaces as a whole. */
const NAMES = ["ask", "look", "make", "tell", "hear", "Asked", "Place", "GiveUp", "GaveUp", "Later", "isOurs", "letGo"];
/** Phrases that docs/words.md replaces in user texts, names of tests and names of recorded exchanges. */
const PHRASES =
  /(?<!`)\b(?:anew|again and again|what became of|mended|whoever|taken down|of ours|of yours|its person|goes out|told|tells|given back|put back|let go|wants you|spoilt|bad weather|in doubt|passing (?:error|trouble)|nearly used up)\b/i;
/** Texts of other people: what a model may be asked, sample comments. */
const QUOTED = /What were you told\?|First 200 characters/;

const EXPORTED = /^export (?:default )?(?:async )?(?:abstract )?(?:function\*?|const|class|interface|type) (\w+)/gm;
const COLUMN = /\b(?:text|integer|instant|json|parsedJson)\("(\w+)"/g;
const LOG_EVENT = /\blog\.event\("(\w+)"/g;
const TEXT = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
const PAGE_TEXT = />[^<>{}=;]* [^<>{}=;]*</g;
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;

/** Whether names, user texts and names of tests use the words of docs/words.md. */
export function checkWords(): Ended {
  const found = [
    ...problemsIn("{src,sandbox,scripts,client/src}/**/*.{ts,tsx}", (file, code) => [
      ...namesOf(file, code),
      ...textsOf(file, code),
    ]),
    ...problemsIn("{test,bench}/**/*.{ts,tsx}", textsOf),
    ...problemsIn("src/platforms/*/exchanges/*.json", textsOf),
  ];
  return { code: found.length > 0 ? 1 : 0, output: found.join("\n") };
}

function problemsIn(pattern: string, problemsOf: (file: string, code: string) => readonly string[]): string[] {
  const files = globSync(pattern, { cwd: ROOT, exclude: (path) => path.includes("node_modules") });
  return files.flatMap((file) => {
    if (file === join("scripts", "support", "words.ts")) return [];
    const code = readFileSync(join(ROOT, file), "utf8").replace(COMMENT, "");
    return problemsOf(file, code).map((problem) => `${file}: ${problem}`);
  });
}

function namesOf(file: string, code: string): string[] {
  const columns = basename(file) === "table.ts" ? matchesOf(code, COLUMN) : [];
  const events = matchesOf(code, LOG_EVENT);
  const names = [basename(file).replace(/\.tsx?$/, ""), ...matchesOf(code, EXPORTED), ...columns, ...events];
  return names.filter(isReplaced).map((name) => `the name ${name} is not in the words of docs/words.md`);
}

function isReplaced(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[\s_-]+/);
  return NAMES.includes(name) || words.some((word) => NAME_WORDS.includes(word));
}

function textsOf(file: string, code: string): string[] {
  const texts = [...code.matchAll(TEXT), ...(file.endsWith(".tsx") ? code.matchAll(PAGE_TEXT) : [])];
  return texts.flatMap(([text]) => {
    const phrase = !text.includes(" ") || QUOTED.test(text) ? undefined : PHRASES.exec(text)?.[0];
    return phrase === undefined ? [] : [`"${phrase}" in ${text.trim().slice(0, 80)}`];
  });
}

const matchesOf = (code: string, pattern: RegExp): string[] => [...code.matchAll(pattern)].map(([, name = ""]) => name);
