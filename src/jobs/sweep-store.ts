import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { type Db, runBatch } from "../db/client.ts";
import { jobStepsTable, jobsTable } from "./table.ts";

/** SQL of the sweep (sweep.ts): every `take…` marks what it reads in the same statement, so no two sweeps take the same. */

export interface SentJob {
  readonly key: string;
  readonly runAt: number;
  readonly deadlineAt: number;
}

const sentColumns = { key: jobsTable.key, runAt: jobsTable.runAt, deadlineAt: jobsTable.deadlineAt };

/** Of the jobs due by `until` without a message on its way, the oldest: marked as sent in the same statement. */
export async function takeUnsentJobs(db: Db, now: number, until: number, limit: number): Promise<SentJob[]> {
  const waiting = and(sql`state = 'open' AND message_at IS NULL AND lease_until IS NULL`, sql`run_at <= ${until}`);
  const oldest = sql`(SELECT key FROM jobs WHERE ${waiting} ORDER BY run_at LIMIT ${limit})`;
  const rows = await db
    .update(jobsTable)
    .set({ messageAt: sql`max(${jobsTable.runAt}, ${now})` })
    .where(and(sql`${jobsTable.key} IN ${oldest}`, waiting))
    .returning(sentColumns);
  return rows.toSorted((a, b) => a.runAt - b.runAt);
}

/** Jobs whose delivery let its lease end: taken away from it, and marked as sent. */
export async function takeAbandonedJobs(db: Db, now: number, limit: number): Promise<SentJob[]> {
  const ended = sql`state = 'open' AND lease_until IS NOT NULL AND lease_until < ${now}`;
  const oldest = sql`(SELECT key FROM jobs WHERE ${ended} ORDER BY lease_until LIMIT ${limit})`;
  return db
    .update(jobsTable)
    .set({ leaseOwner: null, leaseUntil: null, messageAt: now })
    .where(and(sql`${jobsTable.key} IN ${oldest}`, ended))
    .returning(sentColumns);
}

const missedBefore = (before: number): SQL => sql`state = 'open' AND message_at IS NOT NULL AND message_at < ${before}`;

/** How many messages should have arrived before `before` and have not; counts to `limit` only. */
export async function countMissedJobs(db: Db, before: number, limit: number): Promise<number> {
  const rows = await db.select({ key: jobsTable.key }).from(jobsTable).where(missedBefore(before)).limit(limit);
  return rows.length;
}

/** Jobs whose message should have arrived before `before` and has not, the longest missed first: marked as sent anew. */
export async function takeMissedJobs(db: Db, now: number, before: number, limit: number): Promise<SentJob[]> {
  const missed = missedBefore(before);
  const oldest = sql`(SELECT key FROM jobs WHERE ${missed} ORDER BY message_at LIMIT ${limit})`;
  return db
    .update(jobsTable)
    .set({ messageAt: now })
    .where(and(sql`${jobsTable.key} IN ${oldest}`, missed))
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
  const old = sql`(SELECT value FROM json_each(${JSON.stringify(keys.map(({ key }) => key))}))`;
  // A job that was taken up again meanwhile keeps its journal.
  const isOver = sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${jobStepsTable.jobKey} AND jobs.state = 'done')`;
  await runBatch(db, [
    db.delete(jobStepsTable).where(and(sql`${jobStepsTable.jobKey} IN ${old}`, isOver)),
    db.delete(jobsTable).where(and(sql`${jobsTable.key} IN ${old}`, eq(jobsTable.state, "done"))),
  ]);
  return keys.length;
}
