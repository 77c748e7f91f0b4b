import { type SQL, sql } from "drizzle-orm";
import type { TakesUp } from "../channels/reconnections.ts";
import { selectActor, toActor } from "../channels/store.ts";
import type { ChannelId, PostId } from "../core/ids.ts";
import { HOUR, MINUTE, SECOND } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import { recurringTable } from "../jobs/table.ts";
import { selectPostOfJob } from "../posts/store.ts";
import { COMMENTS, WATCH_GROUP, watchGroup } from "./jobs.ts";
import { selectActiveAutomations } from "./store.ts";

/**
 * SQL of watching posts: a watch is a recurring task `comments:<post id>` in the group of its channel. A trigger begins that of a post
 * which goes live (migration 0019); triggers end those of deleted posts and disconnected channels.
 */

/** What looking at a post needs, in one D1 call. */
export async function readWatched(db: Db, postId: PostId) {
  const channelId = sql`(SELECT channel_id FROM posts WHERE posts.id = ${postId})`;
  const [[post], automations, ...actor] = await db.batch([
    selectPostOfJob(db, postId),
    selectActiveAutomations(db, channelId, postId),
    ...selectActor(db, channelId),
  ]);
  return { post: post ?? null, automations, actor: toActor(...actor) };
}

/** So many of a channel's newest posts are looked at at once, the others over an hour. */
const AT_ONCE = 20;

/** Begins to watch posts, or has those that are watched looked at soon. `posts`: a query of `id`, `channel_id` and `place`, from 1. */
export function watchPosts(db: Db, posts: SQL, now: number): Statement {
  const columns = {
    key: sql`${`${COMMENTS}:`} || watched.id`,
    kind: COMMENTS,
    dueAt: sql`${now} + CASE WHEN watched.place <= ${AT_ONCE} THEN 0 ELSE (watched.id * 7919) % ${HOUR} END`,
    intervalMs: MINUTE,
    failures: 0,
    groupKey: sql`${WATCH_GROUP} || watched.channel_id`,
    createdAt: now,
  };
  return insertWhere(db, recurringTable, columns, sql`true`, sql`(${posts}) AS watched`).onConflictDoUpdate({
    target: recurringTable.key,
    set: { dueAt: sql`min(recurring.due_at, excluded.due_at)` },
    // One that has claimed its next look itself keeps it: its message is on the way.
    setWhere: sql`recurring.due_at - recurring.interval_ms <= ${now}`,
  });
}

/** The newest live posts of these channels, at most `most` of each, for `watchPosts`. */
export function newestPosts(channelIds: readonly ChannelId[], most: number): SQL {
  return sql`SELECT posts.id AS id, posts.channel_id AS channel_id, row_number() OVER (PARTITION BY posts.channel_id ORDER BY posts.id DESC) AS place
    FROM json_each(${JSON.stringify(channelIds)}) AS channel JOIN posts ON posts.id IN (SELECT newest.id FROM posts AS newest
      WHERE newest.channel_id = channel.value AND newest.deleted_at IS NULL ORDER BY newest.created_at DESC, newest.tie_id DESC LIMIT ${most})
    WHERE posts.state = 'published'`;
}

/** Posts that were named, for `watchPosts`. */
export function namedPosts(ids: readonly PostId[]): SQL {
  return sql`SELECT id, channel_id, 1 AS place FROM posts WHERE state = 'published' AND id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}

/** The posts behind campaigns, for `watchPosts`. */
export function postsOfCampaigns(ids: readonly number[]): SQL {
  return sql`SELECT DISTINCT posts.id AS id, posts.channel_id AS channel_id, 1 AS place FROM campaigns JOIN posts ON posts.id = campaigns.post_id
    WHERE posts.state = 'published' AND campaigns.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}

/** The posts of one channel that are older than this place, the newest first. */
export interface Place {
  readonly createdAt: number;
  readonly id: number;
}

