import { join } from "node:path";
import { readArguments, runCommand } from "./support/command.ts";
import { checkFolders } from "./support/folders.ts";
import { GENERATED } from "./support/generated.ts";
import { checkInstallScripts } from "./support/install-scripts.ts";
import { checkLengths, longFiles } from "./support/lengths.ts";
import { checkLiteralSpreads } from "./support/literal-spreads.ts";
import { type Ended, run } from "./support/processes.ts";
import { checkReferences } from "./support/references.ts";
import { oldRules } from "./support/rule-ages.ts";
import { makeSources } from "./support/sources.ts";
import { dim, green, mark, red, say, seconds, yellow } from "./support/terminal.ts";
import { runTool } from "./support/tools.ts";
import { checkWords } from "./support/words.ts";
import { checkLimits } from "./support/worker-limits.ts";

const USAGE = `npm run verify -- [--no-tests]: everything that a commit must pass: format, lint, types, generated files, the size and
start of both Workers, tests. Rules of platforms that were last compared more than 90 days ago are listed, which fails nothing.

  --no-tests   all but the tests`;

interface Check {
  readonly name: string;
  readonly check: () => Ended | Promise<Ended>;
}

/** Folders with their own tsconfig.json. */
const TYPED = [
  ".",
  "src/console/scripts",
  "client",
  "client/tsconfig.cli.json",
  "sandbox",
  "test",
  "test/browser",
  "test/clients",
  "test/commands",
  "test/document",
  "scripts",
  "bench",
  "bench/bare",
];

/** On two cores, more checkers take as long, and two thirds more of the processor. */
const ONE_CHECKER = ["--checkers", "1"];

/** `npm run verify`: the checks of CI. All checks run, so that one run shows every problem. */
async function verify(): Promise<number> {
  const { "no-tests": noTests } = readArguments({ "no-tests": { type: "boolean" } });
  const checks: readonly Check[] = [
    { name: "lint and format", check: () => runTool("biome", ["ci", "--colors=off"]) },
    { name: "no folder circle", check: checkFolders },
    { name: "comments are short", check: checkLengths },
    { name: "no literal is spread", check: checkLiteralSpreads },
    { name: "files that comments name exist", check: checkReferences },
    { name: "names and texts use the words of docs/words.md", check: checkWords },
    { name: "install scripts are decided on", check: checkInstallScripts },
    ...TYPED.map((folder) => ({
      name: `types in ${folder}`,
      check: () => runTool("tsc", ["--project", folder, ...ONE_CHECKER]),
    })),
    ...GENERATED.map(({ name, check }) => ({ name: `${name} is fresh`, check })),
    {
      name: "docs/openapi.json is valid",
      check: () => runTool("redocly", ["lint", "docs/openapi.json", "--extends=recommended-strict"]),
    },
    { name: "both Workers are small and start fast", check: checkLimits },
    ...(noTests ? [] : [{ name: "tests", check: runTests }]),
  ];
  await makeSources();
  let failures = 0;
  for (const { name, check } of checks) {
    const since = Date.now();
    const { code, output } = await check();
    say(`${mark(code === 0)} ${name} ${dim(seconds(Date.now() - since))}`);
    if (code === 0) continue;
    failures++;
    say(output.replace(/^/gm, "    "));
  }
  warn(
    "Rules of platforms that were compared more than 90 days ago (src/platforms/*/sources.ts):",
    oldRules(Date.now()),
  );
  warn("Files that may want to be two:", longFiles());
  say(failures === 0 ? green("Everything holds.") : red(`${failures} of ${checks.length} checks failed.`));
  return failures === 0 ? 0 : 1;
}

/** What fails nothing: an old rule may still hold, and a long file may have one subject. */
function warn(title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  say(yellow(title));
  for (const line of lines) say(dim(`    ${line}`));
}

const runTests = () => run(process.execPath, [join("scripts", "test.ts")], { stdio: "inherit" });

await runCommand(USAGE, verify);
