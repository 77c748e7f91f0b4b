import { env } from "cloudflare:workers";
import { quiet } from "./between.ts";
import { rewind } from "./clock.ts";
import { beginEvents } from "./events.ts";
import { noHooks } from "./platform-hooks.ts";
import { queue } from "./queue.ts";
import { receiver } from "./receiver.ts";
import { sandbox } from "./sandbox.ts";

/** An empty queue, empty tables, a sandbox without a past or a setting, and the present. */
export async function startClean(): Promise<void> {
  quiet();
  noHooks();
  receiver.reset();
  queue.reset();
  await emptyTables(env.DB);
  // A database without the marks of earlier sweeps is one that was set back.
  await env.KV.delete("sweep-mark");
  beginEvents();
  await sandbox.control("POST", "reset");
  await rewind();
}

export async function emptyTables(database: D1Database): Promise<void> {
  const { results } = await database
    .prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name NOT LIKE '!_cf!_%' ESCAPE '!'
       AND name <> 'd1_migrations'`,
    )
    .all<{ name: string }>();
  const deletions = results.map(({ name }) => database.prepare(`DELETE FROM ${name}`));
  // Twice: what goes may have triggers that leave something in others.
  await database.batch([database.prepare("PRAGMA defer_foreign_keys = on"), ...deletions, ...deletions]);
}
