import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ROOT } from "./paths.ts";
import type { Ended } from "./processes.ts";

/** Whole words of a name, in lower case, that docs/words.md replaces. */
const NAME_WORDS = [
  ...["told", "untold", "tells", "tell", "hear", "heed", "hasten", "hastened", "stumble", "doubt", "unsure", "verdict"],
  ...["anew", "woken", "leg", "legs", "mended", "whoever"],
];
/** Names that docs/words.md replaces as a whole. */
const NAMES = ["ask", "look", "make", "tell", "hear", "Asked", "Place", "GiveUp", "GaveUp", "Later", "isOurs", "letGo"];
/** Phrases of user texts that docs/words.md replaces. */
const PHRASES =
  /\b(?:anew|again and again|what became of|mended|whoever|taken down|of ours|of yours|its person|goes out)\b/i;

/** Folders whose user texts are written in the words of the dictionary. */
const PLAIN_TEXTS: readonly string[] = [
  ...["accounts", "acting", "automations", "banners", "boosts", "channels", "connect", "core", "db", "deliveries"],
  ...["entry", "events", "files", "generations", "http", "inbound", "jobs", "media", "models", "service", "video"],
  "webhooks",
]
  .map((folder) => join("src", folder))
  .concat("sandbox", "scripts");

const EXPORTED = /^export (?:default )?(?:async )?(?:abstract )?(?:function\*?|const|class|interface|type) (\w+)/gm;
const COLUMN = /\b(?:text|integer|instant|json|parsedJson)\("(\w+)"/g;
const TEXT = /"(?:[^"\\\n]|\\.)* (?:[^"\\\n]|\\.)*"|`[^`\n]* [^`\n]*`/g;
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;

/** Whether names and user texts use the words of docs/words.md. */
export function checkWords(): Ended {
  const files = globSync("{src,sandbox,scripts}/**/*.{ts,tsx}", {
    cwd: ROOT,
    exclude: (path) => path.includes("node_modules"),
  });
  const found = files.flatMap((file) => {
    if (file === join("scripts", "support", "words.ts")) return [];
    const code = readFileSync(join(ROOT, file), "utf8").replace(COMMENT, "");
    return [...namesOf(file, code), ...textsOf(file, code)].map((problem) => `${file}: ${problem}`);
  });
  return { code: found.length > 0 ? 1 : 0, output: found.join("\n") };
}

function namesOf(file: string, code: string): string[] {
  const columns = basename(file) === "table.ts" ? matchesOf(code, COLUMN) : [];
  const names = [basename(file).replace(/\.tsx?$/, ""), ...matchesOf(code, EXPORTED), ...columns];
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
  if (!PLAIN_TEXTS.some((folder) => file.startsWith(join(folder, "/")))) return [];
  return [...code.matchAll(TEXT)].flatMap(([text]) => {
    const phrase = PHRASES.exec(text)?.[0];
    return phrase === undefined ? [] : [`"${phrase}" in ${text.slice(0, 80)}`];
  });
}

const matchesOf = (code: string, pattern: RegExp): string[] => [...code.matchAll(pattern)].map(([, name = ""]) => name);
