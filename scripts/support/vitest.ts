import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Scope } from "./command.ts";
import { CALLS } from "./foreign/sent.ts";
import { ROOT } from "./paths.ts";
import { makeScratch } from "./scratch.ts";
import { STATEMENTS } from "./statements.ts";
import { runTool } from "./tools.ts";

const RECORD = join(ROOT, "node_modules", ".cache", "belfry-tests.json");
const Record = z.object({ numPassedTests: z.int(), numFailedTests: z.int(), numPendingTests: z.int() });

export interface Tested {
  readonly code: number;
  /** `N passed, N failed`; null if the run did not complete. */
  readonly tally: string | null;
}

/** Runs vitest in this terminal, with additional arguments. */
export async function runVitest(
  scope: Scope,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Tested> {
  rmSync(RECORD, { force: true });
  rmSync(STATEMENTS, { force: true });
  rmSync(CALLS, { force: true });
  const reporters = [
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${RECORD}`,
    "--reporter=./scripts/support/run-reporter.ts",
  ];
  const scratch = makeScratch("belfry-tests-");
  scope.defer(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));
  const { code } = await runTool("vitest", ["run", ...reporters, ...args], {
    stdio: "inherit",
    // Tests use no TLS, and every runtime would load all extra certificates of this machine.
    env: { NODE_EXTRA_CA_CERTS: "", TMPDIR: scratch, ...env },
  });
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
