import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach } from "vitest";
import { startClean } from "./clean-start.ts";
import { eventFlaws } from "./events.ts";

// All in the batch of the last one: every test file waits for this, most of all for the ends of its
// transactions.
const queries = env.MIGRATIONS.slice(0, -1).flatMap((migration) => [
  ...migration.queries,
  `INSERT INTO d1_migrations (name) VALUES ('${migration.name}')`,
]);
await applyD1Migrations(
  env.DB,
  env.MIGRATIONS.slice(-1).map((last) => ({ ...last, queries: [...queries, ...last.queries] })),
);

await startClean();

afterEach(async () => {
  const flaws = await eventFlaws();
  if (flaws.length > 0) throw new Error(flaws.join("\n"));
});
