import "./support/bootstrap.mjs";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildAssets } from "./support/assets.mjs";
import { runCommand } from "./support/command.mjs";
import { ROOT } from "./support/paths.mjs";
import { say } from "./support/terminal.mjs";
import { runTool } from "./support/tools.mjs";

const RECORD = join(ROOT, "node_modules", ".cache", "belfry-tests.json");

/** `npm test`: everything, or what the arguments name (they go to vitest). The last line is plain: N passed, N failed. */
async function test() {
  // The Worker under test serves them.
  buildAssets();
  rmSync(RECORD, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${RECORD}`];
  const { code } = await runTool("vitest", ["run", ...reporters, ...process.argv.slice(2)], { stdio: "inherit" });
  const tally = readTally();
  if (tally) say(tally);
  return code;
}

function readTally() {
  try {
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(RECORD, "utf8"));
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : "";
    return `${numPassedTests} passed, ${numFailedTests} failed${skipped}`;
  } catch {
    return null;
  }
}

await runCommand(test);
