import { and, eq, type SQL, sql } from "drizzle-orm";
import { accountOf } from "../channels/store.ts";
import type { PostId } from "../core/ids.ts";
import { DAY } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { AnsweredComment, ReadComment } from "../platforms/commenting.ts";
import { channelOf } from "../posts/fragments.ts";
import { commentsTable } from "./table.ts";

/** SQL of comments under posts. */

export type SeenComment = typeof commentsTable.$inferSelect;

/** How long comments, and the decisions of bots on them, are kept. */
export const COMMENT_LIFE_MS = 60 * DAY;

/** Characters of a comment that are kept: for matching, for a model, and for the log. */
export const MAX_KEPT = 2_000;

/** Stores the channel's own answer, so a poll never takes it for a new comment. */
export function keepOwnComment(
  db: Db,
  postId: PostId,
  own: { readonly id: string; readonly text: string; readonly author: string; readonly at: number },
  held: SQL,
): Statement {
  const row = {
    postId,
    commentId: own.id,
    authorId: own.author,
    text: own.text.slice(0, MAX_KEPT),
    createdAt: own.at,
    seenAt: own.at,
  };
  return insertWhere(db, commentsTable, row, held).onConflictDoNothing();
}

/** The comment as platforms get it. */
export function toAnswered({ commentId, authorId, authorName, createdAt }: SeenComment): AnsweredComment {
  return { id: commentId, author: authorId === null ? null : { id: authorId, name: authorName }, createdAt };
}

/** A query of the comments with their authors, for joins. */
export const seenComments = sql`SELECT post_id, comment_id, author_id, author_name, text, created_at FROM comments`;

/** For a batch: the comments whose `post_id` and `comment_id` a query returns. */
export function selectComments(db: Db, keys: SQL) {
  return db.select().from(commentsTable).where(sql`(post_id, comment_id) IN (${keys})`);
}

/** For a batch: which of these comments are stored, and which of them the channel itself wrote. */
export function selectSeen(db: Db, postId: PostId, ids: readonly string[]) {
  return db
    .select({
      id: commentsTable.commentId,
      isOwn: sql<number | null>`${commentsTable.authorId} = ${accountOf(channelOf(postId))}`,
    })
    .from(commentsTable)
    .where(and(eq(commentsTable.postId, postId), isAmong(commentsTable.commentId, ids)));
}

/** For a batch: stores comments under one post; those that are stored stay. */
export function insertComments(
  db: Db,
  {
    postId,
    comments,
    now,
  }: { readonly postId: PostId; readonly comments: readonly ReadComment[]; readonly now: number },
): Statement {
  const rows = JSON.stringify(
    comments.map(({ id, author, text, createdAt }) => ({
      id,
      author: author?.id ?? null,
      name: author?.name ?? null,
      text: text.slice(0, MAX_KEPT),
      at: createdAt,
    })),
  );
  const of = (name: string) => sql`comment.value ->> ${name}`;
  const stored = {
    postId,
    commentId: of("id"),
    authorId: of("author"),
    authorName: of("name"),
    text: of("text"),
    createdAt: of("at"),
    seenAt: now,
  };
  return insertWhere(db, commentsTable, stored, { from: sql`json_each(${rows}) AS comment` }).onConflictDoNothing();
}

/** A condition: the post has stored comments. */
export const hasComments = (postId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM comments WHERE comments.post_id = ${postId})`;

export const hasOldComments = (before: number): SQL => sql`EXISTS (SELECT 1 FROM comments WHERE seen_at < ${before})`;

/** Purges comments that were seen before `before`, at most `limit`. */
export async function forgetComments(db: Db, before: number, limit: number): Promise<void> {
  const some = sql`(SELECT post_id, comment_id FROM comments WHERE seen_at < ${before} ORDER BY seen_at LIMIT ${limit})`;
  await db.delete(commentsTable).where(sql`(post_id, comment_id) IN ${some}`);
}
