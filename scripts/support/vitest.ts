import { mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { buildAssets } from "./assets.ts";
import type { Scope } from "./command.ts";
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
export async function runVitest(
  scope: Scope,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Tested> {
  // The Worker under test serves them.
  buildAssets();
  rmSync(RECORD, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${RECORD}`];
  const memory = folderInMemory();
  if (memory !== null) scope.defer(() => rmSync(memory, { recursive: true, force: true, maxRetries: 5 }));
  const scratch = memory === null ? {} : { TMPDIR: memory };
  const { code } = await runTool("vitest", ["run", ...reporters, ...args], {
    stdio: "inherit",
    env: { ...SPARING, ...scratch, ...env },
  });
  return { code, tally: readTally() };
}

const SPARING = {
  // Nobody is met over TLS, and every runtime would be given all certificates that this machine adds.
  NODE_EXTRA_CA_CERTS: "",
  // The commands under test start wrangler again and again.
  NODE_COMPILE_CACHE: join(ROOT, "node_modules", ".cache", "compiled"),
};

const SHARED_MEMORY = "/dev/shm";
const ROOM_BYTES = 2 * 1024 ** 3;

/**
 * For the storages of the runtimes, which otherwise wait for the disk at the end of every transaction; null
 * where the system has no file system in memory, or little room in it. They took 0.2 GB at most.
 */
function folderInMemory(): string | null {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize < ROOM_BYTES ? null : mkdtempSync(join(SHARED_MEMORY, "belfry-tests-"));
  } catch {
    return null;
  }
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
