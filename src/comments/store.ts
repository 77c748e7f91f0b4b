import { and, desc, eq, getTableColumns, lt, type SQL, sql } from "drizzle-orm";
import { accountOf, platformOfChannel } from "../channels/store.ts";
import type { ChannelId, CommentActId, CommentId, PostId, ProjectId } from "../core/ids.ts";
import { DAY } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import { outboxOf } from "../events/outbox.ts";
import type { AnsweredComment, ReadComment } from "../platforms/commenting.ts";
import type { PlatformName } from "../platforms/names.ts";
import { channelOf } from "../posts/fragments.ts";
import type { ActKind } from "./acts.ts";
import { commentEvents } from "./events.ts";
import { URGENCY } from "./states.ts";
import { commentsTable } from "./table.ts";

/** SQL of comments under posts. */

export type SeenComment = typeof commentsTable.$inferSelect;

/** With the platform of its channel. */
export interface ListedComment extends SeenComment {
  readonly platform: PlatformName;
}

/** How long comments, and the decisions of bots on them, are kept. */
export const COMMENT_LIFE_MS = 60 * DAY;

export const RECEIVED = "A comment was received.";

/** Characters of a comment that are kept: for matching, for a model, and for the log. */
const MAX_KEPT = 2_000;

/** A post as far as its comments need it. */
export interface CommentedPost {
  readonly id: PostId;
  readonly projectId: ProjectId;
  readonly channelId: ChannelId;
}

/** For a batch: stores comments under one post; those that are stored stay. */
export function insertComments(
  db: Db,
  { id: postId, projectId, channelId }: CommentedPost,
  comments: readonly ReadComment[],
  now: number,
): Statement {
  const rows = JSON.stringify(
    comments.map(({ id, author, text, createdAt, isTopLevel }) => ({
      id,
      author: author?.id ?? null,
      name: author?.name ?? null,
      text: text.slice(0, MAX_KEPT),
      top: isTopLevel ? 1 : 0,
      at: createdAt,
    })),
  );
  const of = (name: string) => sql`comment.value ->> ${name}`;
  const stored = {
    projectId,
    channelId,
    postId,
    commentId: of("id"),
    authorId: of("author"),
    authorName: of("name"),
    text: of("text"),
    isTopLevel: of("top"),
    createdAt: of("at"),
    seenAt: now,
    urgency: URGENCY.unanswered,
  };
  return insertWhere(db, commentsTable, stored, { from: sql`json_each(${rows}) AS comment` }).onConflictDoNothing();
}

/**
 * For the same batch, after `insertComments`: the events of the new comments, for projects with webhooks. Of
 * two deliveries that bring one comment, one writes its event.
 */
export function reportComments(
  db: Db,
  { id: postId, projectId }: CommentedPost,
  comments: readonly ReadComment[],
  now: number,
): Statement {
  const detail = sql`json_object('channel_id', comments.channel_id, 'post_id', comments.post_id,
    'platform_id', comments.comment_id, 'author_id', comments.author_id, 'author', comments.author_name,
    'text', comments.text, 'is_reply', json(CASE comments.is_top_level WHEN 1 THEN 'false' ELSE 'true' END),
    'commented_at', strftime('%Y-%m-%dT%H:%M:%f', comments.created_at / 1000.0, 'unixepoch') || '+00:00')`;
  const isNew = isAmong(
    sql`comments.comment_id`,
    comments.map(({ id }) => id),
  );
  const isUnreported = sql`${commentEvents.count(sql`comments.id`, "comment.received")} = 0`;
  return commentEvents.insertMany(
    db,
    { projectId, subjectId: sql<number>`comments.id`, type: "comment.received", message: RECEIVED, detail, at: now },
    sql`comments`,
    sql`${outboxOf(projectId)} IS NOT NULL AND comments.post_id = ${postId} AND comments.seen_at = ${now}
      AND comments.urgency IS NOT NULL AND ${isNew} AND ${isUnreported}`,
  );
}

/** Stores the channel's own answer, so a poll never takes it for a new comment. */
export function keepOwnComment(
  db: Db,
  { id: postId, projectId, channelId }: CommentedPost,
  own: { readonly id: string; readonly text: string; readonly author: string; readonly at: number },
  held: SQL,
): Statement {
  const row = {
    projectId,
    channelId,
    postId,
    commentId: own.id,
    authorId: own.author,
    text: own.text.slice(0, MAX_KEPT),
    createdAt: own.at,
    seenAt: own.at,
  };
  // A poll may have brought it first.
  return insertWhere(db, commentsTable, row, held).onConflictDoUpdate({
    target: [commentsTable.postId, commentsTable.commentId],
    set: { urgency: null },
  });
}

