import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { z } from "zod";
import { STATEMENTS } from "./statements.ts";

/** Of a file (test/support/setup.ts). */
const Meta = z.object({ statements: z.array(z.string()).default([]) });

/** Writes the texts that the tests gave to D1 (test/support/statements.ts), for `checkStatements`. */
// biome-ignore lint/style/noDefaultExport: vitest takes a reporter's default export.
export default class StatementsReporter implements Reporter {
  readonly #texts = new Set<string>();

  onTestModuleEnd(module: TestModule): void {
    for (const text of Meta.parse(module.meta()).statements) this.#texts.add(text);
  }

  onTestRunEnd(): void {
    mkdirSync(dirname(STATEMENTS), { recursive: true });
    writeFileSync(STATEMENTS, JSON.stringify([...this.#texts].sort()));
  }
}
