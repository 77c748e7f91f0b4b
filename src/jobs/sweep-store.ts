import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import { type Db, runBatch } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { inFlight, MAX_IN_FLIGHT, SENT_AHEAD_MS } from "./capacity.ts";
import type { QueueName } from "./messages.ts";
import { jobStepsTable, jobsTable } from "./table.ts";

/** SQL of the sweep (sweep.ts): every `take…` marks what it reads conditionally, so no two sweeps take the same. */

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
}

// Each has an index that is there for it alone: the words are those of its condition (table.ts).
const UNSENT = sql`jobs.state = 'open' AND jobs.message_at IS NULL AND jobs.held_at IS NULL`;
const HELD = sql`jobs.state = 'open' AND jobs.held_at IS NOT NULL`;
const IN_FLIGHT = sql`jobs.state = 'open' AND jobs.message_at IS NOT NULL`;

/** Of the jobs due by `until` without a message, the oldest. */
export async function listUnsentJobs(db: Db, until: number, limit: number): Promise<UnsentJob[]> {
  return db
    .select({ key: jobsTable.key, queue: jobsTable.queue, projectId: jobsTable.projectId })
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

/** How many more jobs each share may have in flight, in the order asked. One D1 call. */
export async function findRoom(db: Db, shares: readonly Share[], now: number): Promise<number[]> {
  const list = JSON.stringify(shares);
  const count = inFlight(sql`share.value ->> 'queue'`, sql`share.value ->> 'projectId'`, now + SENT_AHEAD_MS);
  const rows = await db.all<{ flying: number }>(
    sql`SELECT ${count} AS flying FROM json_each(${list}) AS share ORDER BY share.key`,
  );
  return rows.map(({ flying }) => Math.max(0, MAX_IN_FLIGHT - flying));
}

/** Puts these jobs in flight, as far as they are still unsent, or held back when `wasHeld`; and holds the others back. */
export async function sendOrHold(
  db: Db,
  { send, hold }: { readonly send: readonly string[]; readonly hold: readonly string[] },
  wasHeld: boolean,
  now: number,
): Promise<SentJob[]> {
  const listed = (keys: readonly string[]) => isAmong(jobsTable.key, keys);
  const isWaiting = wasHeld ? HELD : UNSENT;
  const sending = db
    .update(jobsTable)
    .set({ messageAt: sql`max(${jobsTable.runAt}, ${now})`, heldAt: null })
    .where(and(listed(send), isWaiting))
    .returning(sentColumns);
  const holding = db
    .update(jobsTable)
    .set({ heldAt: now })
    .where(and(listed(hold), isWaiting));
  const [sent] = await db.batch(hold.length > 0 ? [sending, holding] : [sending]);
  return sent.toSorted((a, b) => a.runAt - b.runAt);
}

/** Shares that have jobs held back. Goes from one to the next through the index, whatever their number of jobs. */
export async function listHeldShares(db: Db, limit: number): Promise<Share[]> {
  return db.all<Share>(
    sql`${sharesOf(HELD)} SELECT at ->> 0 AS queue, at ->> 1 AS projectId FROM shares WHERE at IS NOT NULL LIMIT ${limit}`,
  );
}

/** The longest held jobs of a share. */
export async function listHeldJobs(db: Db, { queue, projectId }: Share, limit: number): Promise<string[]> {
  const rows = await db
    .select({ key: jobsTable.key })
    .from(jobsTable)
    .where(and(HELD, eq(jobsTable.queue, queue), eq(jobsTable.projectId, projectId)))
    .orderBy(asc(jobsTable.runAt))
    .limit(limit);
  return rows.map(({ key }) => key);
}

/**
 * The distinct (queue, project) of the jobs in a situation, by two seeks each in its index, however many jobs: a common
 * table expression `shares(at)` of JSON pairs, whose last row is null.
 */
function sharesOf(situation: SQL): SQL {
  const first = (beyond: SQL) => sql`(SELECT json_array(jobs.queue, jobs.project_id) FROM jobs
    WHERE ${situation} AND ${beyond} ORDER BY jobs.queue, jobs.project_id LIMIT 1)`;
  // The next project of this queue, else the first one of the next queue: compared as a pair, SQLite would walk there.
  const inQueue = first(sql`jobs.queue = shares.at ->> 0 AND jobs.project_id > shares.at ->> 1`);
  const next = sql`coalesce(${inQueue}, ${first(sql`jobs.queue > shares.at ->> 0`)})`;
  return sql`WITH RECURSIVE shares(at) AS (
    SELECT ${first(sql`1`)} UNION ALL SELECT ${next} FROM shares WHERE shares.at IS NOT NULL
  )`;
}

/** Of the jobs in flight, those whose message should have arrived by `now`: never one whose message is still to come. */
function arrived(condition: SQL, now: number): SQL {
  return sql`${sharesOf(IN_FLIGHT)} SELECT jobs.key FROM shares JOIN jobs
    ON jobs.queue = shares.at ->> 0 AND jobs.project_id = shares.at ->> 1
    WHERE ${IN_FLIGHT} AND jobs.message_at <= ${now} AND ${condition}`;
}

/** Jobs whose delivery let its lease end: taken away from it, and marked as sent. */
export async function takeAbandonedJobs(db: Db, now: number, limit: number): Promise<SentJob[]> {
  const ended = sql`jobs.lease_until < ${now}`;
  return db
    .update(jobsTable)
    .set({ leaseOwner: null, leaseUntil: null, messageAt: now })
    .where(and(sql`${jobsTable.key} IN (${arrived(ended, now)} LIMIT ${limit})`, IN_FLIGHT, ended))
    .returning(sentColumns);
}

const isMissed = (before: number): SQL => sql`jobs.lease_until IS NULL AND jobs.message_at < ${before}`;

/** How many messages should have arrived before `before` and have not; counts to `limit` only. */
export async function countMissedJobs(db: Db, before: number, limit: number): Promise<number> {
  const rows = await db.all(sql`${arrived(isMissed(before), before)} LIMIT ${limit}`);
  return rows.length;
}

/** Jobs whose message should have arrived before `before` and has not, the longest missed first: marked as sent anew. */
export async function takeMissedJobs(db: Db, now: number, before: number, limit: number): Promise<SentJob[]> {
  const missed = isMissed(before);
  return db
    .update(jobsTable)
    .set({ messageAt: now })
    .where(
      and(
        sql`${jobsTable.key} IN (${arrived(missed, before)} ORDER BY jobs.message_at LIMIT ${limit})`,
        IN_FLIGHT,
        missed,
      ),
    )
    .returning(sentColumns);
}

/** How far the queue has come: when the latest of the messages behind recently finished jobs was due; null: none lately, as far as is known. */
export async function findQueueProgress(db: Db, since: number): Promise<number | null> {
  const recent = db
    .select({ arrivedAt: jobsTable.arrivedAt })
    .from(jobsTable)
    .where(sql`state = 'done' AND finished_at >= ${since}`)
    .orderBy(sql`finished_at DESC`)
    .limit(100)
    .as("recent");
  const [row] = await db.select({ at: sql<number | null>`max(${recent.arrivedAt})`.as("at") }).from(recent);
  return row?.at ?? null;
}

/** Forgets the journals of jobs that ended before `before`, a chunk at a time; answers how many it was. */
export async function forgetFinishedJobs(db: Db, before: number, limit: number): Promise<number> {
  const keys = await db
    .select({ key: jobsTable.key })
    .from(jobsTable)
    .where(sql`state = 'done' AND finished_at < ${before}`)
    .orderBy(asc(jobsTable.finishedAt))
    .limit(limit);
  if (keys.length === 0) return 0;
  const old = keys.map(({ key }) => key);
  // A job that was taken up again meanwhile keeps its journal.
  const isOver = sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${jobStepsTable.jobKey} AND jobs.state = 'done')`;
  await runBatch(db, [
    db.delete(jobStepsTable).where(and(isAmong(jobStepsTable.jobKey, old), isOver)),
    db.delete(jobsTable).where(and(isAmong(jobsTable.key, old), eq(jobsTable.state, "done"))),
  ]);
  return keys.length;
}
