import { createHash } from "node:crypto";
import { relative } from "node:path";
import type { TestSequencer, TestSpecification } from "vitest/node";
import { ROOT } from "./paths.ts";
import { LONGEST } from "./test-files.ts";

/**
 * The order of the test files, alike on every machine: project by project (a runtime ends where another
 * project follows), the longest first. Files of one runtime share a database. The variable `TEST_ORDER` has
 * other orders, to find files that depend on those before them: `reversed`, or a seed that shuffles.
 */
export class TestOrder implements TestSequencer {
  sort(files: TestSpecification[]): TestSpecification[] {
    const { TEST_ORDER: wanted } = process.env;
    const keyOf = (file: TestSpecification) => (wanted ? drawn(wanted, file) : rankOf(file));
    const sorted = files
      .map((file) => ({ file, key: [file.project.name, keyOf(file), file.moduleId].join("\n") }))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ file }) => file);
    return wanted === "reversed" ? sorted.toReversed() : sorted;
  }

  /** All files: a run is not split between machines. */
  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
}

/** Sorts as a number does. */
function rankOf({ moduleId }: TestSpecification): string {
  const rank = LONGEST.indexOf(relative(ROOT, moduleId));
  return String(rank < 0 ? LONGEST.length : rank).padStart(4, "0");
}

const drawn = (seed: string, { moduleId }: TestSpecification): string =>
  createHash("sha256")
    .update(`${seed} ${relative(ROOT, moduleId)}`)
    .digest("hex");
