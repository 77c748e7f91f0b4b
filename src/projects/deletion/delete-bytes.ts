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
import { nextPiece, type PieceOf } from "../pieces.ts";
import type { Deletion } from "../table.ts";
import { belongsTo, tableOf } from "../tables.ts";
import { counted, runOver, updateDeletion } from "./store.ts";

/** What a project has outside D1: the bucket, KV, and the limiter objects of its tokens. */

/** The most names that the bucket deletes in one request. */
const NAMES = 1_000;
const UPLOADS = 50;
const TOKENS = 50;
const CHANNELS = 100;

/** Own rows of a piece, the smallest id first. */
const selectPiece = (name: string, where: SQL, columns: readonly string[], limit: number): SQL =>
  sql`SELECT ${sql.join(columns.map(sql.identifier), sql`, `)} FROM ${sql.identifier(name)} WHERE ${where} ORDER BY id LIMIT ${limit}`;

/**
 * Deletes the files: the bytes before the row, so that a death in between is repeated. Whether none is left.
 */
export async function deleteFiles(deps: Deps, deletion: Deletion): Promise<boolean> {
  const { db, files } = deps;
  const stored = tableOf("files");
  let after = deletion.cursor?.after ?? null;
  while (!isNearlySpent(deps.meter)) {
    const piece: PieceOf = await nextPiece(db, stored, belongsTo(stored, deletion.deletedId), after);
    const found = await db.all<{ id: FileId; name: string; upload_id: string | null }>(
      selectPiece("files", piece.where, ["id", "name", "upload_id"], NAMES),
    );
    const open = found.flatMap(({ id, name, upload_id: uploadId }) =>
      uploadId === null ? [] : [{ id, name, uploadId }],
    );
    // Each upload in progress costs a request of its own; the rest of the page waits for the next turn.
    const most = open[UPLOADS]?.id ?? Number.POSITIVE_INFINITY;
    const page = found.filter(({ id }) => id < most);
    for (const upload of open.filter(({ id }) => id < most)) await endUpload(deps, upload);
    if (page.length > 0) await files.delete(page.map(({ name }) => name));
    if (page.length === found.length) after = piece.next;
    const ids = JSON.stringify(page.map(({ id }) => id));
    await runBatch(db, [
      db.delete(stored.table).where(sql`id IN (SELECT value FROM json_each(${ids}))`),
      updateDeletion(db, deletion, {
        gone: counted("gone", "files", sql`changes()`),
        cursor: after === null ? null : { table: 0, after },
      }),
    ]);
    if (page.length === found.length && after === null) return true;
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
      sql`SELECT id, hash FROM ${sql.identifier("tokens")} WHERE project_id = ${deletion.deletedId} ORDER BY id LIMIT ${TOKENS}`,
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
  const stored = tableOf("channels");
  let after = deletion.cursor?.after ?? null;
  while (!isNearlySpent(deps.meter)) {
    const piece: PieceOf = await nextPiece(db, stored, belongsTo(stored, deletion.deletedId), after);
    const channels = await db.all<{ id: number }>(selectPiece("channels", piece.where, ["id"], CHANNELS));
    for (const { id } of channels) for (const key of keysOf(idOf<ChannelId>(id))) await kv.delete(key);
    const last = channels.length === CHANNELS ? channels.at(-1) : undefined;
    after = last ? [last.id] : piece.next;
    if (after === null) return true;
    await runBatch(db, [updateDeletion(db, deletion, { cursor: { table: 0, after } })]);
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
