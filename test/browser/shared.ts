import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { IS_LONG } from "../../scripts/support/test-files.ts";
import { startCron } from "../../scripts/support/workers.ts";
import { bootWorld } from "../../scripts/support/world.ts";
import { CHROMIUM } from "./service.ts";

/** Owner of the projects of the tests, and operator of the service. */
export const OWNER = "demo@example.com";
/** Between two sweeps: what a test waits for waits for one. */
const CRON_MS = 5_000;

/** How the tests reach what they share. */
export interface Shared {
  readonly origin: string;
  readonly sandboxOrigin: string;
  readonly operatorKey: string;
}

/**
 * Starts one service with its sandbox for all files of this folder. They wait for the file of its addresses:
 * the tests of other folders do not wait for it.
 */
export function setup(project: TestProject): (() => Promise<void>) | undefined {
  if (CHROMIUM === null || !IS_LONG) return;
  const folder = mkdtempSync(join(tmpdir(), "belfry-shared-"));
  const file = join(folder, "shared.json");
  project.provide("shared", file);
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const started = start(ends).then(
    (shared) => writeFileSync(file, JSON.stringify(shared)),
    (error) => writeFileSync(file, JSON.stringify({ error: String(error) })),
  );
  return async () => {
    await started;
    for (const end of ends.reverse()) await end();
  };
}

async function start(ends: (() => unknown)[]): Promise<Shared> {
  const scope = { defer: (end: () => unknown) => void ends.push(end), isEnding: false };
  const { service, sandbox, secrets } = await bootWorld(scope, { variables: { OPERATORS: OWNER } });
  // What waits longer than a queue's message, and a message that was lost, is the sweep's work.
  ends.push(startCron(service.origin, (message) => process.stderr.write(`${message}\n`), CRON_MS));
  return { origin: service.origin, sandboxOrigin: sandbox.origin, operatorKey: secrets.OPERATOR_KEY };
}

declare module "vitest" {
  export interface ProvidedContext {
    shared: string;
  }
}
