import { and, asc, eq, sql } from "drizzle-orm";
import type { ProjectId } from "../../core/ids.ts";
import type { Db } from "../../db/client.ts";
import { channelColumn, contentColumns } from "../store.ts";
import { postsTable } from "../table.ts";

/** The project's posts that wait for approval, the oldest first. One D1 call. */
export function listWaiting(db: Db, projectId: ProjectId, limit: number) {
  return (
    db
      .select({ ...contentColumns, channel: channelColumn })
      .from(postsTable)
      // Literals, because SQLite can use the partial index only then.
      .where(and(eq(postsTable.projectId, projectId), sql`approval_state = 'waiting' AND deleted_at IS NULL`))
      .orderBy(asc(postsTable.id))
      .limit(limit)
  );
}
