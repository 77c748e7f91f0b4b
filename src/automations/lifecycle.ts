import { sql } from "drizzle-orm";
import type { GoesWithChannel } from "../channels/disconnect.ts";
import { RETURNED } from "../channels/reconnections.ts";
import type { ChannelId, PostId } from "../core/ids.ts";
import { MINUTE } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Deps } from "../deps.ts";
import { keyFor } from "../jobs/key-for.ts";
import type { RecurringHandler } from "../jobs/recurring.ts";
import { scheduleTask, stopTask, stopTasks, WOKEN } from "../jobs/recurring-store.ts";
import { recurringTable } from "../jobs/table.ts";
import type { BeginsWithPost } from "../posts/outcome.ts";
import type { GoesWithPost } from "../posts/remove.ts";
import { COMMENTS, DROP, ENROLL, watchGroup } from "./jobs.ts";
import { namedPosts, watchCovered } from "./watch-store.ts";

/** What posts and channels begin and end for automations: statements for the transactions of those verbs. */

/** A post that goes live is watched where an automation covers it. */
export const watchPublished: BeginsWithPost = (db, { postId, now }) => [watchCovered(db, namedPosts([postId]), now)];

/** A post that is deleted is watched no more, and what waits to be answered under it is dropped. */
export const dropWithPost: GoesWithPost = (db, { postId, now }, when) => {
  const isTargeted = sql`EXISTS (SELECT 1 FROM automation_targets JOIN posts ON posts.channel_id = automation_targets.channel_id
    WHERE posts.id = ${postId} AND automation_targets.post_id IN (0, posts.id))`;
  const dropped = drop(db, { post: postId }, now, sql`${when} AND ${isTargeted}`);
  return { woken: [], rest: [stopTask(db, `${COMMENTS}:${postId}`, when), dropped] };
};

/** The posts of a channel that is disconnected are watched no more, and what waits to be answered there is dropped. */
export const dropWithChannel: GoesWithChannel = (db, { channelId, now }, when) => {
  const isTargeted = sql`EXISTS (SELECT 1 FROM automation_targets WHERE channel_id = ${channelId})`;
  const watched = sql`SELECT key FROM recurring WHERE group_key = ${watchGroup(channelId)} AND ${when}`;
  return [stopTasks(db, watched), drop(db, { channel: channelId }, now, sql`${when} AND ${isTargeted}`)];
};

function drop(db: Db, of: { post: PostId } | { channel: ChannelId }, now: number, when = sql`1`): Statement {
  const [[name, id] = []] = Object.entries(of);
  return scheduleTask(db, { key: `${DROP}:${name}:${id}`, dueAt: now, intervalMs: MINUTE, now }, when);
}

/**
 * The recurring task `returned:<channel id>`: each active automation that covers a channel that was disconnected has its posts watched
 * again.
 */
export const returns: RecurringHandler<Deps> = {
  kind: RETURNED,
  queue: "replies",
  async run({ db }, subject) {
    const now = Date.now();
    const task = {
      key: keyFor(ENROLL, sql`automations.id`),
      kind: ENROLL,
      dueAt: now,
      intervalMs: MINUTE,
      failures: 0,
    };
    const covering = sql`automation_targets JOIN automations ON automations.id = automation_targets.automation_id`;
    const isActive = sql`automation_targets.channel_id = ${Number(subject)} AND automations.state = 'active' AND automations.deleted_at IS NULL`;
    await insertWhere(db, recurringTable, { ...task, createdAt: now }, isActive, covering).onConflictDoUpdate({
      target: recurringTable.key,
      set: { dueAt: now, state: null, ...WOKEN },
    });
    return { kind: "stop" };
  },
};
