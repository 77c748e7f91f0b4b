import { and, asc, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { idOf, type ProjectId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";
import { isOpen, type Project, projectColumns } from "./store.ts";
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

export interface NamedProject extends Project {
  readonly createdAt: number;
  /** Of who created it. */
  readonly userEmail: string;
}

/** The projects with this name, among all users, the oldest first. For the operator. */
export const listProjectsNamed = (db: Db, name: string, limit: number): Promise<NamedProject[]> =>
  selectNamed(db, eq(projectsTable.name, name)).orderBy(asc(projectsTable.id)).limit(limit);

/** The same of one project; empty if there is none. */
export const listProject = async (db: Db, id: ProjectId): Promise<NamedProject[]> =>
  selectNamed(db, eq(projectsTable.id, id));

const selectNamed = (db: Db, which: SQL) =>
  db
    .select({ ...projectColumns, createdAt: projectsTable.createdAt, userEmail: usersTable.email })
    .from(projectsTable)
    .innerJoin(usersTable, eq(usersTable.id, projectsTable.userId))
    .where(and(which, isOpen));