/** The comment has an answer of the channel. */
export function markAnswered(
  db: Db,
  { postId, commentId }: Pick<SeenComment, "postId" | "commentId">,
  at: number,
  held: SQL,
): Statement {
  return db
    .update(commentsTable)
    .set({ answeredAt: at, urgency: sql`min(urgency, ${URGENCY.answered})` })
    .where(and(eq(commentsTable.postId, postId), eq(commentsTable.commentId, commentId), held));
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

export const listedColumns = {
  ...getTableColumns(commentsTable),
  platform: sql<PlatformName>`${platformOfChannel(sql`${commentsTable.channelId}`)}`.as("platform"),
};

/** For a batch: a comment of the project; the channel's own ones are none. */
export function selectComment(db: Db, projectId: ProjectId, id: CommentId) {
  return db
    .select(listedColumns)
    .from(commentsTable)
    .where(and(eq(commentsTable.id, id), eq(commentsTable.projectId, projectId), sql`urgency >= 0`));
}

/** For a batch: the comment of an act. */
export function selectCommentOfAct(db: Db, id: CommentActId) {
  return db
    .select()
    .from(commentsTable)
    .where(sql`${commentsTable.id} = (SELECT comment_id FROM comment_acts WHERE comment_acts.id = ${id})`);
}

/** A condition: the comment exists and was not deleted. */
export const isThere = (id: CommentId): SQL =>
  sql`EXISTS (SELECT 1 FROM comments WHERE comments.id = ${id} AND comments.deleted_at IS NULL)`;

/** A condition for bots: the comment is, or is to be, hidden or deleted. */
export const isClosed = (postId: SQL, commentId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM comments WHERE comments.post_id = ${postId} AND comments.comment_id = ${commentId}
    AND comments.closed_at IS NOT NULL)`;

export function closeComment(db: Db, id: CommentId, now: number): Statement {
  return db.update(commentsTable).set({ closedAt: now }).where(eq(commentsTable.id, id));
}

/** After hiding or deleting failed. */
export function reopenComment(db: Db, id: CommentId, held: SQL): Statement {
  return db
    .update(commentsTable)
    .set({ closedAt: null })
    .where(and(eq(commentsTable.id, id), sql`hidden_at IS NULL AND deleted_at IS NULL`, held));
}

/** What the platform has done with it. */
export function changeComment(
  db: Db,
  { commentId, kind }: { readonly commentId: CommentId; readonly kind: ActKind },
  at: number,
  held: SQL,
): Statement {
  const change = {
    reply: { answeredAt: at },
    hide: { hiddenAt: at },
    unhide: { hiddenAt: null, closedAt: null },
    like: { likedAt: at },
    unlike: { likedAt: null },
    delete: { deletedAt: at, urgency: URGENCY.done },
  }[kind];
  return db
    .update(commentsTable)
    .set(change)
    .where(and(eq(commentsTable.id, commentId), held));
}

/** Of the channel's own comments under a post, the newest. */
const OWN = 200;

/** For a batch: the platform's ids of the channel's own comments under the post, for look-ups. */
export function selectOwnIds(db: Db, postId: SQL) {
  return db
    .select({ id: commentsTable.commentId })
    .from(commentsTable)
    .where(and(sql`${commentsTable.postId} = ${postId}`, sql`urgency IS NULL`))
    .orderBy(desc(commentsTable.id))
    .limit(OWN);
}

/** A condition: the post has stored comments. */
export const hasComments = (postId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM comments WHERE comments.post_id = ${postId})`;

/** Whether the first comment was seen before `before`: ids rise with time. */
export const hasOldComments = (before: number): SQL =>
  sql`(SELECT seen_at FROM comments ORDER BY id LIMIT 1) < ${before}`;

/** Purges comments that were seen before `before`, at most `limit`. */
export async function forgetComments(db: Db, before: number, limit: number): Promise<void> {
  const first = sql`(SELECT id FROM comments ORDER BY id LIMIT ${limit})`;
  await db.delete(commentsTable).where(and(sql`${commentsTable.id} IN ${first}`, lt(commentsTable.seenAt, before)));
}

/** The comment as platforms get it. */
export function toAnswered({ commentId, authorId, authorName, createdAt }: SeenComment): AnsweredComment {
  return { id: commentId, author: authorId === null ? null : { id: authorId, name: authorName }, createdAt };
}
