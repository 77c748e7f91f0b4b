import { and, asc, eq, getTableColumns, gte, lte, type SQL, sql } from "drizzle-orm";
import { INSIGHTS } from "../channels/insights-task.ts";
import { paysForInsights, platformOfChannel } from "../channels/store.ts";
import type { ChannelId, PostId, ProjectId } from "../core/ids.ts";
import { DAY, HOUR } from "../core/time.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import type { Expired } from "../db/expired.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import { keyFor } from "../jobs/key-for.ts";
import { advanceTask } from "../jobs/recurring-store.ts";
import { isNoteAhead, notePlace, readNotes, storeNotes } from "../jobs/sweep-notes.ts";
import { dayOf } from "../platforms/insights.ts";
import { PLATFORM_NAMES, type PlatformName } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import { channelOf, isDeletedPost, liveItems, projectsWithPosts, publishedPost } from "../posts/fragments.ts";
import { firstRead } from "./plan.ts";
import type { StoredDays, StoredNumbers } from "./stored.ts";
import { channelInsightsTable as dayTable, postInsightsTable as postTable } from "./table.ts";

/** SQL of insights. */
export type PostInsights = typeof postTable.$inferSelect;

/**
 * For the batch that marks a post as published: its row, and a run an hour later at the latest. Where reads
 * cost money, only for a channel that had asked for them before.
 */
export function beginInsights(db: Db, postId: PostId, now: number): Statement[] {
  const read = PLATFORM_NAMES.filter((name) => findPlatform(name)?.insights !== undefined);
  const paid = read.filter((name) => findPlatform(name)?.insights?.isPaid === true);
  const isPaid = isOneOf(paid);
  const firstMs = sql`CASE WHEN ${isPaid} THEN ${firstRead(true)} ELSE ${firstRead(false)} END`;
  const values = {
    postId: sql<PostId>`published.id`,
    projectId: sql<ProjectId>`published.project_id`,
    channelId: sql<ChannelId>`published.channel_id`,
    platform: sql`published.channel_type`,
    postType: sql`published.post_type`,
    items: sql`published.platform_posts`,
    publishedAt: sql<number>`published.published_at`,
    observedAt: null,
    dueAt: sql<number>`published.published_at + ${firstMs}`,
    numbers: null,
  };
  const from = sql`(${publishedPost(postId)}) AS published`;
  const isWanted = paysForInsights(sql`published.channel_id`, sql`published.published_at`);
  const when = sql`${isOneOf(read)} AND (NOT ${isPaid} OR ${isWanted})`;
  return [
    insertWhere(db, postTable, values, { from, when }).onConflictDoNothing(),
    advanceTask(db, keyFor(INSIGHTS, channelOf(postId)), now + HOUR),
  ];
}

/** Written out: a list as JSON would be rows to read. */
const isOneOf = (names: readonly PlatformName[]): SQL =>
  sql`published.channel_type IN (${sql.raw(names.map((name) => `'${name}'`).join(", "))})`;

/**
 * The posts of a channel that are due until then, the first due first. Deleted ones are left out. A platform
 * may give a post its public id later, so the ids are those of the post, unless it is in the archive.
 */
export function selectDue(db: Db, channelId: ChannelId, until: number, limit: number) {
  const items = sql<PostInsights["items"]>`coalesce(${liveItems(sql`post_insights.post_id`)}, ${postTable.items})`;
  return db
    .select({ ...getTableColumns(postTable), items: items.mapWith(postTable.items) })
    .from(postTable)
    .where(
      and(
        eq(postTable.channelId, channelId),
        lte(postTable.dueAt, until),
        sql`NOT ${isDeletedPost(sql`post_insights.post_id`)}`,
      ),
    )
    .orderBy(asc(postTable.dueAt))
    .limit(limit);
}

/** When the next post of the channel is due after that; null if none is. */
export function selectNextDue(db: Db, channelId: ChannelId, after: number) {
  return db
    .select({ at: sql<number | null>`min(due_at)` })
    .from(postTable)
    .where(and(eq(postTable.channelId, channelId), sql`due_at > ${after}`));
}

export interface ReadPost {
  readonly postId: PostId;
  readonly items: PostInsights["items"];
  readonly observedAt: number | null;
  readonly dueAt: number | null;
  readonly numbers: StoredNumbers | null;
  readonly days: StoredDays;
}

export function storeRead(db: Db, { postId, ...read }: ReadPost): Statement {
  return db.update(postTable).set(read).where(eq(postTable.postId, postId));
}

export interface ChannelDay {
  readonly projectId: ProjectId;
  readonly channelId: ChannelId;
  readonly day: string;
  readonly numbers: Readonly<Record<string, number>>;
}

/**
 * Adds the numbers of days, beside those that an earlier read has found. Unchanged days are not written, nor
 * those of a channel that was deleted meanwhile.
 */
export function storeDays(db: Db, days: readonly ChannelDay[]): readonly Statement[] {
  const isThere = (id: ChannelId) => sql`${platformOfChannel(sql`${id}`)} IS NOT NULL`;
  return days.map((day) =>
    insertWhere(db, dayTable, day, isThere(day.channelId)).onConflictDoUpdate({
      target: [dayTable.projectId, dayTable.channelId, dayTable.day],
      set: { numbers: sql`json_patch(channel_insights.numbers, excluded.numbers)` },
      setWhere: sql`json_patch(channel_insights.numbers, excluded.numbers) <> channel_insights.numbers`,
    }),
  );
}

