import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { markDeleting } from "../../accounts/store.ts";
import type { ProjectId } from "../../core/ids.ts";
import { DAY, MINUTE } from "../../core/time.ts";
import { type Db, runBatch, type Statement } from "../../db/client.ts";
import type { Expired } from "../../db/expired.ts";
import { insertWhere } from "../../db/insert-where.ts";
import { scheduleTask } from "../../jobs/recurring-store.ts";
import { type Deletion, type DeletionOptions, type DeletionStep, projectDeletionsTable as table } from "../table.ts";

/** SQL of deletions (delete-project.ts). */
export const ERASE = "erase";
/** How long the list of what is gone is kept. */
const LIFE_MS = 30 * DAY;
const SHOWN = 50;

export interface NewDeletion {
  readonly projectId: ProjectId;
  readonly name: string;
  readonly requestedBy: string | null;
  readonly options: DeletionOptions;
}

/**
 * Begins a deletion in one transaction: from then on the project is not found by any request, and its task
 * exists. A repeated call changes nothing.
 */
export async function beginDeletion(db: Db, { projectId, ...request }: NewDeletion, now: number): Promise<void> {
  const row = { ...request, deletedId: projectId, requestedAt: now, step: "tokens", stepAt: now } as const;
  const isThere = sql`EXISTS (SELECT 1 FROM ${sql.identifier("projects")} WHERE id = ${projectId})`;
  const begun = { id: sql`NULL`, ...row, cursor: null, gone: {}, left: {}, completedAt: null };
  await runBatch(db, [
    insertWhere(db, table, begun, isThere).onConflictDoNothing(),
    markDeleting(db, projectId, now),
    scheduleTask(db, { key: `${ERASE}:${projectId}`, dueAt: now, intervalMs: MINUTE, now }, isThere),
  ]);
}

export async function findDeletion(db: Db, projectId: ProjectId): Promise<Deletion | null> {
  const [found] = await db.select().from(table).where(eq(table.deletedId, projectId));
  return found ?? null;
}

/** The newest deletion of a project with this name. */
export async function findDeletionByName(db: Db, name: string): Promise<Deletion | null> {
  const [found] = await db.select().from(table).where(eq(table.name, name)).orderBy(desc(table.id)).limit(1);
  return found ?? null;
}

/** What this person has had deleted, the newest first. */
export function selectDeletions(db: Db, email: string) {
  return db.select().from(table).where(eq(table.requestedBy, email)).orderBy(desc(table.id)).limit(SHOWN);
}

type Progress = Pick<Deletion, "deletedId" | "step">;
type Change = { readonly [K in "cursor" | "gone" | "left" | "step" | "stepAt" | "completedAt"]?: Deletion[K] | SQL };

/** Changes the deletion while it is in this step: a run that came late changes nothing. */
export function updateDeletion(db: Db, { deletedId, step }: Progress, change: Change): Statement {
  return db
    .update(table)
    .set(change)
    .where(and(eq(table.deletedId, deletedId), eq(table.step, step), isNull(table.completedAt)));
}

/** The same while it stands at the cursor that was read, too: what adds to a count happens once. */
export function updateDeletionAt(db: Db, deletion: Progress & Pick<Deletion, "cursor">, change: Change): Statement {
  const { deletedId, step, cursor } = deletion;
  return db
    .update(table)
    .set(change)
    .where(
      and(
        eq(table.deletedId, deletedId),
        eq(table.step, step),
        isNull(table.completedAt),
        sql`${table.cursor} IS ${cursor === null ? null : JSON.stringify(cursor)}`,
      ),
    );
}

/** One more step is done. */
export function toStep(db: Db, deletion: Progress, step: DeletionStep, now: number): Statement {
  return updateDeletion(db, deletion, { step, stepAt: now, cursor: null });
}

/** The list of what is gone, with `count` more of a kind. */
export function counted(column: "gone" | "remains", name: string, count: SQL | number): SQL {
  const path = `$."${name}"`;
  const list = sql.identifier(column);
  return sql`json_set(${list}, ${path}, coalesce(json_extract(${list}, ${path}), 0) + ${count})`;
}

export function expiredDeletionLists(now: number): Expired {
  return { table, where: sql`completed_at < ${now - LIFE_MS}` };
}

interface Over {
  /** Deletes rows of the directory. */
  readonly gone: Statement;
  readonly noted: (count: SQL | number) => Statement;
  /** How many, as read before: used if the project is in another database. */
  readonly count: number;
}

/** Deletes rows of the directory and counts them in the project's database: at once, if that is the same. */
export async function runOver(
  { db, directory }: { readonly db: Db; readonly directory: Db },
  { gone, noted, count }: Over,
): Promise<void> {
  if (db === directory) return runBatch(db, [gone, noted(sql`changes()`)]);
  await runBatch(directory, [gone]);
  await runBatch(db, [noted(count)]);
}
