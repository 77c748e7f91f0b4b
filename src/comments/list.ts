import { and, eq, type SQL, sql } from "drizzle-orm";
import type { ChannelId, PostId, ProjectId } from "../core/ids.ts";
import { type Db, readTogether } from "../db/client.ts";
import { type WalkOf, walkBy } from "../db/id-list.ts";
import { type CommentState, URGENCY } from "./states.ts";
import { type ListedComment, listedColumns } from "./store.ts";
import { commentsTable } from "./table.ts";

/** SQL of the list of comments. */

/** Of a post, of a channel, or those that are assigned to a member. */
export type CommentScope =
  | { readonly post: PostId }
  | { readonly channel: ChannelId }
  | { readonly assignedTo: string };

/** Which comments of a project. */
export interface CommentFilter {
  readonly projectId: ProjectId;
  readonly of: CommentScope | null;
  readonly state: CommentState | null;
}

/** A place in a list. */
export interface CommentPlace {
  readonly urgency: number;
  readonly id: number;
}

/**
 * What waits first, then the newest first, after a place: one D1 call whose cost depends only on `limit`. Of
 * each urgency the rows are one range of an index; a comparison of both columns at once would not be.
 */
export async function listComments(
  db: Db,
  { projectId, of, state }: CommentFilter,
  { after, limit }: { readonly after: CommentPlace | null; readonly limit: number },
): Promise<WalkOf<ListedComment, CommentPlace>> {
  const { urgency, id } = commentsTable;
  const range = (where: SQL) =>
    db
      .select(listedColumns)
      .from(commentsTable)
      .where(and(eq(commentsTable.projectId, projectId), of === null ? undefined : isOf(of), where))
      .orderBy(sql`${urgency} DESC, ${id} DESC`)
      .limit(limit + 1);
  const from = after && { ...after, urgency: state === null ? after.urgency : URGENCY[state] };
  const { begun, others } = await readTogether(db, {
    begun: from && range(sql`urgency = ${from.urgency} AND ${id} < ${from.id}`),
    others:
      state === null
        ? range(from ? sql`urgency >= 0 AND urgency < ${from.urgency}` : sql`urgency >= 0`)
        : from
          ? null
          : range(sql`urgency = ${URGENCY[state]}`),
  });
  return walkBy([...(begun ?? []), ...(others ?? [])], limit, (last) => ({ urgency: last.urgency ?? 0, id: last.id }));
}

function isOf(scope: CommentScope): SQL {
  if ("post" in scope) return eq(commentsTable.postId, scope.post);
  if ("channel" in scope) return eq(commentsTable.channelId, scope.channel);
  return eq(commentsTable.assignedTo, scope.assignedTo);
}
