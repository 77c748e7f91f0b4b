import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { z } from "zod";
import { CALLS, Sent } from "./foreign/sent.ts";
import { STATEMENTS } from "./statements.ts";

/** Of a file (test/support/setup.ts). */
const Meta = z.object({ statements: z.array(z.string()).default([]), calls: z.array(Sent).default([]) });

/**
 * Writes what the tests gave to D1 (test/support/statements.ts) and sent to platforms
 * (test/support/calls.ts), for `checkStatements` and `checkCalls`.
 */
// biome-ignore lint/style/noDefaultExport: vitest takes a reporter's default export.
export default class RunReporter implements Reporter {
  readonly #texts = new Set<string>();
  readonly #calls: Sent[] = [];

  onTestModuleEnd(module: TestModule): void {
    const { statements, calls } = Meta.parse(module.meta());
    for (const text of statements) this.#texts.add(text);
    this.#calls.push(...calls);
  }

  onTestRunEnd(): void {
    mkdirSync(dirname(STATEMENTS), { recursive: true });
    writeFileSync(STATEMENTS, JSON.stringify([...this.#texts].sort()));
    writeFileSync(CALLS, JSON.stringify(this.#calls));
  }
}
