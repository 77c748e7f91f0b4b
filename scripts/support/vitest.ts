import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { buildAssets } from "./assets.ts";
import { ROOT } from "./paths.ts";
import { runTool } from "./tools.ts";

const RECORD = join(ROOT, "node_modules", ".cache", "belfry-tests.json");
const Record = z.object({ numPassedTests: z.int(), numFailedTests: z.int(), numPendingTests: z.int() });

export interface Tested {
  readonly code: number;
  /** `N passed, N failed`; null when it never came to the end. */
  readonly tally: string | null;
}

/** Runs vitest in this terminal, with further arguments and variables of its own. */
export async function runVitest(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Tested> {
  // The Worker under test serves them.
  buildAssets();
  rmSync(RECORD, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${RECORD}`];
  const { code } = await runTool("vitest", ["run", ...reporters, ...args], { stdio: "inherit", env });
  return { code, tally: readTally() };
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
