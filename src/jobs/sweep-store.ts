import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import { DAY } from "../core/time.ts";
import { type Db, runBatch, writeTogether } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { inFlight, inFlightUntil, inFlightUntilSql, MAX_IN_FLIGHT, mostInFlight } from "./capacity.ts";
import { QUEUES, type QueueName } from "./messages.ts";
import { hasUnconfirmedStep } from "./store.ts";
import { jobStepsTable, jobsTable } from "./table.ts";

/**
 * SQL of the sweep (sweep.ts): every `take…` marks its rows conditionally, so two sweeps never take the same
 * row.
 */

export interface SentJob {
  readonly key: string;
  readonly queue: QueueName;
  readonly runAt: number;
  readonly deadlineAt: number;
}

const sentColumns = {
  key: jobsTable.key,
  queue: jobsTable.queue,
  runAt: jobsTable.runAt,
  deadlineAt: jobsTable.deadlineAt,
};

export interface UnsentJob {
  readonly key: string;
  readonly queue: QueueName;
  readonly projectId: ProjectId;
  readonly runAt: number;
}

// Each condition has its own partial index: the text must match the condition of that index (table.ts).
const UNSENT = sql`jobs.state = 'open' AND jobs.message_at IS NULL AND jobs.throttled_at IS NULL`;
const THROTTLED = sql`jobs.state = 'open' AND jobs.throttled_at IS NOT NULL`;
const IN_FLIGHT = sql`jobs.state = 'open' AND jobs.message_at IS NOT NULL`;

/** Whether jobs are in flight or throttled, or due by `until` without a message. */
export const hasJobsToSweep = (until: number): SQL =>
  sql`EXISTS (SELECT 1 FROM jobs WHERE ${IN_FLIGHT}) OR EXISTS (SELECT 1 FROM jobs WHERE ${THROTTLED})
    OR EXISTS (SELECT 1 FROM jobs WHERE ${UNSENT} AND jobs.run_at <= ${until})`;

/** The oldest jobs due by `until` that have no message. */
export async function listUnsentJobs(db: Db, until: number, limit: number): Promise<UnsentJob[]> {
  return db
    .select({ key: jobsTable.key, queue: jobsTable.queue, projectId: jobsTable.projectId, runAt: jobsTable.runAt })
    .from(jobsTable)
    .where(and(UNSENT, sql`jobs.run_at <= ${until}`))
    .orderBy(asc(jobsTable.runAt))
    .limit(limit);
}

/** A project's share of a queue. */
export interface Share {
  readonly queue: QueueName;
  readonly projectId: ProjectId;
}

/**
 * How many more jobs each share may have in flight for its job due at `runAt`, in the order of the input. One
 * D1 call.
 */
export async function findRoom(
  db: Db,
  shares: readonly (Share & { readonly runAt: number })[],
  now: number,
): Promise<number[]> {
  const list = JSON.stringify(
    shares.map(({ queue, projectId, runAt }) => ({ queue, projectId, until: inFlightUntil(now, runAt) })),
  );
  const count = inFlight(sql`share.value ->> 'queue'`, sql`share.value ->> 'projectId'`, sql`share.value ->> 'until'`);
  const rows = await db.all<{ flying: number }>(
    sql`SELECT ${count} AS flying FROM json_each(${list}) AS share ORDER BY share.key`,
  );
  return shares.map(({ queue }, place) => Math.max(0, mostInFlight(queue) - (rows[place]?.flying ?? 0)));
}

/**
 * Puts these jobs in flight if they are still unsent, up to their share's capacity, and throttles the others.
 */
export async function sendOrThrottle(
  db: Db,
  { send, hold }: { readonly send: readonly string[]; readonly hold: readonly string[] },
  now: number,
): Promise<SentJob[]> {
  const sending = db
    .update(jobsTable)
    .set({ messageAt: sql`max(${jobsTable.runAt}, ${now})` })
    .where(and(isAmong(jobsTable.key, send), UNSENT))
    .returning(sentColumns);
  const holding = db
    .update(jobsTable)
    .set({ throttledAt: now })
    .where(and(isAmong(jobsTable.key, hold), UNSENT));
  const { sent } = await writeTogether(db, { sent: sending, held: hold.length > 0 ? holding : null });
  return sent.toSorted((a, b) => a.runAt - b.runAt);
}

/**
 * The next shares (a project's jobs in a queue) that have throttled jobs, in order after `after`. Each has
 * the number of further jobs that may be in flight.
 */
export async function listThrottledShares(
  db: Db,
  after: Share | null,
  limit: number,
  now: number,
): Promise<ShareWithRoom[]> {
  const first = sql`(SELECT jobs.run_at FROM jobs WHERE ${THROTTLED} AND jobs.queue = at ->> 0 AND jobs.project_id = at ->> 1
    ORDER BY jobs.run_at LIMIT 1)`;
  const flying = inFlight(sql`at ->> 0`, sql`at ->> 1`, inFlightUntilSql(now, first));
  return db.all<ShareWithRoom>(
    sql`${sharesOf(THROTTLED, after, limit)} SELECT at ->> 0 AS queue, at ->> 1 AS projectId, max(0, ${mostInFlight(sql`at ->> 0`)} - ${flying}) AS room
      FROM shares WHERE at IS NOT NULL`,
  );
}

