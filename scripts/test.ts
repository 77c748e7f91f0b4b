import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { runCommand } from "./support/command.ts";
import { ROOT } from "./support/paths.ts";
import { buildAssets } from "./support/prepare.ts";
import { say } from "./support/terminal.ts";
import { runTool } from "./support/tools.ts";

const RECORD = join(ROOT, "node_modules", ".cache", "belfry-tests.json");
const Record = z.object({ numPassedTests: z.int(), numFailedTests: z.int(), numPendingTests: z.int() });

/** `npm test`: everything, or what the arguments name (they go to vitest). The last line is plain: N passed, N failed. */
async function test(): Promise<number> {
  // The Worker under test serves them.
  buildAssets();
  rmSync(RECORD, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${RECORD}`];
  const { code } = await runTool("vitest", ["run", ...reporters, ...process.argv.slice(2)], { stdio: "inherit" });
  const tally = readTally();
  if (tally !== null) say(tally);
  return code;
}

function readTally(): string | null {
  try {
    const { numPassedTests, numFailedTests, numPendingTests } = Record.parse(JSON.parse(readFileSync(RECORD, "utf8")));
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : "";
    return `${numPassedTests} passed, ${numFailedTests} failed${skipped}`;
  } catch {
    return null;
  }
}

await runCommand(test);
