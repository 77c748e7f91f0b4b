import { type SQL, sql } from "drizzle-orm";
import { tokenKvKey } from "../../accounts/revocation.ts";
import { limiterOf } from "../../accounts/tokens.ts";
import { pagePrefix } from "../../archive/pages.ts";
import { pendingRefreshKeys } from "../../channels/pending-refresh.ts";
import { connectKvPrefix } from "../../connect/session.ts";
import { type ChannelId, type FileId, idOf } from "../../core/ids.ts";
import { isNearlySpent } from "../../core/meter.ts";
import { runBatch } from "../../db/client.ts";
import { endUpload } from "../../files/parts.ts";
import { postingOptionsKey } from "../../posts/content/posting-options.ts";
import type { Deps } from "../../service/deps.ts";
import type { Deletion } from "../table.ts";
import { rowsOf, type StoredTable, TABLES } from "../tables.ts";
import { counted, runOver, updateDeletion } from "./store.ts";

/** What a project has outside D1: the bucket, KV, and the limiter objects of its tokens. */

/** The most names that the bucket deletes in one request. */
const NAMES = 1_000;
const UPLOADS = 50;
const TOKENS = 50;
const CHANNELS = 100;

function tableOf(name: string): StoredTable {
  const table = TABLES.get(name);
  if (!table) throw new Error(`There is no table ${name}.`);
  return table;
}

interface Wanted {
  readonly columns: readonly string[];
  readonly limit: number;
  /** The id of the last row before. */
  readonly after?: number;
}

/** A query of the project's rows of a table, from the smallest id on. */
function selectRows(deletion: Deletion, name: string, { columns, limit, after = 0 }: Wanted) {
  const where = rowsOf(tableOf(name));
  if (!where) throw new Error(`${name} has no rows of a project.`);
  const shown = sql.join(columns.map(sql.identifier), sql`, `);
  return sql`SELECT ${shown} FROM ${sql.identifier(name)} WHERE ${where(deletion.deletedId)} AND id > ${after} ORDER BY id LIMIT ${limit}`;
}

/**
 * Deletes the files: the bytes before the row, so that a death in between is repeated. Whether none is left.
 */
export async function deleteFiles(deps: Deps, deletion: Deletion): Promise<boolean> {
  const { db, files } = deps;
  const { table } = tableOf("files");
  while (!isNearlySpent(deps.meter)) {
    const columns = ["id", "name", "upload_id"];
    const found = await db.all<{ id: FileId; name: string; upload_id: string | null }>(
      selectRows(deletion, "files", { columns, limit: NAMES }),
    );
    const open = found.flatMap(({ id, name, upload_id: uploadId }) =>
      uploadId === null ? [] : [{ id, name, uploadId }],
    );
    // Each upload in progress costs a request of its own; the rest of the page waits for the next turn.
    const most = open[UPLOADS]?.id ?? Number.POSITIVE_INFINITY;
    const page = found.filter(({ id }) => id < most);
    if (page.length === 0) return true;
    for (const upload of open.filter(({ id }) => id < most)) await endUpload(deps, upload);
    await files.delete(page.map(({ name }) => name));
    const ids = JSON.stringify(page.map(({ id }) => id));
    await runBatch(db, [
      db.delete(table).where(sql`id IN (SELECT value FROM json_each(${ids}))`),
      updateDeletion(db, deletion, { gone: counted("gone", "files", sql`changes()`) }),
    ]);
  }
  return false;
}

/** Deletes the pages of the archive by their prefix, so that those of dead deliveries go too. */
export async function deletePages({ files, meter }: Deps, { deletedId }: Deletion): Promise<boolean> {
  while (!isNearlySpent(meter)) {
    const { objects } = await files.list({ prefix: pagePrefix(deletedId), limit: NAMES });
    if (objects.length === 0) return true;
    await files.delete(objects.map(({ key }) => key));
  }
  return false;
}

/** Deletes what KV and the limiter objects hold of tokens, channels and connect sessions. */
export async function deleteStorages(deps: Deps, deletion: Deletion): Promise<boolean> {
  return (
    (await deleteTokens(deps, deletion)) &&
    (await deleteChannelKeys(deps, deletion)) &&
    (await deleteSessions(deps, deletion))
  );
}

async function deleteTokens(deps: Deps, deletion: Deletion): Promise<boolean> {
  const { db, directory, kv } = deps;
  while (!isNearlySpent(deps.meter)) {
    const tokens = await directory.all<{ id: number; hash: string }>(
      selectRows(deletion, "tokens", { columns: ["id", "hash"], limit: TOKENS }),
    );
    if (tokens.length === 0) return true;
    for (const { hash } of tokens) {
      await kv.delete(tokenKvKey(hash));
      await limiterOf(deps, hash).forget();
    }
    const ids = JSON.stringify(tokens.map(({ id }) => id));
    const gone = directory.delete(tableOf("tokens").table).where(sql`id IN (SELECT value FROM json_each(${ids}))`);
    const noted = (count: SQL | number) => updateDeletion(db, deletion, { gone: counted("gone", "tokens", count) });
    await runOver(deps, { gone, noted, count: tokens.length });
  }
  return false;
}

async function deleteChannelKeys(deps: Deps, deletion: Deletion): Promise<boolean> {
  const { db, kv } = deps;
  let after = Number(deletion.cursor?.after?.[0] ?? 0);
  while (!isNearlySpent(deps.meter)) {
    const page = selectRows(deletion, "channels", { columns: ["id"], limit: CHANNELS, after });
    const channels = await db.all<{ id: number }>(page);
    const last = channels.at(-1);
    if (!last) return true;
    for (const { id } of channels) for (const key of keysOf(idOf<ChannelId>(id))) await kv.delete(key);
    after = last.id;
    await runBatch(db, [updateDeletion(db, deletion, { cursor: { table: 0, after: [after] } })]);
  }
  return false;
}

const keysOf = (id: ChannelId): readonly string[] => [postingOptionsKey(id), ...pendingRefreshKeys(id)];

/** Return addresses of the last hour. The list may still have keys that were deleted a moment ago. */
async function deleteSessions({ kv, meter }: Deps, { deletedId }: Deletion): Promise<boolean> {
  let cursor: string | null = null;
  do {
    const page: KVNamespaceListResult<unknown> = await kv.list({ prefix: connectKvPrefix(deletedId), cursor });
    for (const { name } of page.keys) {
      if (isNearlySpent(meter)) return false;
      await kv.delete(name);
    }
    cursor = page.list_complete ? null : page.cursor;
  } while (cursor !== null);
  return true;
}