export interface ShareWithRoom extends Share {
  readonly room: number;
}

/** Puts the longest throttled jobs of these shares in flight, up to the capacity of each. One D1 call. */
export async function releaseThrottled(db: Db, shares: readonly ShareWithRoom[], now: number): Promise<SentJob[]> {
  const next = sql`SELECT next.key FROM jobs AS next WHERE next.state = 'open' AND next.throttled_at IS NOT NULL
    AND next.queue = share.value ->> 'queue' AND next.project_id = share.value ->> 'projectId'
    ORDER BY next.run_at LIMIT ${mostInFlight("hooks")}`;
  const ranked = sql`SELECT jobs.key, share.value ->> 'room' AS room,
      row_number() OVER (PARTITION BY share.key ORDER BY jobs.run_at, jobs.key) AS place
    FROM json_each(${JSON.stringify(shares)}) AS share CROSS JOIN jobs ON jobs.key IN (${next})`;
  const sent = await db
    .update(jobsTable)
    .set({ messageAt: sql`max(${jobsTable.runAt}, ${now})`, throttledAt: null })
    .where(and(sql`${jobsTable.key} IN (SELECT key FROM (${ranked}) WHERE place <= room)`, THROTTLED))
    .returning(sentColumns);
  return sent.toSorted((a, b) => a.runAt - b.runAt);
}

/** The next shares with jobs in flight after this one. */
export async function listSharesInFlight(db: Db, after: Share | null, limit: number): Promise<Share[]> {
  return db.all<Share>(
    sql`${sharesOf(IN_FLIGHT, after, limit)} SELECT at ->> 0 AS queue, at ->> 1 AS projectId FROM shares WHERE at IS NOT NULL`,
  );
}

/**
 * The next distinct (queue, project) pairs of the jobs in a situation, by two index seeks each, however many
 * jobs. It is a common table expression `shares(at)` of JSON pairs, whose last row may be null.
 */
function sharesOf(situation: SQL, after: Share | null, limit: number): SQL {
  const first = (beyond: SQL) => sql`(SELECT json_array(jobs.queue, jobs.project_id) FROM jobs
    WHERE ${situation} AND ${beyond} ORDER BY jobs.queue, jobs.project_id LIMIT 1)`;
  // The next project of this queue, else the first project of the next queue. Compared as a pair, SQLite
  // would scan the index.
  const next = (queue: SQL, projectId: SQL) =>
    sql`coalesce(${first(sql`jobs.queue = ${queue} AND jobs.project_id > ${projectId}`)}, ${first(sql`jobs.queue > ${queue}`)})`;
  return sql`WITH RECURSIVE shares(at) AS (
    SELECT ${next(sql`${after?.queue ?? ""}`, sql`${after?.projectId ?? 0}`)}
    UNION ALL SELECT ${next(sql`shares.at ->> 0`, sql`shares.at ->> 1`)} FROM shares WHERE shares.at IS NOT NULL LIMIT ${limit}
  )`;
}

/** A condition: jobs in flight of these shares whose message was due by `now`. */
function arrived(shares: readonly Share[], now: number): SQL {
  return sql`json_each(${JSON.stringify(shares)}) AS share CROSS JOIN jobs
    ON jobs.queue = share.value ->> 'queue' AND jobs.project_id = share.value ->> 'projectId'
    AND ${IN_FLIGHT} AND jobs.message_at <= ${now}`;
}

/** Takes jobs whose delivery let its lease expire: removes the lease, and marks them as sent. */
export async function takeAbandonedJobs(
  db: Db,
  shares: readonly Share[],
  now: number,
  limit: number,
): Promise<SentJob[]> {
  const ended = sql`jobs.lease_until < ${now}`;
  return db
    .update(jobsTable)
    .set({ leaseOwner: null, leaseUntil: null, messageAt: now })
    .where(
      and(
        sql`${jobsTable.key} IN (SELECT jobs.key FROM ${arrived(shares, now)} WHERE ${ended} LIMIT ${limit})`,
        IN_FLIGHT,
        ended,
      ),
    )
    .returning(sentColumns);
}

const isMissed = (before: number): SQL => sql`jobs.lease_until IS NULL AND jobs.message_at < ${before}`;

/**
 * Takes jobs of these shares whose message was due before `before` and has not arrived, the longest missed
 * first: marks them as sent again.
 */
export async function takeMissedJobs(
  db: Db,
  shares: readonly Share[],
  { now, before, limit }: { readonly now: number; readonly before: number; readonly limit: number },
): Promise<SentJob[]> {
  const missed = isMissed(before);
  const longest = sql`SELECT jobs.key FROM ${arrived(shares, before)} WHERE ${missed} ORDER BY jobs.message_at LIMIT ${limit}`;
  return db
    .update(jobsTable)
    .set({ messageAt: now })
    .where(and(sql`${jobsTable.key} IN (${longest})`, IN_FLIGHT, missed))
    .returning(sentColumns);
}

