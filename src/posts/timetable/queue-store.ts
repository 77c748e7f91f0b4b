import { type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import { ownChannelId } from "../../channels/store.ts";
import type { ChannelId, ProjectId } from "../../core/ids.ts";
import { MINUTE } from "../../core/time.ts";
import type { Db, Statement } from "../../db/client.ts";
import { pauseJobs, rescheduleJobs } from "../../jobs/reschedule.ts";
import { postEvents } from "../events.ts";
import { PUBLISH } from "../jobs.ts";
import { type PostState, postsTable } from "../table.ts";
import { MAX_SLOTS, type Move, type Reservation } from "./slots.ts";

/**
 * SQL of a channel's queue. A queued post's job is due at its slot, or sleeps while the queue is paused. Any
 * change of one changes the other in the same transaction.
 */

/** In a full queue, slots of posts that left the queue may lie between the others. */
const MAX_RESERVATIONS = 2 * MAX_SLOTS;

/**
 * The reservations of the channel's slots after `now`, and the posts queued for an earlier slot. Empty for a
 * channel of another project.
 */
export function selectReservations(
  db: Db,
  { projectId, channelId }: { readonly projectId: ProjectId; readonly channelId: ChannelId },
  now: number,
) {
  const { id, slotAt, state } = postsTable;
  const own = sql`posts.channel_id = ${ownChannelId(projectId, channelId)}`;
  const reservations = db.select({ id, slotAt, state }).from(postsTable);
  return unionAll(
    reservations.where(sql`${own} AND posts.slot_at > ${now}`),
    db
      .select({ id, slotAt, state })
      .from(postsTable)
      // The state is a literal because SQLite can use the partial index `posts_queued` only then.
      .where(sql`${own} AND posts.state = 'queued' AND posts.slot_at <= ${now}`),
  ).limit(MAX_RESERVATIONS);
}

export function toReservations(
  rows: readonly { id: number; slotAt: number | null; state: PostState }[],
): Reservation[] {
  return rows.flatMap(({ id, slotAt, state }) =>
    slotAt === null ? [] : [{ id, slotAt, isQueued: state === "queued" }],
  );
}

/** True while exactly these posts are in the channel's queue, on these slots. */
export function isQueueStill(channelId: ChannelId, queued: readonly Reservation[]): SQL {
  const newest = Math.max(0, ...queued.map(({ id }) => id));
  // In minutes: the sum of thousands of instants would exceed the safe integers of JavaScript.
  const minutes = queued.reduce((sum, { slotAt }) => sum + Math.floor(slotAt / MINUTE), 0);
  return sql`(SELECT count(*) = ${queued.length} AND coalesce(max(id), 0) = ${newest}
    AND coalesce(sum(slot_at / ${MINUTE}), 0) = ${minutes} FROM posts WHERE channel_id = ${channelId} AND state = 'queued')`;
}

/** What a move of queued posts needs. */
export interface Moving {
  readonly projectId: ProjectId;
  readonly moves: readonly Move[];
  /** The reason, for the timelines of the moved posts. */
  readonly because: string;
  readonly now: number;
}

/**
 * Moves queued posts to other slots and writes an event to each timeline. A post that left the queue
 * meanwhile stays on its slot. If two posts then share a slot, the unique index fails the whole batch and the
 * caller plans again. Three statements, however many posts.
 */
export function movePosts(db: Db, { projectId, moves, because, now }: Moving): Statement[] {
  if (moves.length === 0) return [];
  const list = rowsOf(moves);
  const event = { projectId, type: "post.moved", message: because, at: now } as const;
  return [
    // Negative numbers first: SQLite checks uniqueness row by row, and neighbours swap places.
    db
      .update(postsTable)
      .set({ slotAt: sql`-${postsTable.slotAt}` })
      .from(sql`(${list}) AS moved`)
      .where(sql`posts.id = moved.id AND posts.slot_at = moved."from" AND posts.state = 'queued'`),
    postEvents.insertMany(
      db,
      {
        ...event,
        subjectId: sql`moved.id`,
        detail: sql`json_object('due_at', ${isoOf(sql`moved."to"`)}, 'was_due_at', ${isoOf(sql`moved."from"`)})`,
      },
      sql`(${list}) AS moved CROSS JOIN posts`,
      sql`posts.id = moved.id AND posts.slot_at < 0`,
    ),
    db
      .update(postsTable)
      .set({ slotAt: sql`moved."to"`, publishAt: sql`moved."to"` })
      .from(sql`(${list}) AS moved`)
      .where(sql`posts.id = moved.id AND posts.slot_at < 0`),
  ];
}

/** Reschedules the jobs of moved posts, except in a paused queue, where they sleep. */
export function moveJobsOf(db: Db, moves: readonly Move[], deadlineMs: number) {
  const moved = sql`SELECT moved.id, posts.publish_at AS at FROM (${rowsOf(moves)}) AS moved CROSS JOIN posts
    WHERE posts.id = moved.id AND posts.slot_at = moved."to" AND posts.state = 'queued'`;
  return rescheduleJobs(db, PUBLISH, moved, deadlineMs);
}

/** Schedules the jobs of a resumed queue at the times of their posts. */
export function wakeQueue(db: Db, channelId: ChannelId, deadlineMs: number) {
  return rescheduleJobs(
    db,
    PUBLISH,
    sql`SELECT id, publish_at AS at FROM posts WHERE ${queuedOf(channelId)}`,
    deadlineMs,
  );
}

/** Pauses the jobs of all queued posts until the queue resumes. */
export function restQueue(db: Db, channelId: ChannelId): Statement {
  return pauseJobs(db, PUBLISH, sql`SELECT id FROM posts WHERE ${queuedOf(channelId)}`);
}

function queuedOf(channelId: ChannelId): SQL {
  return sql`posts.channel_id = ${channelId} AND posts.state = 'queued'`;
}

/** The moves as the rows of a query. */
function rowsOf(moves: readonly Move[]): SQL {
  const list = JSON.stringify(moves.map(({ id, from, to }) => [id, from, to]));
  return sql`SELECT value ->> 0 AS id, value ->> 1 AS "from", value ->> 2 AS "to" FROM json_each(${list})`;
}

/** Same format as `isoUtc`; slots have no milliseconds. */
function isoOf(at: SQL): SQL {
  return sql`strftime('%Y-%m-%dT%H:%M:%S.000+00:00', ${at} / 1000, 'unixepoch')`;
}
