import { deleteCopy } from "../../accounts/moving.ts";
import type { ProjectId } from "../../core/ids.ts";
import { isNearlySpent } from "../../core/meter.ts";
import { type Db, runBatch } from "../../db/client.ts";
import type { Deps } from "../../service/deps.ts";
import { type Key, nextPiece } from "../pieces.ts";
import type { DeletionCursor, Move, RowSum } from "../table.ts";
import { belongsTo, COUNTERS, inOrderOfCopying, inOrderOfDeletion, type StoredTable } from "../tables.ts";
import { addRows, NO_ROWS, readPiece, writeRows } from "./rows.ts";
import { updateMove } from "./store.ts";

/** The steps of a move that go through every table (move-project.ts). */
export type Walked = "done" | "more";

/** Copies the rows that stand still in the database that is left. */
export function copyRows(deps: Deps, move: Move): Promise<Walked> {
  const [from, to] = [deps.in(move.from).db, deps.in(move.to).db];
  return walk(deps, move, inOrderOfCopying(), async (stored, after, now) => {
    const { rows, next } = await readPiece(from, stored, move.movedId, after);
    await writeRows(to, stored, { id: move.movedId, rows, isCounter: COUNTERS.includes(stored.name) });
    return { next, change: { copied: added(now.copied, stored, rows) } };
  });
}

/** Reads the copy. `differs` if a table has other rows there than were copied. */
export async function verifyRows(deps: Deps, move: Move): Promise<Walked | "differs"> {
  const { db } = deps.in(move.to);
  let found = move.found;
  const end = await walk(deps, move, inOrderOfCopying(), async (stored, after, now) => {
    const { rows, next } = await readPiece(db, stored, move.movedId, after);
    found = added(now.found, stored, rows);
    return { next, change: { found } };
  });
  if (end === "more") return "more";
  const isSame = ({ name }: StoredTable) =>
    JSON.stringify(sumOf(found, name)) === JSON.stringify(sumOf(move.copied, name));
  return inOrderOfCopying().every(isSame) ? "done" : "differs";
}

type Sums = Readonly<Record<string, RowSum>>;

const sumOf = (sums: Sums, name: string): RowSum => sums[name] ?? NO_ROWS;

const added = (sums: Sums, { name }: StoredTable, rows: Parameters<typeof addRows>[1]): Sums => ({
  ...sums,
  [name]: addRows(sumOf(sums, name), rows),
});

const movable = () => inOrderOfDeletion().filter((table) => inOrderOfCopying().includes(table));

/** Deletes the rows in the database that is left; its row of the project stays. */
export function deleteLeftRows(deps: Deps, move: Move): Promise<Walked> {
  const { db } = deps.in(move.from);
  return walk(deps, move, movable(), (stored, after) => deletePiece(db, stored, move.movedId, after));
}

/** Deletes everything that was copied, and the row of the project with it. */
export async function deleteCopies(deps: Deps, move: Move): Promise<Walked> {
  const { db } = deps.in(move.to);
  const end = await walk(deps, move, movable(), (stored, after) => deletePiece(db, stored, move.movedId, after));
  if (end === "done") await runBatch(db, [deleteCopy(db, move.movedId)]);
  return end;
}

interface Step {
  readonly next: Key | null;
  readonly change?: Partial<Pick<Move, "copied" | "found">>;
}

/** Pieces whose result and position are stored together: what a death repeats. */
const PIECES_AT_ONCE = 10;

/**
 * Goes through the tables from where the move has come, a piece at a time. Every piece may be repeated. Ends
 * this run (`more`) if another one has gone on.
 */
async function walk(
  deps: Deps,
  given: Move,
  tables: readonly StoredTable[],
  visit: (stored: StoredTable, after: Key | null, move: Move) => Promise<Step>,
): Promise<Walked> {
  let move = given;
  let cursor: DeletionCursor = given.cursor ?? { table: 0, after: null };
  let change: Step["change"] = {};
  for (let pieces = 1; cursor.table < tables.length; pieces++) {
    const stored = tables[cursor.table];
    if (!stored) break;
    const step = await visit(stored, cursor.after, { ...move, ...change });
    change = { ...change, ...step.change };
    cursor = step.next === null ? { table: cursor.table + 1, after: null } : { ...cursor, after: step.next };
    const isSpent = isNearlySpent(deps.meter);
    if (pieces % PIECES_AT_ONCE > 0 && !isSpent && cursor.table < tables.length) continue;
    const stands = await updateMove(deps.directory, move, { ...change, cursor });
    if (!stands) return "more";
    [move, change] = [stands, {}];
    if (isSpent) return "more";
  }
  return "done";
}

async function deletePiece(db: Db, stored: StoredTable, id: ProjectId, after: Key | null): Promise<Step> {
  const { where, next } = await nextPiece(db, stored, belongsTo(stored, id), after);
  await runBatch(db, [db.delete(stored.table).where(where)]);
  return { next };
}
