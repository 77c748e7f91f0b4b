import { and, eq, isNotNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import { projectsTable } from "./table.ts";

/** SQL of a project on its way to another database (projects/moving/). */

/** A condition: this database serves the project (a column or a subquery); its row is here. */
export const isServedBy = (id: SQLWrapper, database: number): SQL =>
  sql`EXISTS (SELECT 1 FROM projects WHERE projects.id = ${id} AND projects.database = ${database} AND projects.moving_at IS NULL)`;

/**
 * What a database's row of a project says: it is served here, it is on its way from or to here, or it lives
 * elsewhere. A project moves only to a higher number, and the row there says until the end where it comes
 * from.
 */
export function standingOf(
  { database, movingAt }: { readonly database: number; readonly movingAt: number | null },
  here: number,
): "here" | "moving" | "elsewhere" {
  if (database === here) return movingAt === null ? "here" : "moving";
  return movingAt !== null && database < here ? "moving" : "elsewhere";
}

/** A condition: the project is on its way. */
export const isMovingProject = (id: SQLWrapper): SQL =>
  sql`EXISTS (SELECT 1 FROM projects WHERE projects.id = ${id} AND projects.moving_at IS NOT NULL)`;

/** The same for a project that is known, as text. */
export const isMovingText = (id: ProjectId): string =>
  `EXISTS (SELECT 1 FROM projects WHERE projects.id = ${Number(id)} AND projects.moving_at IS NOT NULL)`;

/** The same, or it is served by another database than this one. */
export const hasLeftText = (id: ProjectId, database: number): string =>
  `EXISTS (SELECT 1 FROM projects WHERE projects.id = ${Number(id)} AND (projects.moving_at IS NOT NULL OR projects.database <> ${database}))`;

/** A condition: any project is on its way. */
export const hasMovingProjects = (): SQL => sql`EXISTS (SELECT 1 FROM projects WHERE moving_at IS NOT NULL)`;

/** A condition: the project is in this database, and not being deleted. */
export const isOpenIn = (id: ProjectId, database: number): SQL =>
  sql`EXISTS (SELECT 1 FROM projects WHERE projects.id = ${id} AND projects.database = ${database} AND projects.deleting_at IS NULL)`;

/** From now on its requests wait; the first time stays. */
export function markMoving(db: Db, id: ProjectId, now: number, condition: SQL): Statement {
  return db
    .update(projectsTable)
    .set({ movingAt: sql`coalesce(${projectsTable.movingAt}, ${now})` })
    .where(and(eq(projectsTable.id, id), condition));
}

/** From now on another database has its content. */
export function switchDatabase(
  db: Db,
  id: ProjectId,
  { from, to }: { readonly from: number; readonly to: number },
  condition: SQL,
): Statement {
  return db
    .update(projectsTable)
    .set({ database: to })
    .where(and(eq(projectsTable.id, id), eq(projectsTable.database, from), condition));
}

/** Its requests are served again. */
export function endMoving(db: Db, id: ProjectId): Statement {
  return db
    .update(projectsTable)
    .set({ movingAt: null })
    .where(and(eq(projectsTable.id, id), isNotNull(projectsTable.movingAt)));
}

/** Deletes the copy of its row in a database other than the directory. */
export const deleteCopy = (db: Db, id: ProjectId): Statement =>
  db.delete(projectsTable).where(eq(projectsTable.id, id));
