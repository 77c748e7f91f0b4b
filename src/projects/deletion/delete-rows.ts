import { type SQL, sql } from "drizzle-orm";
import { dropCopyDue } from "../../accounts/copies.ts";
import { deleteCopy } from "../../accounts/moving.ts";
import { isNearlySpent } from "../../core/meter.ts";
import { runBatch } from "../../db/client.ts";
import { type Deps, inOthers } from "../../service/deps.ts";
import { nextPiece } from "../pieces.ts";
import type { Deletion, DeletionCursor } from "../table.ts";
import { belongsTo, inOrderOfDeletion, isInDirectory, rowsOf, type StoredTable } from "../tables.ts";
import { counted, runOver, updateDeletion } from "./store.ts";

/**
 * Deletes the rows of the project in every table, a piece of a table at a time (../pieces.ts). Rows that
 * nothing refers to any more are found too. The piece, its count and the position are one transaction.
 */
const START: DeletionCursor = { table: 0, after: null };

/** Whether all tables are through. */
export async function deleteRows(deps: Deps, deletion: Deletion): Promise<boolean> {
  const tables = inOrderOfDeletion();
  let cursor = deletion.cursor ?? START;
  // Nothing changes it any more, and its copy must not come back.
  if (deps.database !== 0) await dropCopyDue(deps, deletion.deletedId);
  while (cursor.table < tables.length) {
    if (isNearlySpent(deps.meter)) return false;
    cursor = await deletePiece(deps, deletion, tables, cursor);
  }
  if (deps.database !== 0) await deleteFromDirectory(deps, deletion);
  return true;
}

/** The rows in the directory of a project elsewhere: as many as it has members, and late tokens. */
async function deleteFromDirectory(deps: Deps, deletion: Deletion): Promise<void> {
  const { db, directory } = deps;
  // Where it lived before its moves, its row says where it went.
  for (const other of inOthers(deps).filter(({ database }) => database !== 0)) {
    await runBatch(other.db, [deleteCopy(other.db, deletion.deletedId)]);
  }
  for (const stored of inOrderOfDeletion().filter(isInDirectory)) {
    const own = rowsOf(stored)?.(deletion.deletedId) ?? sql`0`;
    const [found] = await directory.all<{ rows: number }>(
      sql`SELECT count(*) AS rows FROM ${stored.table} WHERE ${own}`,
    );
    const noted = (count: SQL | number) => updateDeletion(db, deletion, { gone: counted("gone", stored.name, count) });
    // Its copy was counted.
    const count = stored.name === "projects" ? 0 : (found?.rows ?? 0);
    await runOver({ db, directory }, { gone: directory.delete(stored.table).where(own), noted, count });
  }
}

async function deletePiece(
  { db }: Deps,
  deletion: Deletion,
  tables: readonly StoredTable[],
  { table: index, after }: DeletionCursor,
): Promise<DeletionCursor> {
  const stored = tables[index];
  if (!stored) throw new Error(`There is no table ${index} to delete from.`);
  const piece = await nextPiece(db, stored, belongsTo(stored, deletion.deletedId), after);
  const next = piece.next === null ? { table: index + 1, after: null } : { table: index, after: piece.next };
  await runBatch(db, [
    db.delete(stored.table).where(piece.where),
    updateDeletion(db, deletion, { gone: counted("gone", stored.name, sql`changes()`), cursor: next }),
  ]);
  return next;
}
