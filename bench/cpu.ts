import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Scope } from "../scripts/support/command.ts";
import type { Finding } from "../scripts/support/driver.ts";
import { ROOT } from "../scripts/support/paths.ts";
import { runVitest } from "../scripts/support/vitest.ts";
import { limited } from "./promises.ts";

/** Runs the tests of test/support/cost.ts one file at a time, with their budgets in milliseconds. */
export async function measureCpu(scope: Scope): Promise<readonly Finding[]> {
  const files = globSync("test/**/*.test.ts", { cwd: ROOT }).filter((file) =>
    readFileSync(join(ROOT, file), "utf8").includes("support/cost.ts"),
  );
  const args = [...files, "--no-file-parallelism"];
  const { code, tally } = await runVitest(scope, args, { CPU_BUDGETS: "strict" });
  return [limited("CPU time of the largest inputs", tally ?? "no result", "each within its budget", code === 0)];
}
