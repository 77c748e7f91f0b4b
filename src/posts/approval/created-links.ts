import { and, eq, sql } from "drizzle-orm";
import type { ProjectId } from "../../core/ids.ts";
import type { Db } from "../../db/client.ts";
import { postsTable } from "../table.ts";
import type { Who } from "./request-approval.ts";

/** Links for clients that are valid now, by who made them. */

const MOST = 200;

// Literals, because SQLite can use the partial index only then.
const isLinked = (projectId: ProjectId) =>
  and(
    eq(postsTable.projectId, projectId),
    sql`approval_state = 'waiting' AND deleted_at IS NULL AND json_extract(approval, '$.linkNonce') IS NOT NULL`,
  );

/** The makers of the project's valid links: one row a link, at most 200. */
export function selectLinkMakers(db: Db, projectId: ProjectId) {
  const linkedBy = sql<Who | null>`json_extract(approval, '$.linkedBy')`.as("linked_by");
  return db.select({ linkedBy }).from(postsTable).where(isLinked(projectId)).limit(MOST);
}

/** Revokes the links that one of these made. Repeatable. */
export async function revokeLinksOf(db: Db, projectId: ProjectId, makers: readonly Who[]): Promise<void> {
  const isOf = sql`json_extract(approval, '$.linkedBy') IN (SELECT value FROM json_each(${JSON.stringify(makers)}))`;
  const approval = sql`json_set(${postsTable.approval}, '$.linkNonce', NULL, '$.linkedBy', NULL)`;
  await db
    .update(postsTable)
    .set({ approval })
    .where(and(isLinked(projectId), isOf));
}
