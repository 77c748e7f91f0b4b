import { desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { idOf, type ProjectId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";
import { projectColumns } from "./store.ts";
import { projectsTable, usersTable } from "./table.ts";

/** Projects of everyone, the newest first; those before an id (null: from the newest on). */
export function listProjects(db: Db, before: number | null, limit: number) {
  return db
    .select({ ...projectColumns, createdAt: projectsTable.createdAt, userEmail: usersTable.email })
    .from(projectsTable)
    .innerJoin(usersTable, eq(usersTable.id, projectsTable.userId))
    .where(before === null ? undefined : lt(projectsTable.id, idOf<ProjectId>(before)))
    .orderBy(desc(projectsTable.id))
    .limit(limit);
}

/** Whether the first project is older than this. */
export const hasProjectsBefore = (before: number): SQL =>
  sql`(SELECT created_at FROM projects ORDER BY id LIMIT 1) < ${before}`;
