import { sql } from "drizzle-orm";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import { type Db, writeTogether } from "../db/client.ts";
import { commentsTable } from "./table.ts";

/** Deletes comments under posts of a channel, at most `limit` of each kind. Whether none is left. */
export async function forgetChannelComments(
  db: Db,
  { projectId, id }: { readonly projectId: ProjectId; readonly id: ChannelId },
  limit: number,
): Promise<boolean> {
  const others = sql`SELECT id FROM comments WHERE project_id = ${projectId} AND channel_id = ${id}
    AND urgency IS NOT NULL ORDER BY urgency, id LIMIT ${limit}`;
  const own = sql`SELECT id FROM comments WHERE channel_id = ${id} AND urgency IS NULL ORDER BY id LIMIT ${limit}`;
  const gone = (ids: typeof own) =>
    db.delete(commentsTable).where(sql`${commentsTable.id} IN (${ids})`).returning({ id: commentsTable.id });
  const deleted = await writeTogether(db, { others: gone(others), own: gone(own) });
  return deleted.others.length < limit && deleted.own.length < limit;
}
