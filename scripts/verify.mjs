import "./support/bootstrap.mjs";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "./support/arguments.mjs";
import { runCommand } from "./support/command.mjs";
import { checkFolders } from "./support/folders.mjs";
import { GENERATED } from "./support/generated.mjs";
import { ROOT } from "./support/paths.mjs";
import { run } from "./support/processes.mjs";
import { dim, green, red, say } from "./support/terminal.mjs";
import { runTool } from "./support/tools.mjs";

/** `npm run verify`: what CI checks. Every check runs, so that one look shows all that is wrong. */
async function verify() {
  const { "no-tests": noTests } = readArguments({ "no-tests": { type: "boolean" } });
  const checks = [
    { name: "lint and format", check: () => runTool("biome", ["ci", "--colors=off"]) },
    { name: "no folder circle", check: () => checkFolders() },
    ...TYPED.map((folder) => ({ name: `types in ${folder}`, check: () => runTool("tsc", ["--project", folder]) })),
    ...GENERATED.map(({ name, check }) => ({ name: `${name} is fresh`, check })),
    { name: "docs/openapi.json is valid", check: () => runTool("redocly", ["lint", "docs/openapi.json"]) },
    ...(noTests ? [] : [{ name: "tests", check: runTests }]),
  ];
  let failures = 0;
  for (const { name, check } of checks) {
    const since = Date.now();
    const { code, output } = await check();
    const seconds = dim(`${((Date.now() - since) / 1000).toFixed(1)} s`);
    say(`${code === 0 ? green("✓") : red("✗")} ${name} ${seconds}`);
    if (code === 0) continue;
    failures++;
    say(output.replace(/^/gm, "    "));
  }
  say(failures === 0 ? green("Everything holds.") : red(`${failures} of ${checks.length} checks failed.`));
  return failures === 0 ? 0 : 1;
}

/** Each folder with a tsconfig.json of its own. */
const TYPED = [".", "sandbox", "test", "test/clients", "bench"].filter((folder) =>
  existsSync(join(ROOT, folder, "tsconfig.json")),
);

async function runTests() {
  const { code } = await run(process.execPath, [join("scripts", "test.mjs")], { stdio: "inherit" });
  return { code, output: "" };
}

await runCommand(verify);
