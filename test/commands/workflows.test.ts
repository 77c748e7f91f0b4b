import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { ROOT } from "../../scripts/support/paths.ts";

const FOLDER = join(ROOT, ".github/workflows");
const workflows = readdirSync(FOLDER).filter((name) => /\.ya?ml$/.test(name));

/** A tag can be moved to other code; a commit cannot. */
test.for(workflows)("every action of %s is pinned to a commit, with its version beside it", (name, { expect }) => {
  const uses = readFileSync(join(FOLDER, name), "utf8").match(/uses:.*/g) ?? [];
  expect(uses).not.toEqual([]);
  for (const line of uses) expect(line).toMatch(/^uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
