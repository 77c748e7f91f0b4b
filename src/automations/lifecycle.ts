import { sql } from "drizzle-orm";
import { RETURNED } from "../channels/reconnections.ts";
import { collectsComments } from "../channels/store.ts";
import { COLLECT } from "../comments/collect.ts";
import { type ChannelId, idOf } from "../core/ids.ts";
import { MINUTE } from "../core/time.ts";
import { writeTogether } from "../db/client.ts";
import type { RecurringHandler } from "../jobs/recurring.ts";
import { scheduleTaskOf, stopTask, stopTasks, tasksOfGroup } from "../jobs/recurring-store.ts";
import { channelOf } from "../posts/fragments.ts";
import type { BeginsWithPost } from "../posts/publish/outcome.ts";
import type { Deps } from "../service/deps.ts";
import type { GoesWithChannel, GoesWithPost } from "../service/endings.ts";
import { scheduleCancellation } from "./cancel-replies.ts";
import { BACKFILL_WATCHES, COMMENTS, watchGroup } from "./jobs.ts";
import { namedPosts, watchCovered } from "./watch-store.ts";

/**
 * What posts and channels start and end for automations: statements for the transactions of those use cases.
 */

/** A published post is polled if someone wants its comments. */
export const watchPublished: BeginsWithPost = (db, { postId, now }) => [watchCovered(db, namedPosts([postId]), now)];

/** The polls of a deleted post end, and its waiting answers are cancelled. */
export const cancelWithPost: GoesWithPost = (db, { postId, now }, when) => {
  const isTargeted = sql`EXISTS (SELECT 1 FROM automation_targets
    WHERE channel_id = ${channelOf(postId)} AND post_id IN (0, ${postId}))`;
  const dropped = scheduleCancellation(db, { of: "post", id: postId }, now, sql`${when} AND ${isTargeted}`);
  return { woken: [], rest: [stopTask(db, `${COMMENTS}:${postId}`, when), dropped] };
};

/** The polls of a disconnected channel's posts end, and its waiting answers are cancelled. */
export const cancelWithChannel: GoesWithChannel = (db, { channelId, now }, when) => {
  const isTargeted = sql`EXISTS (SELECT 1 FROM automation_targets WHERE channel_id = ${channelId})`;
  const watched = tasksOfGroup(watchGroup(channelId), when);
  return [
    stopTasks(db, watched),
    scheduleCancellation(db, { of: "channel", id: channelId }, now, sql`${when} AND ${isTargeted}`),
  ];
};

/**
 * The recurring task `returned:<channel id>`: restarts the polls of a reconnected channel, for each active
 * automation that covers it, and for the list of comments.
 */
export const returns: RecurringHandler<Deps> = {
  kind: RETURNED,
  queue: "replies",
  async run({ db }, subject) {
    const now = Date.now();
    const task = { kind: BACKFILL_WATCHES, subject: sql`automations.id`, dueAt: now, intervalMs: MINUTE, now };
    const covering = sql`automation_targets JOIN automations ON automations.id = automation_targets.automation_id`;
    const isActive = sql`automation_targets.channel_id = ${Number(subject)} AND automations.state = 'active' AND automations.deleted_at IS NULL`;
    await writeTogether(db, {
      bots: scheduleTaskOf(db, task, { from: covering, when: isActive }),
      collecting: scheduleTaskOf(
        db,
        { ...task, kind: COLLECT, subject: Number(subject) },
        collectsComments(idOf<ChannelId>(Number(subject))),
      ),
    });
    return { kind: "stop" };
  },
};
