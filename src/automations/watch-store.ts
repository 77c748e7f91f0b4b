import { type SQL, sql } from "drizzle-orm";
import { SUBSCRIBED, selectSubscription } from "../acting/subscribe-task.ts";
import { postsOfCampaigns } from "../boosts/store.ts";
import type { TakesUp } from "../channels/reconnections.ts";
import { collectsComments, projectOfChannel, selectActor, toActor } from "../channels/store.ts";
import { hasComments } from "../comments/store.ts";
import type { ChannelId, PostId } from "../core/ids.ts";
import { HOUR, MINUTE, SECOND } from "../core/time.ts";
import { type Db, readTogether, type Statement, writeTogether } from "../db/client.ts";
import type { Each } from "../db/insert-where.ts";
import {
  claimTasks,
  expediteTasks,
  isAwaited,
  scheduleGrouped,
  spreadTasks,
  taskKeys,
  tasksOfGroup,
} from "../jobs/recurring-store.ts";
import {
  channelOf,
  livePostsAmong,
  newestLivePosts,
  newestOfChannel,
  olderPosts,
  type PostPosition,
} from "../posts/fragments.ts";
import type { Occupies } from "../posts/rest/is-quiet.ts";
import type { Shelf } from "../posts/rest/read.ts";
import { selectKept, takeBackPosts } from "../posts/rest/take-back.ts";
import { selectPostOfJob, selectPostsOfJobs } from "../posts/store.ts";
import { selectIntake } from "../usage/intake.ts";
import { COMMENTS, WATCH_GROUP, watchGroup } from "./jobs.ts";
import { selectActiveAutomations, selectActiveAutomationsOf } from "./store.ts";
import type { Settings } from "./table.ts";

/**
 * SQL of polls: a poll is a recurring task `comments:<post id>` in the group of its channel. lifecycle.ts has
 * what posts and channels start and end.
 */

/** Everything that a poll of a post needs, in one D1 call. */
export async function readWatched(db: Db, postId: PostId) {
  const channelId = channelOf(postId);
  const { posts, automations, subscriptions, taken, ...actor } = await readTogether(db, {
    taken: selectIntake(db, "comments", projectOfChannel(channelId), Date.now()),
    posts: selectPostOfJob(db, postId),
    automations: selectActiveAutomations(db, channelId, postId),
    subscriptions: selectSubscription(db, channelId),
    ...selectActor(db, channelId),
  });
  const hasWebhooks = subscriptions[0]?.state === SUBSCRIBED;
  const takenToday = taken[0]?.used ?? 0;
  return { post: posts[0] ?? null, automations, actor: toActor(actor), hasWebhooks, takenToday };
}

/** The same for several posts of one channel, in one D1 call. */
export async function readWatchedOf(db: Db, postIds: readonly PostId[]) {
  const channelId = channelOf(sql`${postIds[0] ?? 0}`);
  const { posts, active, targets, subscriptions, taken, ...actor } = await readTogether(db, {
    taken: selectIntake(db, "comments", projectOfChannel(channelId), Date.now()),
    posts: selectPostsOfJobs(db, postIds),
    ...selectActiveAutomationsOf(db, channelId, postIds),
    subscriptions: selectSubscription(db, channelId),
    ...selectActor(db, channelId),
  });
  const hasWebhooks = subscriptions[0]?.state === SUBSCRIBED;
  const ofChannel = { actor: toActor(actor), hasWebhooks, takenToday: taken[0]?.used ?? 0 };
  const watched = posts.map((post): [PostId, Watched] => {
    const own = new Set(
      targets.flatMap((one) => (one.postId === 0 || one.postId === post.id ? [one.automationId] : [])),
    );
    return [post.id, { ...ofChannel, post, automations: active.filter(({ id }) => own.has(id)) }];
  });
  return new Map(watched);
}

export type Watched = Awaited<ReturnType<typeof readWatched>>;

/** This many of a channel's newest posts are polled at once. */
const AT_ONCE = 20;

/** Starts polls of posts, or moves existing polls closer. `posts`: a query of `id` and `channel_id`. */
export function watchPosts(db: Db, posts: SQL, now: number, dueAt = sql`${now}`): Statement {
  return scheduleGrouped(db, watchOf(now, dueAt), { from: sql`(${posts}) AS watched` });
}

/** The same as `watchPosts`, but only for posts whose comments someone wants. */
export function watchCovered(db: Db, posts: SQL, now: number): Statement {
  return scheduleGrouped(db, watchOf(now), covered(posts));
}

/** Restarts ended polls of those posts whose comments someone wants; running polls stay as they are. */
export function restartWatches(db: Db, posts: SQL, now: number): Statement {
  return scheduleGrouped(db, watchOf(now), covered(posts), true);
}

function covered(posts: SQL): Each {
  return { from: sql`(${posts}) AS watched`, when: isWanted(sql`watched.channel_id`, sql`watched.id`) };
}

/** A condition: an active automation covers the post, or the channel collects comments. */
export const isWanted = (channelId: SQL, postId: SQL): SQL =>
  sql`(${collectsComments(channelId)} OR EXISTS (SELECT 1 FROM automation_targets JOIN automations ON automations.id = automation_targets.automation_id
    WHERE automation_targets.channel_id = ${channelId} AND automation_targets.post_id IN (0, ${postId})
    AND automations.state = 'active' AND automations.deleted_at IS NULL))`;

