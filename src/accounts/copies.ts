import { and, asc, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import { type Db, readTogether, runBatch, writeTogether } from "../db/client.ts";
import { type Deps, inEach } from "../service/deps.ts";
import { projectsTable, usersTable } from "./table.ts";

/**
 * The directory's row of a project is the truth. The database of its content has a copy, with the user's row,
 * for foreign keys and joins. A change counts up `copy_due` in its own statement; `copyProjects` writes the
 * copy and clears the count unless the row has changed meanwhile. The directory's sweep writes what a dead
 * request left. A project in the directory itself needs none of this.
 */

/** Copies that one sweep writes. */
const PAGE = 50;
const MIB = 1024 ** 2;

/** A new project in another database than the directory needs a copy there. */
export const copyDueOf = ({ database }: { readonly database: number }) => (database === 0 ? {} : { copyDue: 1 });

/** The same for a change of the row. */
export const copyIsDue = {
  copyDue: sql`CASE WHEN ${projectsTable.database} > 0 THEN coalesce(${projectsTable.copyDue}, 0) + 1 END`,
};

/** As a condition: whether `copyProjects` finds any. */
export const hasCopiesDue = (): SQL => sql`EXISTS (SELECT 1 FROM ${projectsTable} WHERE copy_due IS NOT NULL)`;

/** A project that is being deleted needs no copy any more. */
export async function dropCopyDue({ directory }: Pick<Deps, "directory">, id: ProjectId): Promise<void> {
  await directory.update(projectsTable).set({ copyDue: null }).where(eq(projectsTable.id, id));
}

/** The database for a new project: that with the fewest MiB, of equal ones that with the fewest projects. */
export async function chooseDatabase(deps: Deps): Promise<number> {
  if (deps.databases === 1) return 0;
  const sizes = inEach(deps).map(async ({ db }) => (await db.run(sql`SELECT 1`)).meta.size_after);
  const counted = deps.directory
    .select({ database: projectsTable.database, projects: sql<number>`count(*)`.as("projects") })
    .from(projectsTable)
    .groupBy(projectsTable.database);
  const [counts, ...bytes] = await Promise.all([counted, ...sizes]);
  const projects = new Map(counts.map((one) => [one.database, one.projects]));
  const [emptiest = { database: 0 }] = bytes
    .map((size, database) => ({ database, size: Math.floor(size / MIB), projects: projects.get(database) ?? 0 }))
    .sort((a, b) => a.size - b.size || a.projects - b.projects || a.database - b.database);
  return emptiest.database;
}

type Named = Pick<typeof projectsTable.$inferSelect, "id" | "database">;

/** Writes outdated copies: the project's own in a request, or any (null) in the sweep. Repeatable. */
export async function copyProjects(deps: Deps, only: Named | null): Promise<void> {
  if (only?.database === 0) return;
  const { directory } = deps;
  const isDue = and(isNotNull(projectsTable.copyDue), only === null ? undefined : eq(projectsTable.id, only.id));
  const due = directory.select().from(projectsTable).where(isDue).orderBy(asc(projectsTable.id)).limit(PAGE);
  const owners = directory.select({ id: projectsTable.userId }).from(projectsTable).where(isDue);
  const { projects, users } = await readTogether(directory, {
    projects: due,
    users: directory.select().from(usersTable).where(inArray(usersTable.id, owners)),
  });
  for (const [database, ofDatabase] of Map.groupBy(projects, (project) => project.database)) {
    await writeCopies(deps.in(database).db, ofDatabase, users);
  }
  await runBatch(
    directory,
    projects.map(({ id, copyDue }) =>
      directory
        .update(projectsTable)
        .set({ copyDue: null })
        .where(and(eq(projectsTable.id, id), eq(projectsTable.copyDue, copyDue ?? 0))),
    ),
  );
}

type ProjectRow = typeof projectsTable.$inferSelect;
type UserRow = typeof usersTable.$inferSelect;

async function writeCopies(db: Db, projects: readonly ProjectRow[], users: readonly UserRow[]): Promise<void> {
  await writeTogether(db, {
    users: users
      .filter(({ id }) => projects.some(({ userId }) => userId === id))
      .map((user) => db.insert(usersTable).values(user).onConflictDoNothing()),
    // Two projects may have exchanged their names: no copy keeps one that another needs.
    names: projects.map(({ id }) =>
      db
        .update(projectsTable)
        .set({ name: sql`'copy ' || ${projectsTable.id}` })
        .where(eq(projectsTable.id, id)),
    ),
    projects: projects.map((project) => {
      const copy = { ...project, copyDue: null };
      return db.insert(projectsTable).values(copy).onConflictDoUpdate({ target: projectsTable.id, set: copy });
    }),
  });
}

/**
 * Writes the directory's row of a project, with these changes, into a database that had or will have its
 * content (projects/moving/). Nothing in the directory itself. Repeatable.
 */
export async function copyProjectTo(
  deps: Deps,
  id: ProjectId,
  database: number,
  change: Partial<Pick<ProjectRow, "movingAt">> = {},
): Promise<void> {
  if (database === 0) return;
  const { directory } = deps;
  const { projects, users } = await readTogether(directory, {
    projects: directory.select().from(projectsTable).where(eq(projectsTable.id, id)),
    users: directory
      .select()
      .from(usersTable)
      .where(sql`${usersTable.id} = (SELECT user_id FROM projects WHERE projects.id = ${id})`),
  });
  const changed = projects.map((project) => ({ ...project, ...change }));
  await writeCopies(deps.in(database).db, changed, users);
}
