import { and, eq, type SQL, sql } from "drizzle-orm";
import type { OtherMessages } from "../acting/send-message.ts";
import { MESSAGE_STEP } from "../acting/send-message.ts";
import { seenComments } from "../comments/store.ts";
import { findRequested } from "../conversations/other-messages.ts";
import type { ChannelId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";
import { keyFor } from "../jobs/key-for.ts";
import { hasAttemptedStep, hasUnconfirmedStep } from "../jobs/store.ts";
import { REPLY } from "./jobs.ts";
import type { Reply } from "./reply-store.ts";
import { repliesTable } from "./table.ts";

/**
 * SQL of direct messages that could be confused with each other, from the replies and the journals of their
 * jobs.
 */

/**
 * Whether another automation has sent the comment's author a message, or may have: for platforms that allow
 * one message per comment.
 */
export function isWrittenTo({ id, postId, commentId }: Pick<Reply, "id" | "postId" | "commentId">): SQL {
  const isAttempted = hasAttemptedStep(keyFor(REPLY, sql`other.id`), MESSAGE_STEP);
  return sql`EXISTS (SELECT 1 FROM replies AS other WHERE other.post_id = ${postId} AND other.comment_id = ${commentId}
    AND other.id <> ${id} AND ${isAttempted})`;
}

export async function findWrittenTo(db: Db, reply: Reply): Promise<boolean> {
  const [row] = await db.select({ is: sql<number>`${isWrittenTo(reply)}` }).from(sql`(SELECT 1)`);
  return row?.is === 1;
}

/** How many of an automation's last answers are searched for messages to the same person. */
const LOOKED_BACK = 1_000;

const NONE: OtherMessages = { ids: new Set(), isContested: false };

/**
 * The automation's other messages to the person, and those of requests: the sent ones, and whether an
 * unconfirmed one exists.
 */
export async function findOtherMessages(
  db: Db,
  reply: Reply,
  channelId: ChannelId,
  authorId: string | null,
): Promise<OtherMessages> {
  const id = sql<string | null>`${repliesTable.messagePart} ->> '$.id'`;
  // A message that was proven by the refusal of its repeat has no id.
  const isUnnamed = sql`(${repliesTable.messagePart} ->> '$.state' = 'sent' AND ${id} IS NULL)`;
  const isInDoubt = sql<number>`${isUnnamed} OR ${hasUnconfirmedStep(keyFor(REPLY, repliesTable.id), MESSAGE_STEP)}`;
  const since = sql`(SELECT min(id) FROM (SELECT id FROM replies WHERE automation_id = ${reply.automationId} ORDER BY id DESC LIMIT ${LOOKED_BACK}))`;
  const rows = await db
    .select({ id, isInDoubt })
    .from(repliesTable)
    .innerJoin(
      sql`(${seenComments}) AS seen`,
      sql`seen.post_id = ${repliesTable.postId} AND seen.comment_id = ${repliesTable.commentId}`,
    )
    .where(
      and(
        eq(repliesTable.automationId, reply.automationId),
        sql`${repliesTable.id} >= ${since} AND ${repliesTable.id} <> ${reply.id}`,
        sql`${repliesTable.messagePart} IS NOT NULL AND seen.author_id = ${authorId}`,
      ),
    );
  const requested = authorId === null ? NONE : await findRequested(db, channelId, authorId);
  return {
    ids: new Set([...rows.flatMap(({ id }) => (id === null ? [] : [id])), ...requested.ids]),
    isContested: requested.isContested || rows.some(({ isInDoubt }) => isInDoubt === 1),
  };
}
