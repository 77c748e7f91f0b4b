import { and, desc, eq, getTableColumns, lt, type SQL, sql } from "drizzle-orm";
import {
  type CommentedPost,
  insertComments,
  reportComments,
  seenComments,
  selectComments,
  selectSeen,
} from "../comments/store.ts";
import type { AutomationId, PostId, ReplyId } from "../core/ids.ts";
import { type Db, readTogether, type Statement } from "../db/client.ts";
import type { Expired } from "../db/expired.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import { openJobs } from "../jobs/open-jobs.ts";
import type { ReadComment } from "../platforms/commenting.ts";
import { countIntake } from "../usage/intake.ts";
import type { Decision } from "./decision.ts";
import { REPLY, REPLY_LIMIT_MS } from "./jobs.ts";
import { stillAnswers } from "./store.ts";
import { type ReplyPart, SKIPS } from "./stored.ts";
import { repliedAuthorsTable, repliesTable } from "./table.ts";

/** SQL of comments, and of the decisions and answers to each. */

export type Reply = typeof repliesTable.$inferSelect;

/** A known comment under a post. */
export interface KnownComment {
  readonly id: string;
  /** The channel's own answer to another comment. */
  readonly isOwn: boolean;
  /** The automations that have decided it; each decides a comment once. */
  readonly decidedBy: readonly AutomationId[];
}

/** The comments under the post that are stored, and the automations that have decided them. One D1 call. */
export async function findKnown(
  db: Db,
  postId: PostId,
  ids: readonly string[],
): Promise<ReadonlyMap<string, KnownComment>> {
  const { seen, decided } = await readTogether(db, {
    seen: selectSeen(db, postId, ids),
    decided: db
      .select({ commentId: repliesTable.commentId, automationId: repliesTable.automationId })
      .from(repliesTable)
      .where(and(eq(repliesTable.postId, postId), isAmong(repliesTable.commentId, ids))),
  });
  const byComment = Map.groupBy(decided, ({ commentId }) => commentId);
  return new Map(
    seen.map(({ id, isOwn }) => {
      const decidedBy = (byComment.get(id) ?? []).map(({ automationId }) => automationId);
      return [id, { id, isOwn: isOwn === 1, decidedBy }];
    }),
  );
}

/** New comments under one post, and the decisions on them. */
export interface Ingested {
  readonly post: CommentedPost;
  readonly comments: readonly ReadComment[];
  readonly decisions: readonly Decision[];
  readonly now: number;
}

/**
 * For one batch: stores new comments, the decision of each automation, and the jobs of the answers. Rows that
 * another delivery has stored stay. The rows of the last statement are for `enqueueJobs`.
 */
export function storeIngested(db: Db, { post, comments, decisions, now }: Ingested) {
  const { id: postId, projectId } = post;
  const isNew = sql`(SELECT id FROM replies WHERE post_id = ${postId} AND outcome = 'waiting'
    AND ${isAmong(
      sql`comment_id`,
      comments.map(({ id }) => id),
    )})`;
  return {
    comments: insertComments(db, post, comments, now),
    counted: countIntake(db, "comments", projectId, now),
    reported: reportComments(db, post, comments, now),
    authors: keepAuthors(db, postId, decisions, now),
    replies: insertReplies(db, post, decisions, now),
    jobs: openJobs(db, {
      kind: REPLY,
      queue: "replies",
      projectId,
      subjects: sql`SELECT id, due_at AS at FROM replies WHERE id IN ${isNew}`,
      limitMs: REPLY_LIMIT_MS,
      now,
    }),
  };
}

/**
 * Stores the authors of automations that answer each person once: the first comment of an author counts,
 * while the automation answers.
 */
function keepAuthors(db: Db, postId: PostId, decisions: readonly Decision[], now: number): Statement[] {
  const once = decisions.filter((decision) => decision.outcome === "waiting" && decision.onceFor !== null);
  if (once.length === 0) return [];
  const rows = JSON.stringify(
    once.map((one) => ({ bot: one.automationId, author: one.onceFor, comment: one.commentId })),
  );
  const of = (name: string) => sql`author.value ->> ${name}`;
  const values = { automationId: of("bot"), authorId: of("author"), postId, commentId: of("comment"), answeredAt: now };
  const isActive = stillAnswers(sql`(${of("bot")})`, postId);
  return [
    insertWhere(db, repliedAuthorsTable, values, {
      from: sql`json_each(${rows}) AS author`,
      when: isActive,
    }).onConflictDoNothing(),
  ];
}

