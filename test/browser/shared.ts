import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { z } from "zod";
import type { Scope } from "../../scripts/support/command.ts";
import { IS_LONG } from "../../scripts/support/test-files.ts";
import { startCron } from "../../scripts/support/workers.ts";
import { bootWorld, temporaryDirectory } from "../../scripts/support/world.ts";
import { CHROMIUM } from "./service.ts";

/** Owner of the projects of the tests, and operator of the service. */
export const OWNER = "demo@example.com";
/** Between two sweeps: what a test waits for waits for one. */
const CRON_MS = 5_000;

/** How the tests reach what they share, or why it did not start. */
export const Shared = z.union([
  z.object({ origin: z.string(), sandboxOrigin: z.string(), operatorKey: z.string() }),
  z.object({ error: z.string() }),
]);
type Shared = z.output<typeof Shared>;

/**
 * Starts one service with its sandbox for all files of this folder. They wait for the file of its addresses:
 * the tests of other folders do not wait for it.
 */
export function setup(project: TestProject): (() => Promise<void>) | undefined {
  if (CHROMIUM === null || !IS_LONG) return;
  const ends: (() => unknown)[] = [];
  const scope: Scope = { defer: (end) => void ends.push(end), isEnding: false };
  const file = join(temporaryDirectory(scope), "shared.json");
  project.provide("shared", file);
  const started = start(scope)
    .catch((error): Shared => ({ error: String(error) }))
    .then((shared) => writeFileSync(file, JSON.stringify(shared)));
  return async () => {
    await started;
    for (const end of ends.reverse()) await end();
  };
}

async function start(scope: Scope): Promise<Shared> {
  const { service, sandbox, secrets } = await bootWorld(scope, { variables: { OPERATORS: OWNER } });
  // What waits longer than a queue's message, and a message that was lost, is the sweep's work.
  scope.defer(startCron(service.origin, (message) => process.stderr.write(`${message}\n`), CRON_MS));
  return { origin: service.origin, sandboxOrigin: sandbox.origin, operatorKey: secrets.OPERATOR_KEY };
}

declare module "vitest" {
  export interface ProvidedContext {
    shared: string;
  }
}
