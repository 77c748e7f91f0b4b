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
 * SQL of a channel's queue. A queued post's job is due at its slot, or rests while the queue is paused:
 * whatever changes one changes the other in the same transaction.
 */

/** Slots of posts that left the queue may lie between those of a full one. */
const MAX_RESERVATIONS = 2 * MAX_SLOTS;

/**
 * Who holds the channel's slots after `now`, and who is queued for an earlier one. Nothing of another
 * project's channel.
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
      // The state stands as a literal: only then can SQLite use the partial index `posts_queued`.
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
  // In minutes, for the sum of some thousand instants is more than a number of JavaScript holds.
  const minutes = queued.reduce((sum, { slotAt }) => sum + Math.floor(slotAt / MINUTE), 0);
  return sql`(SELECT count(*) = ${queued.length} AND coalesce(max(id), 0) = ${newest}
    AND coalesce(sum(slot_at / ${MINUTE}), 0) = ${minutes} FROM posts WHERE channel_id = ${channelId} AND state = 'queued')`;
}

/** In what a queue is moved. */
export interface Moving {
  readonly projectId: ProjectId;
  readonly moves: readonly Move[];
  /** For the timelines of the moved posts. */
  readonly because: string;
  readonly now: number;
}

/**
 * Moves queued posts to other slots, and tells each timeline. A post that left the queue meanwhile stays
 * where it is; when that leaves two posts on one slot, the unique index fails the whole batch and the caller
 * plans anew. Three statements, however many posts.
 */
export function movePosts(db: Db, { projectId, moves, because, now }: Moving): Statement[] {
  if (moves.length === 0) return [];
  const list = rowsOf(moves);
  const event = { projectId, type: "post.moved", message: because, at: now } as const;
  return [
    // Through negative numbers first: uniqueness is checked row by row, and neighbours swap places.
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

/** The jobs of the posts that were moved follow them; not those of a paused queue, which rest. */
export function moveJobsOf(db: Db, moves: readonly Move[], deadlineMs: number) {
  const moved = sql`SELECT moved.id, posts.publish_at AS at FROM (${rowsOf(moves)}) AS moved CROSS JOIN posts
    WHERE posts.id = moved.id AND posts.slot_at = moved."to" AND posts.state = 'queued'`;
  return rescheduleJobs(db, PUBLISH, moved, deadlineMs);
}

/** The jobs of a queue that stood still get the times of their posts again. */
export function wakeQueue(db: Db, channelId: ChannelId, deadlineMs: number) {
  return rescheduleJobs(
    db,
    PUBLISH,
    sql`SELECT id, publish_at AS at FROM posts WHERE ${queuedOf(channelId)}`,
    deadlineMs,
  );
}

/** The jobs of everything that is queued rest until the queue goes on. */
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

/** As `isoUtc` writes it; slots have no milliseconds. */
function isoOf(at: SQL): SQL {
  return sql`strftime('%Y-%m-%dT%H:%M:%S.000+00:00', ${at} / 1000, 'unixepoch')`;
}
