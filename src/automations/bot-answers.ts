import { type SQL, sql } from "drizzle-orm";
import { COMMENT_STEP } from "../acting/write-comment.ts";
import type { BotAnswers } from "../comments/act-job.ts";
import type { PostId } from "../core/ids.ts";
import { keyFor } from "../jobs/key-for.ts";
import { hasUnconfirmedStep, isRunning } from "../jobs/store.ts";
import { REPLY } from "./jobs.ts";

/** The answers of bots to a comment, for what people do with it. */
const key = keyFor(REPLY, sql`replies.id`);

const hasReply = (postId: PostId, commentId: string, when: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM replies WHERE replies.post_id = ${postId} AND replies.comment_id = ${commentId}
    AND replies.outcome = 'waiting' AND ${when})`;

export const botAnswers: BotAnswers = {
  isSending: (postId, commentId, since) => hasReply(postId, commentId, hasUnconfirmedStep(key, COMMENT_STEP, since)),
  isWorking: (postId, commentId, since) => {
    const isBegun = hasUnconfirmedStep(key, undefined, since);
    return hasReply(postId, commentId, sql`(${isRunning(key, Date.now())} OR ${isBegun})`);
  },
};
