import { type SQL, sql } from "drizzle-orm";
import { channelLabel } from "../../channels/reference.ts";
import { isQueuePaused } from "../../channels/timetable.ts";
import type { ChannelId, ProjectId } from "../../core/ids.ts";
import { DAY } from "../../core/time.ts";
import type { Db } from "../../db/client.ts";
import { blockedJobs } from "../../jobs/store.ts";
import { PUBLISH } from "../jobs.ts";
import { channelColumn, shownColumns } from "../store.ts";
import { postsTable } from "../table.ts";

/** Posts that need a person, for a batch: bounded by their indexes, however many posts a project has. */

/** Older failures are history. */
export const ATTENTION_MS = 14 * DAY;
/** The newest failures that are checked for a later copy. */
const CHECKED = 50;
/** One more than is shown, so that the page knows whether there are others. */
const MOST = 11;

const columns = {
  ...shownColumns,
  caption: postsTable.caption,
  thread: postsTable.thread,
  updatedAt: postsTable.updatedAt,
  channel: channelColumn,
};

/**
 * The newest failed posts of the last 14 days that were not handled. A failed post is handled once it was
 * deleted, posted again or dismissed, or once a later post of its channel has the same text.
 */
export function selectFailed(db: Db, projectId: ProjectId, now: number) {
  const failed = sql`SELECT id FROM posts INDEXED BY posts_unhandled WHERE project_id = ${projectId} AND state = 'failed'
    AND handled_at IS NULL AND updated_at > ${now - ATTENTION_MS} ORDER BY updated_at DESC LIMIT ${CHECKED}`;
  const newest = sql`SELECT id FROM posts AS later INDEXED BY posts_by_caption WHERE later.channel_id = posts.channel_id
    AND later.caption_hash = posts.caption_hash AND later.deleted_at IS NULL ORDER BY later.created_at DESC, later.rowid DESC LIMIT 1`;
  return db
    .select(columns)
    .from(sql`(${failed}) AS failed`)
    .crossJoin(postsTable)
    .where(sql`${postsTable.id} = failed.id AND coalesce((${newest}), ${postsTable.id}) <= ${postsTable.id}`)
    .orderBy(sql`${postsTable.updatedAt} DESC`)
    .limit(MOST);
}

/** Posts whose publishing waits for something, with the reason and the time of the next attempt. */
export function selectBlocked(db: Db, projectId: ProjectId) {
  return db
    .select({
      ...columns,
      reason: sql<string | null>`job.waiting_for`.as("reason"),
      code: sql<string>`job.waiting_code`.as("code"),
      nextAt: sql<number>`job.run_at`.as("next_at"),
    })
    .from(sql`(${blockedJobs(projectId, PUBLISH, MOST)}) AS job`)
    .crossJoin(postsTable)
    .where(sql`${postsTable.id} = job.subject_id AND ${isOnItsWay}`);
}

const isOnItsWay: SQL = sql`${postsTable.state} IN ('pending', 'scheduled', 'queued')`;

/** The waiting posts that are searched for the next one of each channel. */
const SEARCHED = 200;

/**
 * For each channel, among the next posts of the project: when its next post is due, and how many of its posts
 * a paused queue holds back.
 */
export function selectNextOfChannels(db: Db, projectId: ProjectId) {
  const next = sql`SELECT channel_id, publish_at, state FROM posts INDEXED BY posts_upcoming WHERE project_id = ${projectId}
    AND state IN ('scheduled', 'queued') ORDER BY publish_at, id LIMIT ${SEARCHED}`;
  const id = sql<ChannelId>`next.channel_id`;
  return db
    .select({
      channelId: id,
      channel: channelLabel(id).as("channel"),
      publishAt: sql<number>`min(next.publish_at)`.as("next_at"),
      pausedCount: sql<number>`sum(next.state = 'queued') * ${isQueuePaused(id)}`.as("paused_count"),
    })
    .from(sql`(${next}) AS next`)
    .groupBy(id);
}