export function selectPost(db: Db, projectId: ProjectId, postId: PostId) {
  return db
    .select()
    .from(postTable)
    .where(and(eq(postTable.postId, postId), eq(postTable.projectId, projectId)));
}

export function selectDays(db: Db, projectId: ProjectId, channelId: ChannelId, days: DayNames) {
  return db
    .select({ day: dayTable.day, numbers: dayTable.numbers })
    .from(dayTable)
    .where(
      and(
        eq(dayTable.projectId, projectId),
        eq(dayTable.channelId, channelId),
        gte(dayTable.day, days.from),
        lte(dayTable.day, days.to),
      ),
    )
    .orderBy(asc(dayTable.day));
}

/** Both included. */
export interface DayNames {
  readonly from: string;
  readonly to: string;
}

export interface Period {
  readonly projectId: ProjectId;
  readonly since: number;
  readonly until: number;
  /** Null: all channels. */
  readonly channelId: ChannelId | null;
}

/**
 * By the index of the project, or of the channel, where `+` rules out that of the project:
 * a quiet channel costs nothing of a busy project.
 */
function isIn({ projectId, since, until, channelId }: Period): SQL {
  const scope =
    channelId === null
      ? sql`project_id = ${projectId}`
      : sql`+post_insights.project_id = ${projectId} AND channel_id = ${channelId}`;
  return sql`${scope} AND published_at >= ${since} AND published_at < ${until}`;
}

/** The newest posts of a period, which are compared and added up: larger periods cost no more. */
const MOST_MEASURED = 2_000;
const NEWEST = sql`published_at DESC, post_id DESC`;

/** The measured posts that were published in a period, the newest first. */
export function selectMeasured(db: Db, period: Period) {
  return db
    .select()
    .from(postTable)
    .where(sql`${isIn(period)} AND numbers IS NOT NULL`)
    .orderBy(NEWEST)
    .limit(MOST_MEASURED);
}

/** The posts of a period with the most of a metric first; posts without it are left out. */
function ranking(period: Period, metric: string): { readonly where: SQL; readonly order: SQL } {
  const value = sql`json_extract(numbers, ${`$.metrics.${metric}`})`;
  const newest = sql`SELECT post_id FROM post_insights WHERE ${isIn(period)} ORDER BY ${NEWEST} LIMIT ${MOST_MEASURED}`;
  return {
    where: sql`post_id IN (${newest}) AND ${value} IS NOT NULL`,
    order: sql`${value} DESC, ${NEWEST}`,
  };
}

export function selectTop(db: Db, period: Period, metric: string, limit: number) {
  const { where, order } = ranking(period, metric);
  return db.select().from(postTable).where(where).orderBy(order).limit(limit);
}

/** A query of the ids of `selectTop`. */
export function topIds(period: Period, metric: string, limit: number): SQL {
  const { where, order } = ranking(period, metric);
  return sql`SELECT post_id FROM post_insights WHERE ${where} ORDER BY ${order} LIMIT ${limit}`;
}

export function forgetPostInsights(db: Db, ids: readonly PostId[]): Statement {
  return db.delete(postTable).where(isAmong(postTable.postId, ids));
}

/** Deletes numbers of a channel and its posts, at most `limit` of each. Whether none is left. */
export async function forgetChannelInsights(
  db: Db,
  { projectId, id }: { readonly projectId: ProjectId; readonly id: ChannelId },
  limit: number,
): Promise<boolean> {
  const posts = sql`SELECT post_id FROM post_insights WHERE channel_id = ${id} ORDER BY published_at LIMIT ${limit}`;
  const days = sql`SELECT day FROM channel_insights WHERE project_id = ${projectId} AND channel_id = ${id}
    ORDER BY day LIMIT ${limit}`;
  const deleted = await writeTogether(db, {
    posts: db.delete(postTable).where(sql`post_id IN (${posts})`).returning({ id: postTable.postId }),
    days: db
      .delete(dayTable)
      .where(sql`project_id = ${projectId} AND channel_id = ${id} AND day IN (${days})`)
      .returning({ day: dayTable.day }),
  });
  return deleted.posts.length < limit && deleted.days.length < limit;
}

const KEPT_MS = 730 * DAY;
const FORGET_EVERY_MS = DAY;
const FORGET_NOTE = "insights";

/** The days of channels of more than two years ago, at most `limit`. */
export function expiredInsights(now: number, limit: number): Expired {
  const days = sql`SELECT project_id, channel_id, day FROM channel_insights WHERE day < ${dayOf(now - KEPT_MS)} LIMIT ${limit}`;
  return { table: dayTable, where: sql`(project_id, channel_id, day) IN (${days})` };
}

/** A condition: numbers of posts are to be forgotten again. */
export const isForgettingDue = (now: number): SQL => sql`NOT ${isNoteAhead(FORGET_NOTE, now)}`;

/**
 * Deletes the numbers of posts of more than two years ago, once a day: their index begins with the project.
 * A full `limit` leaves the rest to the next sweep.
 */
export async function forgetOldInsights(db: Db, now: number, limit: number): Promise<void> {
  const old = sql`SELECT post_insights.post_id FROM (${projectsWithPosts}) AS owner CROSS JOIN post_insights
    WHERE post_insights.project_id = owner.project_id AND post_insights.published_at < ${now - KEPT_MS} LIMIT ${limit}`;
  const { meta } = await db.delete(postTable).where(sql`post_id IN (${old})`);
  if (meta.changes >= limit) return;
  const notes = await readNotes(db);
  notePlace(notes, FORGET_NOTE, { at: now + FORGET_EVERY_MS });
  await storeNotes(db, notes);
}