const watchOf = (now: number, dueAt = sql`${now}`) => ({
  kind: COMMENTS,
  subject: sql`watched.id`,
  group: sql`${WATCH_GROUP} || watched.channel_id`,
  dueAt,
  intervalMs: MINUTE,
  now,
});

/** The newest live posts of these channels, at most `AT_ONCE` of each, for `watchPosts`. */
export const newestPosts = (channelIds: readonly ChannelId[]): SQL => newestLivePosts(channelIds, AT_ONCE);

/**
 * The posts that an automation names, directly or by their campaigns, for `watchPosts`; null if it covers
 * whole channels.
 */
export function chosenPosts({ targetType, postIds, campaignIds }: Settings): SQL | null {
  switch (targetType) {
    case "all":
      return null;
    case "posts":
      return namedPosts(postIds ?? []);
    case "campaigns":
      return livePostsAmong(sql`SELECT id FROM (${postsOfCampaigns(campaignIds ?? [])})`);
  }
}

/** These posts, for `watchPosts`. */
export function namedPosts(ids: readonly PostId[]): SQL {
  return livePostsAmong(sql`SELECT value FROM json_each(${JSON.stringify(ids)})`);
}

/**
 * A post that is polled, that an automation names, or that has comments. Also the newest posts of a channel
 * whose comments someone wants, which webhooks poll at once.
 */
export const isWatched: Occupies = (postId, channelId) =>
  sql`((${COMMENTS} || ':' || ${postId}) IN (${taskKeys})
    OR EXISTS (SELECT 1 FROM automation_targets WHERE automation_targets.channel_id = ${channelId} AND automation_targets.post_id = ${postId})
    OR ${hasComments(postId)}
    OR EXISTS (SELECT 1 FROM replies WHERE replies.post_id = ${postId})
    OR ((EXISTS (SELECT 1 FROM automation_targets WHERE automation_targets.channel_id = ${channelId} AND automation_targets.post_id = 0)
      OR ${collectsComments(channelId)}) AND ${postId} IN (${newestOfChannel(channelId, AT_ONCE)})))`;

/**
 * The next older posts of a channel, in any state; published ones are polled, spread over an hour. Posts at
 * rest are taken back first: then the position returned is the one given.
 */
export async function watchOlder(deps: Shelf, channelId: ChannelId, after: PostPosition, most: number) {
  const { db } = deps;
  const older = olderPosts(channelId, after, most);
  const live = sql`SELECT id, channel_id FROM (${older}) WHERE state = 'published'`;
  const now = Date.now();
  const { ends, kept } = await writeTogether(db, {
    kept: selectKept(db, sql`channel_id = ${channelId} AND (created_at, id) < (${after.createdAt}, ${after.id})`, most),
    watched: watchPosts(db, live, now, sql`${now} + (watched.id * 7919) % ${HOUR}`),
    ends: db
      .select({ createdAt: sql<number>`min(created_at)`, count: sql<number>`count(*)`, id: sql<number>`id` })
      .from(sql`(${older})`),
  });
  if (kept.length > 0) {
    await takeBackPosts(deps, kept);
    return after;
  }
  const [last] = ends;
  return last && last.count === most ? { createdAt: last.createdAt, id: last.id } : null;
}

/** After a reconnection all posts of a channel are polled within this time. */
const WAKE_MS = 10 * MINUTE;
const WOKEN_AT_ONCE = 1_000;

/** After a reconnection: polls the channel's posts soon. */
export const claimedWatches: TakesUp = {
  name: "watches",
  async takeUp({ db, config }, { channelId }) {
    const soonMs = Math.ceil(WAKE_MS / config.paceFactor);
    return { after: (await wakeWatches(db, channelId, soonMs, Date.now())) < WOKEN_AT_ONCE ? null : 0 };
  },
};

/** Moves the next polls that are due later than in `soonMs`; returns how many. */
function wakeWatches(db: Db, channelId: ChannelId, soonMs: number, now: number): Promise<number> {
  const later = tasksOfGroup(watchGroup(channelId), sql`due_at > ${now + soonMs}`, WOKEN_AT_ONCE);
  return spreadTasks(db, later, now, soonMs);
}

/** This many of a channel's posts are polled without waiting for the sweep, each at this interval. */
const HURRIED = 5;
const HURRIED_EACH_MS = 10 * SECOND;

/**
 * After a webhook that names no post: claims the polls of the channel that are due next until `until`, to run
 * now. Others that are due soon run with the next sweep. The first statement returns the claims.
 */
export function expediteWatches(
  db: Db,
  channelId: ChannelId,
  now: number,
  until: number,
): readonly [Statement, Statement] {
  const next = (most: number) => tasksOfGroup(watchGroup(channelId), sql`1`, most);
  const isRested = sql`coalesce(ran_at, 0) <= ${now - HURRIED_EACH_MS} AND NOT ${isAwaited(now)}`;
  return [claimTasks(db, next(HURRIED), isRested, { now, until }), expediteTasks(db, next(AT_ONCE), now)];
}
