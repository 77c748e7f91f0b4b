import { and, desc, eq, getTableColumns, lt, type SQL, sql } from "drizzle-orm";
import { COMMENT_STEP } from "../acting/write-comment.ts";
import type { FailureCode } from "../core/failures.ts";
import type { CommentActId, CommentId, PostId, ProjectId } from "../core/ids.ts";
import { DAY, MINUTE } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { newestIdOf } from "../db/newest-id.ts";
import { keyFor } from "../jobs/key-for.ts";
import { hasUnconfirmedStep, isRunning } from "../jobs/store.ts";
import { type ActKind, type ActState, AFTER, REPLACED_BY } from "./acts.ts";
import { commentActsTable } from "./table.ts";

/** SQL of what people and programs do with comments. */

/** Carries out one act on a comment: `comment:<act id>`. */
export const COMMENT_ACT = "comment";
export const COMMENT_ACT_LIMIT_MS = DAY;

/** An act whose outcome is unknown for longer keeps no other waiting. */
const UNDER_WAY_MS = 15 * MINUTE;

export type CommentAct = typeof commentActsTable.$inferSelect;

export const newestActId = newestIdOf<CommentActId>("comment_acts");

export function insertAct(
  db: Db,
  act: {
    readonly projectId: ProjectId;
    readonly commentId: CommentId;
    readonly kind: ActKind;
    readonly text: string | null;
  },
  now: number,
) {
  const message = "About to be carried out.";
  return db
    .insert(commentActsTable)
    .values({ ...act, state: "waiting", message, createdAt: now, updatedAt: now })
    .returning();
}

export function selectAct(db: Db, id: CommentActId) {
  return db.select().from(commentActsTable).where(eq(commentActsTable.id, id));
}

/** The newest acts on a comment, for a batch. */
export function selectActsOf(db: Db, projectId: ProjectId, commentId: CommentId, limit: number) {
  return db
    .select(getTableColumns(commentActsTable))
    .from(commentActsTable)
    .where(and(eq(commentActsTable.commentId, commentId), eq(commentActsTable.projectId, projectId)))
    .orderBy(desc(commentActsTable.id))
    .limit(limit);
}

/** The number of acts on a comment that have not ended, for a condition. */
export const waitingOn = (commentId: CommentId): SQL<number> =>
  sql`(SELECT count(*) FROM comment_acts WHERE comment_id = ${commentId} AND state = 'waiting')`;

/** A condition: a later act on the same comment takes its place. */
export function isReplaced({ id, commentId, kind }: Pick<CommentAct, "id" | "commentId" | "kind">): SQL {
  return sql`EXISTS (SELECT 1 FROM comment_acts AS later WHERE later.comment_id = ${commentId} AND later.id > ${id}
    AND ${isAmong(sql`later.kind`, REPLACED_BY[kind])})`;
}

const isWorking = (id: SQL, now: number): SQL => {
  const key = keyFor(COMMENT_ACT, id);
  return sql`(${isRunning(key, now)} OR ${hasUnconfirmedStep(key, COMMENT_STEP, now - UNDER_WAY_MS)})`;
};

/** A condition: an earlier act that this one must follow is under way. */
export function isBehindOthers(
  { id, commentId, kind }: Pick<CommentAct, "id" | "commentId" | "kind">,
  now: number,
): SQL {
  return sql`EXISTS (SELECT 1 FROM comment_acts AS earlier WHERE earlier.comment_id = ${commentId} AND earlier.id < ${id}
    AND earlier.state = 'waiting' AND ${isAmong(sql`earlier.kind`, AFTER[kind])} AND ${isWorking(sql`earlier.id`, now)})`;
}

/** A condition for bots: a person's reply to the comment was sent, and its outcome is not known yet. */
export function isBeingAnswered(postId: PostId, commentId: string, now: number): SQL {
  const isSent = hasUnconfirmedStep(keyFor(COMMENT_ACT, sql`act.id`), COMMENT_STEP, now - UNDER_WAY_MS);
  return sql`EXISTS (SELECT 1 FROM comments JOIN comment_acts AS act ON act.comment_id = comments.id
    WHERE comments.post_id = ${postId} AND comments.comment_id = ${commentId} AND act.state = 'waiting'
    AND act.kind = 'reply' AND ${isSent})`;
}

export interface ActEnd {
  readonly state: Exclude<ActState, "waiting">;
  readonly reason: FailureCode | null;
  readonly message: string;
}

export function endAct(db: Db, id: CommentActId, end: ActEnd, hasLease: SQL): Statement {
  return db
    .update(commentActsTable)
    .set({ ...end, updatedAt: Date.now() })
    .where(and(eq(commentActsTable.id, id), hasLease));
}

/** With the result of the reply. */
export function keepReplyId(db: Db, id: CommentActId, platformId: string, hasLease: SQL): Statement {
  return db
    .update(commentActsTable)
    .set({ platformId, updatedAt: Date.now() })
    .where(and(eq(commentActsTable.id, id), hasLease));
}

/** The reason of a wait; `isWaiting` also rules out an end whose transaction had no answer. */
export function noteActWait(db: Db, id: CommentActId, message: string, isWaiting: SQL): Statement {
  return db
    .update(commentActsTable)
    .set({ message })
    .where(and(eq(commentActsTable.id, id), isWaiting));
}

/** A condition: the act has not ended. */
export const isWaitingAct = (id: CommentActId): SQL =>
  sql`EXISTS (SELECT 1 FROM comment_acts WHERE id = ${id} AND state = 'waiting')`;

export const hasOldActs = (before: number): SQL =>
  sql`(SELECT created_at FROM comment_acts ORDER BY id LIMIT 1) < ${before}`;

/** Purges acts from before `before`, at most `limit`. */
export async function forgetActs(db: Db, before: number, limit: number): Promise<void> {
  const first = sql`(SELECT id FROM comment_acts ORDER BY id LIMIT ${limit})`;
  const isOld = and(sql`${commentActsTable.id} IN ${first}`, lt(commentActsTable.createdAt, before));
  await db.delete(commentActsTable).where(and(isOld, sql`state <> 'waiting'`));
}
