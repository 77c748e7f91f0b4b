import { and, eq, not, sql } from "drizzle-orm";
import { AppError } from "../core/errors.ts";
import type { ProjectId } from "../core/ids.ts";
import { SECOND } from "../core/time.ts";
import type { Db } from "../db/client.ts";
import { ensureProject, type HasChannels, type NewProject, type Project } from "./store.ts";
import { projectsTable } from "./table.ts";

/**
 * The project for a new token. A new project gets the requested kind. An existing live project stays live; a
 * test project becomes live only while it contains nothing of the sandbox.
 */
export async function ensureProjectOfKind(
  db: Db,
  wanted: NewProject,
  now: number,
  hasChannels: HasChannels,
): Promise<Project> {
  const project = await ensureProject(db, wanted, now);
  if (wanted.isTest || !project.isTest) return project;
  if (await makeProjectLive(db, project.id, now - SESSION_LIFE_MS, hasChannels)) return { ...project, isTest: false };
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
async function makeProjectLive(db: Db, id: ProjectId, usedUntil: number, hasChannels: HasChannels): Promise<boolean> {
  const [changed] = await db
    .update(projectsTable)
    .set({ isTest: false })
    .where(
      and(
        eq(projectsTable.id, id),
        not(hasChannels(projectsTable.id)),
        sql`NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.project_id = ${projectsTable.id}
          AND coalesce(tokens.revoked_at, tokens.expires_at, ${usedUntil}) >= ${usedUntil})`,
      ),
    )
    .returning({ id: projectsTable.id });
  return changed !== undefined;
}
