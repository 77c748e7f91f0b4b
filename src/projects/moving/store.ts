import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { hasMovingProjects, isOpenIn, markMoving } from "../../accounts/moving.ts";
import type { Project } from "../../accounts/store.ts";
import type { ProjectId } from "../../core/ids.ts";
import { MINUTE } from "../../core/time.ts";
import { type Db, runBatch, type Statement, writeTogether } from "../../db/client.ts";
import { insertWhere } from "../../db/insert-where.ts";
import { scheduleTask } from "../../jobs/recurring-store.ts";
import { type Move, type MoveStep, projectMovesTable as table } from "../table.ts";

/** SQL of moves (move-project.ts), all of it in the directory. */
export const MOVE = "move";

/** A move that is not over. */
const isOpen = isNull(table.completedAt);

/**
 * Begins a move in one transaction: its journal, its task, and the mark by which requests find that the
 * project is moving. Nothing happens if one is under way already, or the project is no longer there.
 */
export async function beginMove(
  directory: Db,
  { id, name, database }: Project,
  to: number,
  now: number,
): Promise<void> {
  const begun = { movedId: id, name, from: database, to, step: "freeze", stepAt: now, requestedAt: now } as const;
  const fresh = { cursor: null, copied: {}, found: {}, attempts: 0, completedAt: null };
  const isBegun = sql`EXISTS (SELECT 1 FROM project_moves WHERE moved_id = ${id} AND completed_at IS NULL)`;
  await runBatch(directory, [
    insertWhere(directory, table, { ...begun, ...fresh, revision: 0 }, isOpenIn(id, database)).onConflictDoUpdate({
      target: table.movedId,
      set: { ...begun, ...fresh, revision: sql`${table.revision} + 1` },
      setWhere: isNotNull(table.completedAt),
    }),
    markMoving(directory, id, now, isBegun),
    scheduleTask(directory, { key: `${MOVE}:${id}`, dueAt: now, intervalMs: MINUTE, now }, isBegun),
  ]);
}

export async function findMove(directory: Db, id: ProjectId): Promise<Move | null> {
  const [move] = await directory.select().from(table).where(eq(table.movedId, id));
  return move ?? null;
}

type Change = Partial<Pick<Move, "cursor" | "copied" | "found" | "attempts" | "step" | "stepAt" | "completedAt">>;

/** The condition that the move is as it was read: of two runs, one goes on. */
const isAsRead = ({ movedId, revision }: Move): SQL => sql`(moved_id = ${movedId} AND revision = ${revision})`;

/** Changes the move, with other statements; null if it has changed since it was read. */
export async function updateMove(
  directory: Db,
  move: Move,
  change: Change,
  along: (isCurrent: SQL) => readonly Statement[] = () => [],
): Promise<Move | null> {
  const isCurrent = sql`EXISTS (SELECT 1 FROM project_moves WHERE ${isAsRead(move)})`;
  const { moved } = await writeTogether(directory, {
    along: along(isCurrent),
    moved: directory
      .update(table)
      .set({ ...change, revision: move.revision + 1 })
      .where(isAsRead(move))
      .returning(),
  });
  return moved[0] ?? null;
}

/** Takes the move back, while the content has not changed over; whether it did. */
export async function undoMove(directory: Db, { movedId }: Move, now: number): Promise<boolean> {
  const before: readonly MoveStep[] = ["freeze", "settle", "copy", "verify", "clear"];
  const isBefore = sql`${table.step} IN (SELECT value FROM json_each(${JSON.stringify(before)}))`;
  const undone = await directory
    .update(table)
    .set({ step: "undo_rows", stepAt: now, cursor: null, revision: sql`${table.revision} + 1` })
    .where(and(eq(table.movedId, movedId), isOpen, isBefore))
    .returning();
  return undone.length > 0;
}

/**
 * A condition: a project leaves or enters this database, or its rows are left here. What forgets or changes
 * rows of many projects waits then.
 */
export const hasMoves = (): SQL =>
  sql`(${hasMovingProjects()} OR EXISTS (SELECT 1 FROM project_moves WHERE completed_at IS NULL))`;