/** The known progress of a queue. */
export interface QueueProgress {
  readonly queue: QueueName;
  /** The number of messages that were due before `before` and have not arrived. */
  readonly missed: number;
  /** The latest due time of the messages known to have arrived; null if nothing is known. */
  readonly arrivedAt: number | null;
  /** The latest time at which a job ended, or an arrived message was due. */
  readonly movedAt: number | null;
}

const LATEST = 100;

/**
 * The progress of the queues of these shares, from the jobs that ended since `since` and the running ones. If
 * messages are missed, it also reads jobs that ran and now wait: campaigns seldom end.
 */
export async function findQueueProgress(
  db: Db,
  shares: readonly Share[],
  { now, before, since }: { readonly now: number; readonly before: number; readonly since: number },
): Promise<QueueProgress[]> {
  const next = sql`SELECT next.key FROM jobs AS next WHERE next.state = 'open' AND next.message_at IS NOT NULL
    AND next.queue = share.value ->> 'queue' AND next.project_id = share.value ->> 'projectId'
    AND next.message_at > ${now} ORDER BY next.message_at LIMIT ${MAX_IN_FLIGHT}`;
  const latest = sql`SELECT jobs.key FROM jobs WHERE jobs.state = 'done' AND jobs.queue = flying.queue
    AND jobs.finished_at >= ${since} ORDER BY jobs.finished_at DESC LIMIT ${LATEST}`;
  const ended = (value: SQL) => sql`(SELECT max(${value}) FROM jobs AS ended WHERE ended.key IN (${latest}))`;
  const later = (one: SQL, other: SQL) => sql`nullif(max(coalesce(${one}, 0), coalesce(${other}, 0)), 0)`;
  return db.all<QueueProgress>(sql`WITH known AS MATERIALIZED (
      SELECT jobs.queue AS queue, ${isMissed(before)} AS missed,
        CASE WHEN jobs.lease_until IS NOT NULL THEN jobs.arrived_at END AS arrived_at FROM ${arrived(shares, now)}
    ), waiting AS (
      SELECT jobs.queue AS queue, 0 AS missed, jobs.arrived_at AS arrived_at
      FROM json_each(${JSON.stringify(shares)}) AS share CROSS JOIN jobs ON jobs.key IN (${next})
      WHERE share.value ->> 'queue' IN (SELECT queue FROM known WHERE missed)
    )
    SELECT queue, missed, ${later(ended(sql`ended.arrived_at`), sql`arrived_at`)} AS arrivedAt,
      ${later(ended(sql`ended.finished_at`), sql`arrived_at`)} AS movedAt
    FROM (SELECT queue, sum(missed) AS missed, max(arrived_at) AS arrived_at
      FROM (SELECT * FROM known UNION ALL SELECT * FROM waiting) GROUP BY queue) AS flying`);
}

/** Whether journals can be forgotten. */
export const hasOldJobs = (now: number): SQL =>
  sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(QUEUES)}) AS queue CROSS JOIN jobs AS old WHERE ${isOld(now)})`;

const JOURNAL_LIFE_MS = DAY;
/**
 * For a job that may have acted without an answer, because a deletion looks the act up; and for replies,
 * because other replies to the same comment read their journals.
 */
const LONG_JOURNAL_LIFE_MS = 7 * DAY;

function isOld(now: number): SQL {
  const [short, long] = [now - JOURNAL_LIFE_MS, now - LONG_JOURNAL_LIFE_MS];
  return sql`old.state = 'done' AND old.queue = queue.value
    AND old.finished_at < CASE queue.value WHEN 'replies' THEN ${long} ELSE ${short} END
    AND (old.finished_at < ${long} OR NOT ${hasUnconfirmedStep(sql`old.key`)})`;
}

/**
 * Deletes the journals of jobs that ended a day ago, some a week ago, at most `limit` per queue; returns the
 * number of them.
 */
export async function forgetFinishedJobs(db: Db, now: number, limit: number): Promise<number> {
  const oldest = sql`SELECT old.key FROM jobs AS old WHERE ${isOld(now)} ORDER BY old.finished_at LIMIT ${limit}`;
  const ended = await db.all<{ key: string }>(
    sql`SELECT jobs.key AS key FROM json_each(${JSON.stringify(QUEUES)}) AS queue CROSS JOIN jobs ON jobs.key IN (${oldest})`,
  );
  if (ended.length === 0) return 0;
  const old = ended.map(({ key }) => key);
  // A job that was reopened meanwhile keeps its journal.
  const isOver = sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${jobStepsTable.jobKey} AND jobs.state = 'done')`;
  await runBatch(db, [
    db.delete(jobStepsTable).where(and(isAmong(jobStepsTable.jobKey, old), isOver)),
    db.delete(jobsTable).where(and(isAmong(jobsTable.key, old), eq(jobsTable.state, "done"))),
  ]);
  return old.length;
}
