import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createMeter } from "../../src/core/meter.ts";
import { connectDb, runBatch } from "../../src/db/client.ts";
import { type Key, nextPiece } from "../../src/projects/pieces.ts";
import { inOrderOfDeletion } from "../../src/projects/tables.ts";

const ROWS = 24_000;

test.for([
  { name: "every fourth row", own: "i % 4 = 0" },
  { name: "rows in one place", own: "i BETWEEN 11000 AND 14500" },
  { name: "all rows", own: "1" },
  { name: "no row", own: "0" },
])("pieces of at most a thousand rows go through a table once: $name", async ({ own }) => {
  const stored = inOrderOfDeletion().find(({ name }) => name === "idempotency_keys");
  if (!stored) throw new Error("The table is not listed.");
  const db = connectDb(env.DB, createMeter());
  await env.DB.prepare("DELETE FROM idempotency_keys").run();
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
     INSERT INTO idempotency_keys (project_id, key, request_hash, answer, created_at)
     SELECT -1, 'key ' || i, CASE WHEN ${own} THEN 'own' ELSE 'other' END, '', i FROM n`,
  ).run();
  const count = async (hash: string) =>
    env.DB.prepare("SELECT count(*) AS n FROM idempotency_keys WHERE request_hash = ?").bind(hash).first<number>("n");
  const [owned, others] = [await count("own"), await count("other")];
  let [after, deleted, pieces] = [null as Key | null, 0, 0];
  do {
    const { where, next } = await nextPiece(db, stored, sql`idempotency_keys.request_hash = 'own'`, after);
    const before = (await count("own")) ?? 0;
    await runBatch(db, [db.delete(stored.table).where(where)]);
    const gone = before - ((await count("own")) ?? 0);
    expect(gone).toBeLessThanOrEqual(1000);
    deleted += gone;
    pieces++;
    after = next;
  } while (after !== null);
  expect([deleted, await count("own"), await count("other")]).toEqual([owned, 0, others]);
  expect(pieces).toBeLessThanOrEqual(ROWS / 1000 + 1);
});