/** The next older posts of a channel, whatever their state; published ones are watched. */
export async function watchOlder(db: Db, channelId: ChannelId, after: Place, most: number, now: number) {
  const older = sql`SELECT id, channel_id, created_at, state FROM posts WHERE channel_id = ${channelId} AND deleted_at IS NULL
    AND (created_at, tie_id) < (${after.createdAt}, ${after.id}) ORDER BY created_at DESC, tie_id DESC LIMIT ${most}`;
  const live = sql`SELECT id, channel_id, ${AT_ONCE + 1} AS place FROM (${older}) WHERE state = 'published'`;
  const [, rows] = await db.batch([
    watchPosts(db, live, now),
    db
      .select({ createdAt: sql<number>`min(created_at)`, count: sql<number>`count(*)`, id: sql<number>`id` })
      .from(sql`(${older})`),
  ]);
  const [last] = rows;
  return last && last.count === most ? { createdAt: last.createdAt, id: last.id } : null;
}

/** Within this time all posts of a channel that works again are looked at. */
const WAKE_MS = 10 * MINUTE;
const WOKEN = 1_000;

/** The channel works again: its posts are looked at soon. */
export const wokenWatches: TakesUp = {
  name: "watches",
  async takeUp({ db, config }, { channelId }) {
    const soonMs = Math.ceil(WAKE_MS / config.paceFactor);
    return { after: (await wakeWatches(db, channelId, soonMs, Date.now())) < WOKEN ? null : 0 };
  },
};

/** Of those that would be looked at later than in `soonMs`, the next ones; answers how many. */
async function wakeWatches(db: Db, channelId: ChannelId, soonMs: number, now: number): Promise<number> {
  const later = sql`SELECT key FROM recurring WHERE group_key = ${watchGroup(channelId)} AND due_at > ${now + soonMs}
    ORDER BY due_at LIMIT ${WOKEN}`;
  const woken = await db
    .update(recurringTable)
    .set({ dueAt: sql`${now} + abs(random() % ${soonMs})` })
    .where(sql`${recurringTable.key} IN (${later})`)
    .returning({ key: recurringTable.key });
  return woken.length;
}

/** So many of a channel's watches are looked at without waiting for the sweep, each at most so often. */
const HURRIED = 5;
const HURRIED_EACH_MS = 10 * SECOND;

/**
 * Something happened under one of the channel's posts: of its watches the next ones are claimed until `until`, to be looked at now,
 * and the others that are due soon are looked at with the next sweep. The first statement answers the keys of those claimed.
 */
export function hurryWatches(
  db: Db,
  channelId: ChannelId,
  now: number,
  until: number,
): readonly [Statement, Statement] {
  const next = (most: number) =>
    sql`${recurringTable.key} IN (SELECT key FROM recurring WHERE group_key = ${watchGroup(channelId)} ORDER BY due_at LIMIT ${most})`;
  // Since its last look a watch sleeps for its interval; without one, it is on its way to a look already.
  const isRested = sql`interval_ms > 0 AND due_at - interval_ms <= ${now - HURRIED_EACH_MS}`;
  return [
    db
      .update(recurringTable)
      .set({ dueAt: until, intervalMs: 0 })
      .where(sql`${next(HURRIED)} AND ${isRested}`)
      .returning({ key: recurringTable.key }),
    db
      .update(recurringTable)
      // The distance is kept: it tells the last look.
      .set({ dueAt: now, intervalMs: sql`interval_ms - (due_at - ${now})` })
      .where(sql`${next(AT_ONCE)} AND interval_ms > 0 AND due_at > ${now}`),
  ];
}

/** The posts that a platform's ids name, on an account of whatever project, for what the platform tells by itself. */
export function selectPostsNamed(db: Db, platform: string, ids: readonly string[]) {
  return db
    .select({
      postId: sql<PostId>`publications.post_id`,
      accountId: sql<string>`account_id`,
      platformId: sql<string>`platform_id`,
    })
    .from(sql`publications`)
    .where(sql`platform = ${platform} AND platform_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
}
