import { and, eq, type SQL, sql } from "drizzle-orm";
import { MESSAGE_STEP } from "../acting/send-message.ts";
import { COMMENT_STEP } from "../acting/write-comment.ts";
import { isConnected } from "../channels/store.ts";
import { isClosed, seenComments } from "../comments/store.ts";
import type { AutomationId, ChannelId, PostId, ReplyId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import { closeJobsBefore, isOpenJob } from "../jobs/store.ts";
import { channelOf, isLivePost, platformOf } from "../posts/fragments.ts";
import { REPLY } from "./jobs.ts";
import type { Reply } from "./reply-store.ts";
import { stillAnswers } from "./store.ts";
import { END_REASONS, type End, type ReplyReason } from "./stored.ts";
import { type ReplyOutcome, repliedAuthorsTable, repliesTable } from "./table.ts";

/** SQL of answers that end: sent, failed, or cancelled. */

/**
 * Why an answer, a row of `replies` in the statement, must not be sent any more: one of `END_REASONS`, NULL
 * while it may be. An automation that was started again answers only comments from then on.
 */
const end: SQL<End | null> = sql`CASE
  WHEN NOT ${isLivePost(sql`replies.post_id`)} THEN 'post_gone'
  WHEN ${isClosed(sql`replies.post_id`, sql`replies.comment_id`)} THEN 'moderated'
  WHEN NOT ${isConnected(channelOf(sql`replies.post_id`))} THEN 'channel_disconnected'
  WHEN NOT ${stillAnswers(sql`replies.automation_id`, sql`replies.post_id`)} OR EXISTS (SELECT 1 FROM automations
    WHERE automations.id = replies.automation_id AND automations.active_since > replies.created_at) THEN 'stopped'
  END`;

/** The same for one answer, for a batch. */
export function selectEnd(db: Db, id: ReplyId) {
  return db
    .select({ why: end.as("why") })
    .from(repliesTable)
    .where(eq(repliesTable.id, id));
}

/** True if an answer must not be sent any more. */
export function isOver(id: ReplyId): SQL {
  return sql`EXISTS (SELECT 1 FROM replies WHERE replies.id = ${id} AND ${end} IS NOT NULL)`;
}

export interface Ending {
  readonly outcome: Exclude<ReplyOutcome, "waiting">;
  readonly reason: ReplyReason | null;
  readonly message: string;
}

/** A part that is still waiting was not sent, for the same reason. */
export function endReply(db: Db, id: ReplyId, { outcome, reason, message }: Ending, hasLease: SQL): Statement {
  const parts = endedParts(sql`${reason}`, sql`${message}`);
  return db
    .update(repliesTable)
    .set({ outcome, reason, message, updatedAt: Date.now(), ...parts })
    .where(and(eq(repliesTable.id, id), hasLease));
}

function endedParts(reason: SQL, message: SQL) {
  const ended = (part: SQL) => sql`CASE WHEN ${part} ->> 'state' = 'waiting'
    THEN json_object('state', 'not_sent', 'code', ${reason}, 'message', ${message}) ELSE ${part} END`;
  return { commentPart: ended(sql`comment_part`), messagePart: ended(sql`message_part`) };
}

/** The author was not answered, so another comment of the same author may be. */
export function releaseAuthor(db: Db, { automationId, postId, commentId }: Reply, held: SQL): Statement {
  const author = sql`(SELECT ${platformOf(postId)} || ':' || seen.author_id FROM (${seenComments}) AS seen
    WHERE seen.post_id = ${postId} AND seen.comment_id = ${commentId})`;
  return db
    .delete(repliedAuthorsTable)
    .where(
      and(
        eq(repliedAuthorsTable.automationId, automationId),
        sql`author_id = ${author}`,
        eq(repliedAuthorsTable.postId, postId),
        eq(repliedAuthorsTable.commentId, commentId),
        held,
      ),
    );
}

/** What has ended. */
export type Ended =
  | { readonly of: "automation"; readonly id: AutomationId }
  | { readonly of: "post"; readonly id: PostId }
  | { readonly of: "channel"; readonly id: ChannelId }
  | { readonly of: "comment"; readonly id: PostId; readonly commentId: string };

/** FROM and WHERE of the waiting answers that an end concerns. They are found by their automations. */
function waitingOf(ended: Ended): SQL {
  const targets = sql`FROM automation_targets AS target JOIN replies
    ON replies.automation_id = target.automation_id AND replies.outcome = 'waiting'`;
  switch (ended.of) {
    case "automation":
      return sql`FROM replies WHERE automation_id = ${ended.id} AND outcome = 'waiting'`;
    case "comment":
      return sql`FROM replies WHERE post_id = ${ended.id} AND comment_id = ${ended.commentId} AND outcome = 'waiting'`;
    case "post":
      return sql`${targets} WHERE target.channel_id = ${channelOf(ended.id)}
        AND target.post_id IN (0, ${ended.id}) AND replies.post_id = ${ended.id}`;
    case "channel":
      return sql`${targets} WHERE target.channel_id = ${ended.id} AND target.post_id IN (0, replies.post_id)
        AND ${channelOf(sql`replies.post_id`)} = ${ended.id}`;
  }
}

/**
 * For one batch: cancels at most `most` waiting answers, except those that a delivery works on or has begun
 * to send, because that delivery checks before it acts. `dropped` returns the cancelled ones.
 */
export function cancelWaiting(db: Db, ended: Ended, most: number, now: number) {
  const over = sql`SELECT replies.id ${waitingOf(ended)} AND ${end} IS NOT NULL`;
  const dropped = sql`${over} AND NOT ${isOpenJob(REPLY, sql`replies.id`)} LIMIT ${most}`;
  const authors = sql`SELECT replies.automation_id, ${platformOf(sql`replies.post_id`)} || ':' || seen.author_id, replies.post_id, replies.comment_id
    FROM replies JOIN (${seenComments}) AS seen ON seen.post_id = replies.post_id AND seen.comment_id = replies.comment_id
    WHERE replies.id IN (${dropped}) AND seen.author_id IS NOT NULL`;
  const message = sql`${JSON.stringify(END_REASONS)} ->> (${end})`;
  return {
    jobs: closeJobsBefore(db, { kind: REPLY, subjects: sql`${over} LIMIT ${most}` }, [COMMENT_STEP, MESSAGE_STEP], now),
    authors: db.delete(repliedAuthorsTable).where(sql`(automation_id, author_id, post_id, comment_id) IN (${authors})`),
    dropped: db
      .update(repliesTable)
      .set({ outcome: "skipped", reason: end, message, updatedAt: now, ...endedParts(end, message) })
      .where(sql`${repliesTable.id} IN (${dropped})`)
      .returning({ id: repliesTable.id }),
  };
}
