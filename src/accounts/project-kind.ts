import { and, eq, not, type SQL, sql } from "drizzle-orm";
import { AppError } from "../core/errors.ts";
import { SECOND } from "../core/time.ts";
import type { Deps } from "../service/deps.ts";
import { chooseDatabase, copyIsDue, copyProjects } from "./copies.ts";
import { ensureProject, type HasChannels, type NewProject, type Project } from "./store.ts";
import { projectsTable } from "./table.ts";

/**
 * The project for a new token. A new project gets the requested kind. An existing live project stays live; a
 * test project becomes live only while it contains nothing of the sandbox.
 */
export async function ensureProjectOfKind(
  deps: Deps,
  wanted: Omit<NewProject, "database">,
  now: number,
  hasChannels: HasChannels,
): Promise<Project> {
  const project = await ensureProject(deps.directory, { ...wanted, database: await chooseDatabase(deps) }, now);
  const isUnchanged = wanted.isTest || !project.isTest;
  const isLive = !isUnchanged && (await makeProjectLive(deps, project, now - SESSION_LIFE_MS, hasChannels));
  await copyProjects(deps, project);
  if (isUnchanged) return project;
  if (isLive) return { ...project, isTest: false };
  const sentence = `The project "${project.name}" is a test project with channels of the sandbox, or with tokens that worked within the last fifteen minutes, so it cannot become a live project. Use another name. If it has no channels, you can also revoke its tokens and wait fifteen minutes.`;
  throw new AppError("not_changeable", sentence);
}

/** A connection that a token started may complete this much later (connect/session.ts). */
const SESSION_LIFE_MS = 900 * SECOND;

/**
 * Makes a test project real, unless data of the sandbox could remain in it: a channel, or a token that was
 * valid after `usedUntil`. Such a token carries the project's kind and may have started a connection. Returns
 * false, and changes nothing, in that case.
 */
async function makeProjectLive(
  deps: Deps,
  { id, database }: Project,
  usedUntil: number,
  hasChannels: HasChannels,
): Promise<boolean> {
  const isFree = not(hasChannels(projectsTable.id));
  const isUnused = sql`NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.project_id = ${projectsTable.id}
    AND coalesce(tokens.revoked_at, tokens.expires_at, ${usedUntil}) >= ${usedUntil})`;
  const become = async (where: Deps, condition: SQL | undefined) => {
    const changed = await where.db
      .update(projectsTable)
      .set({ isTest: false, ...copyIsDue })
      .where(and(eq(projectsTable.id, id), condition))
      .returning({ id: projectsTable.id });
    return changed.length > 0;
  };
  if (database === 0) return become(deps.in(0), and(isFree, isUnused));
  // Tokens are in the directory, channels elsewhere. Without a recent token, no channel comes meanwhile.
  const [unused] = await deps.directory
    .select({ id: projectsTable.id })
    .from(projectsTable)
    .where(and(eq(projectsTable.id, id), isUnused));
  return unused !== undefined && (await become(deps.in(database), isFree)) && become(deps.in(0), isUnused);
}