function insertReplies(
  db: Db,
  { id: postId, projectId }: CommentedPost,
  decisions: readonly Decision[],
  now: number,
): Statement {
  const rows = JSON.stringify(
    decisions.map((one) => ({
      bot: one.automationId,
      comment: one.commentId,
      outcome: one.outcome,
      reason: one.reason,
      message: one.message,
      keyword: one.keyword,
      once: one.onceFor,
      parts: one.parts,
      due: one.dueAt,
    })),
  );
  const of = (name: string) => sql`decision.value ->> ${name}`;
  const isSecond = sql`(${of("once")} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM replied_authors AS kept
    WHERE kept.automation_id = ${of("bot")} AND kept.author_id = ${of("once")} AND kept.post_id = ${postId} AND kept.comment_id = ${of("comment")}))`;
  const values = {
    automationId: of("bot"),
    projectId,
    postId,
    commentId: of("comment"),
    outcome: sql`CASE WHEN ${isSecond} THEN 'skipped' ELSE ${of("outcome")} END`,
    reason: sql`CASE WHEN ${isSecond} THEN 'once_already' ELSE ${of("reason")} END`,
    message: sql`CASE WHEN ${isSecond} THEN ${SKIPS.once_already} ELSE ${of("message")} END`,
    keyword: of("keyword"),
    commentPart: sql`CASE WHEN ${isSecond} THEN NULL ELSE decision.value ->> '$.parts.comment' END`,
    messagePart: sql`CASE WHEN ${isSecond} THEN NULL ELSE decision.value ->> '$.parts.message' END`,
    dueAt: of("due"),
    createdAt: now,
    updatedAt: now,
  };
  const isActive = stillAnswers(sql`(${of("bot")})`, postId);
  return insertWhere(db, repliesTable, values, {
    from: sql`json_each(${rows}) AS decision`,
    when: isActive,
  }).onConflictDoNothing();
}

/** For a batch: the answer and its comment. */
export function selectReply(db: Db, id: ReplyId) {
  return {
    replies: db.select().from(repliesTable).where(eq(repliesTable.id, id)),
    comments: selectComments(db, sql`SELECT post_id, comment_id FROM replies WHERE id = ${id}`),
  };
}

/** A write of a job's step; `hasLease` is the job's lease. */
export function recordPart(
  db: Db,
  { id, part }: { readonly id: ReplyId; readonly part: "comment" | "message" },
  value: ReplyPart,
  hasLease: SQL,
): Statement {
  const change = part === "comment" ? { commentPart: value } : { messagePart: value };
  return db
    .update(repliesTable)
    .set({ ...change, updatedAt: Date.now() })
    .where(and(eq(repliesTable.id, id), hasLease));
}

/** The reason of a wait, for the log. */
export function noteWait(db: Db, id: ReplyId, message: string, held: SQL): Statement {
  return db
    .update(repliesTable)
    .set({ message })
    .where(and(eq(repliesTable.id, id), sql`outcome = 'waiting'`, held));
}

/** With its comment; its fields are null once the comment is purged. */
export interface LoggedReply extends Reply {
  readonly authorId: string | null;
  readonly authorName: string | null;
  readonly text: string | null;
  readonly commentedAt: number | null;
}

/** The replies log, newest first, from before `before` on; one D1 call without a count. */
export async function listReplies(
  db: Db,
  automationId: AutomationId,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<LoggedReply[]> {
  const authorId = sql<string | null>`seen.author_id`.as("author_id");
  const authorName = sql<string | null>`seen.author_name`.as("author_name");
  const text = sql<string | null>`seen.text`.as("text");
  // D1 returns only one of two columns with the same name.
  const commentedAt = sql<number | null>`seen.created_at`.as("commented_at");
  return db
    .select({ ...getTableColumns(repliesTable), authorId, authorName, text, commentedAt })
    .from(repliesTable)
    .leftJoin(
      sql`(${seenComments}) AS seen`,
      sql`seen.post_id = ${repliesTable.postId} AND seen.comment_id = ${repliesTable.commentId}`,
    )
    .where(
      and(
        eq(repliesTable.automationId, automationId),
        before === null ? undefined : sql`${repliesTable.id} < ${before}`,
      ),
    )
    .orderBy(desc(repliesTable.id))
    .limit(limit);
}

/** Whether the first answer is older than `before`. */
export const hasOldReplies = (before: number): SQL =>
  sql`(SELECT created_at FROM replies ORDER BY id LIMIT 1) < ${before}`;

/** Purges answers that were decided before `before`, at most `limit`. */
export async function forgetReplies(db: Db, before: number, limit: number): Promise<void> {
  const first = sql`(SELECT id FROM replies ORDER BY id LIMIT ${limit})`;
  await db
    .delete(repliesTable)
    .where(and(sql`${repliesTable.id} IN ${first}`, lt(repliesTable.createdAt, before), sql`outcome <> 'waiting'`));
}

/** Purges authors that were answered before `before`, oldest first. */
export function expiredAuthors(before: number, limit: number): Expired {
  const some = sql`(SELECT automation_id, author_id FROM replied_authors WHERE answered_at < ${before}
    ORDER BY answered_at LIMIT ${limit})`;
  return { table: repliedAuthorsTable, where: sql`(automation_id, author_id) IN ${some}` };
}
