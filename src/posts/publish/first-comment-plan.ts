import { type SQL, sql } from "drizzle-orm";
import { healthOf } from "../../channels/health.ts";
import type { ChannelState } from "../../channels/store.ts";
import { said, type Warning } from "../../core/checks.ts";
import type { Db, Statement } from "../../db/client.ts";
import { openJob } from "../../jobs/open-jobs.ts";
import type { PostType } from "../../platforms/names.ts";
import { commentRules } from "../content/content.ts";
import { FIRST_COMMENT, FIRST_COMMENT_LIMIT_MS } from "../jobs.ts";
import { isDeleted } from "../states.ts";
import type { Post } from "../store.ts";

/** Whether a first comment can be published, and the opening of its job (first-comment.ts). */

/**
 * Warnings for a caller that requests a first comment. A comment that only lacks a permission is kept:
 * reconnecting helps.
 */
export function commentWarnings(channel: ChannelState, postType: PostType): readonly Warning[] {
  if (commentRules(channel, postType) === null) {
    const message = `\`first_comment\` is left out: this service cannot comment under a ${postType} on ${channel.platform}.`;
    return [{ field: "first_comment", ...said(message, "no_comments", postType, channel.platform) }];
  }
  const { health, reason } = healthOf(channel, channel.grants, "comments", Date.now());
  if (health !== "reconnect_needed") return [];
  const message = `\`first_comment\` will not be published while the connection does not allow it: ${reason}`;
  return [{ field: "first_comment", ...said(message, "comment_needs_reconnect") }];
}

/**
 * For the batch that publishes the post: at most one statement, whose rows are for `enqueueJobs`. A deleted
 * post gets none.
 */
export function openFirstComment(
  db: Db,
  { id, projectId, firstComment }: Pick<Post, "id" | "projectId" | "firstComment">,
  now: number,
  held: SQL,
): Statement[] {
  if (firstComment === null) return [];
  const times = { runAt: now, deadlineAt: now + FIRST_COMMENT_LIMIT_MS, messageAt: now, now };
  const job = { kind: FIRST_COMMENT, queue: "publish", projectId, subjectId: id, ...times } as const;
  return [openJob(db, job, sql`${held} AND NOT ${isDeleted(id)}`)];
}
