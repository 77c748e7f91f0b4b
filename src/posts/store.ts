import { and, eq, inArray, isNotNull, ne, type SQL, sql } from "drizzle-orm";
import type { ChannelId, PostId, ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import { jobsTable } from "../jobs/table.ts";
import type { PlatformPost } from "../platforms/platform.ts";
import type { Holder, Move } from "./slots.ts";
import { type PostState, postsTable } from "./table.ts";

export type Post = typeof postsTable.$inferSelect;
export type NewPost = Omit<typeof postsTable.$inferInsert, "id">;

/** The id that the last `insertPost` of the same transaction got; other tables' inserts do not change it. */
export const newestPostId: SQL<PostId> = sql`(SELECT seq FROM sqlite_sequence WHERE name = 'posts')`;

export function insertPost(db: Db, post: NewPost) {
  return db.insert(postsTable).values(post).returning({ id: postsTable.id });
}

/** What an answer shows of a post. */
export const shownColumns = {
  id: postsTable.id,
  channelType: postsTable.channelType,
  channelId: postsTable.channelId,
  state: postsTable.state,
  permalink: postsTable.permalink,
  error: postsTable.error,
};
export type ShownPost = Pick<Post, keyof typeof shownColumns>;

/** What find-post shows; null for a deleted, another project's or no post at all. One row read. */
export async function findPost(db: Db, projectId: ProjectId, id: PostId) {
  const [post] = await db.select(shownColumns).from(postsTable).where(visible(projectId, id));
  return post ?? null;
}

export async function findWholePost(db: Db, projectId: ProjectId, id: PostId): Promise<Post | null> {
  const [post] = await db.select().from(postsTable).where(visible(projectId, id));
  return post ?? null;
}

function visible(projectId: ProjectId, id: PostId): SQL | undefined {
  return and(eq(postsTable.id, id), eq(postsTable.projectId, projectId), ne(postsTable.state, "deleted"));
}

/** For jobs: deleted posts too. */
export async function findPostOfJob(db: Db, id: number): Promise<Post | null> {
  const [post] = await db.select().from(postsTable).where(sql`${postsTable.id} = ${id}`);
  return post ?? null;
}

/** Who holds the channel's slots from `from` on. */
export function selectHolders(db: Db, channelId: ChannelId, from: number, limit = 2_500) {
  return db
    .select({ id: postsTable.id, slotAt: postsTable.slotAt, state: postsTable.state })
    .from(postsTable)
    .where(and(eq(postsTable.channelId, channelId), isNotNull(postsTable.slotAt), sql`${postsTable.slotAt} > ${from}`))
    .orderBy(postsTable.slotAt)
    .limit(limit);
}

export function toHolders(rows: readonly { id: number; slotAt: number | null; state: PostState }[]): Holder[] {
  return rows.flatMap(({ id, slotAt, state }) =>
    slotAt === null ? [] : [{ id, slotAt, isQueued: state === "queued" }],
  );
}

/**
 * Moves queued posts to later slots. A post that left the queue meanwhile stays where it is; when that leaves two posts
 * on one slot, the unique index fails the whole batch and the caller plans anew.
 */
export function moveSlots(db: Db, channelId: ChannelId, moves: readonly Move[], deadlineMs: number): Statement[] {
  if (moves.length === 0) return [];
  const list = JSON.stringify(moves);
  const target = (field: "from" | "to") =>
    sql<number>`(SELECT value ->> ${field} FROM json_each(${list}) WHERE value ->> 'id' = ${postsTable.id})`;
  const moved = sql`(SELECT value ->> 'id' FROM json_each(${list}))`;
  const jobTarget = sql<number>`(SELECT value ->> 'to' FROM json_each(${list}) WHERE value ->> 'id' = ${jobsTable.subjectId})`;
  return [
    // Through negative numbers first: uniqueness is checked row by row, and neighbours swap places.
    db
      .update(postsTable)
      .set({ slotAt: sql`-${postsTable.slotAt}` })
      .where(
        and(
          eq(postsTable.channelId, channelId),
          eq(postsTable.state, "queued"),
          sql`${postsTable.id} IN ${moved}`,
          eq(postsTable.slotAt, target("from")),
        ),
      ),
    db
      .update(postsTable)
      .set({ slotAt: target("to"), publishAt: target("to") })
      .where(
        and(eq(postsTable.channelId, channelId), sql`${postsTable.id} IN ${moved}`, sql`${postsTable.slotAt} < 0`),
      ),
    db
      .update(jobsTable)
      .set({ runAt: jobTarget, deadlineAt: sql`${jobTarget} + ${deadlineMs}`, sentAt: null })
      .where(
        and(
          sql`${jobsTable.key} IN (SELECT 'publish:' || (value ->> 'id') FROM json_each(${list}))`,
          eq(jobsTable.state, "open"),
        ),
      ),
  ];
}

/** Claimed and due: shown as processing from now on. No effect on a deleted post. */
export function markProcessing(db: Db, id: PostId, now: number, held: SQL): Statement {
  return db
    .update(postsTable)
    .set({ state: "processing", updatedAt: now })
    .where(and(eq(postsTable.id, id), inArray(postsTable.state, ["pending", "scheduled", "queued"]), held));
}

export interface PublishedPost {
  readonly platformPosts: readonly PlatformPost[];
  readonly permalink: string | null;
}

/** Live. A post that was deleted meanwhile stays deleted, but keeps its platform ids for the removal. */
export function markPublished(db: Db, id: PostId, published: PublishedPost, now: number, held: SQL): Statement {
  return db
    .update(postsTable)
    .set({
      state: sql`CASE ${postsTable.state} WHEN 'deleted' THEN 'deleted' ELSE 'published' END`,
      platformPosts: published.platformPosts,
      platformPostId: published.platformPosts[0]?.id ?? null,
      permalink: published.permalink,
      error: null,
      publishedAt: now,
      updatedAt: now,
    })
    .where(and(eq(postsTable.id, id), held));
}

/** Failed, with the reason; what went live of a thread is kept for its removal. */
export function markFailed(
  db: Db,
  id: PostId,
  error: string,
  live: readonly PlatformPost[],
  now: number,
  held: SQL,
): Statement {
  return db
    .update(postsTable)
    .set({
      state: sql`CASE ${postsTable.state} WHEN 'deleted' THEN 'deleted' ELSE 'failed' END`,
      error,
      platformPosts: live,
      updatedAt: now,
      ...(live.length > 0 ? { publishedAt: now } : {}),
    })
    .where(and(eq(postsTable.id, id), held));
}

/** In a deleted state: the condition under which a job must not ask the platform any more. */
export function isDeleted(id: PostId): SQL {
  return sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.state = 'deleted')`;
}
