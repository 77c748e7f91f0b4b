import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach } from "vitest";
import { seedIds } from "../../src/db/databases.ts";
import { collectCalls, type SentCall, takeCalls } from "./calls.ts";
import { startClean } from "./clean-start.ts";
import { eventFlaws } from "./events.ts";
import { guardFlaws } from "./guards.ts";
import { noteParts } from "./platform-parts.ts";
import { bindings } from "./queue.ts";
import { collectTexts, takeTexts } from "./statements.ts";

declare module "vitest" {
  interface TaskMeta {
    /** The texts that the file's tests gave to D1 (scripts/support/run-reporter.ts). */
    statements?: readonly string[];
    /** The requests that its adapters sent. */
    calls?: readonly SentCall[];
  }
}

// Runs before each file of tests, in a runtime that may have run others.

// All in the batch of the last one: each transaction's end takes long.
const queries = env.MIGRATIONS.slice(0, -1).flatMap((migration) => [
  ...migration.queries,
  `INSERT INTO d1_migrations (name) VALUES ('${migration.name}')`,
]);
await applyD1Migrations(
  env.DB,
  env.MIGRATIONS.slice(-1).map((last) => ({ ...last, queries: [...queries, ...last.queries] })),
);

await startClean();

// An insert into a table with a sequence reads those of all tables that ever had rows: as many in each file.
await env.DB.batch(seedIds(0).map((query) => env.DB.prepare(query)));

collectTexts();
// Before what follows keeps the runtime's fetch: restoring it must not end the collection.
noteParts();
collectCalls();
// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a hook wants.
afterAll(({}, { meta }) => {
  meta.statements = takeTexts();
  meta.calls = takeCalls();
});

// Files replace them, for instance by what dies at a chosen call (test/contract/mortal.ts).
const { fetch } = globalThis;
const descriptors = Object.getOwnPropertyDescriptors(bindings);
afterAll(() => {
  globalThis.fetch = fetch;
  Object.defineProperties(bindings, descriptors);
});

afterEach(async () => {
  const flaws = [...(await eventFlaws()), ...guardFlaws()];
  if (flaws.length > 0) throw new Error(flaws.join("\n"));
});
