import { and, asc, eq, gt, isNull, lt, or, sql } from "drizzle-orm";
import { DAY } from "../core/time.ts";
import type { Db } from "../db/client.ts";
import { enqueueJobs } from "./enqueue.ts";
import type { JobDeps } from "./handler.ts";
import { type Job, sentColumns } from "./store.ts";
import { jobsTable } from "./table.ts";

/**
 * Jobs that fail on our side: their deliveries end in an unexpected error, or their message came to the
 * dead-letter queue. The sweep retries them until their deadline. An operator may retry one now, or drop it.
 */

/**
 * A job without an end has a deadline beyond this, and is never dropped: a campaign would continue to spend,
 * and nothing would end it.
 */
const MOST_AHEAD_MS = 100 * 365 * DAY;

export const isDroppable = ({ deadlineAt }: Pick<Job, "deadlineAt">, now: number): boolean =>
  deadlineAt < now + MOST_AHEAD_MS;

/** By key, after this one (null: from the first on). */
export function listFailingJobs(db: Db, after: string | null, limit: number): Promise<Job[]> {
  return db
    .select()
    .from(jobsTable)
    .where(and(isFailing, after === null ? undefined : gt(jobsTable.key, after)))
    .orderBy(asc(jobsTable.key))
    .limit(limit);
}

/** Literals, because SQLite can use the partial index `jobs_failing` only then. */
const isFailing = sql`${jobsTable.state} = 'open' AND ${jobsTable.waitingCode} = 'unexpected'`;

export async function findFailingJob(db: Db, key: string): Promise<Job | null> {
  const [job] = await db
    .select()
    .from(jobsTable)
    .where(and(isFailing, eq(jobsTable.key, key)));
  return job ?? null;
}

/** Sends the job's message now; false if it does not fail any more, or a delivery has it. */
export function retryFailing(deps: JobDeps, key: string, now: number): Promise<boolean> {
  return sendFailing(deps, key, now, {});
}

/**
 * Moves the job's deadline to now: its next delivery ends it as one that is overdue, with the reason in the
 * timeline of its subject.
 */
export function dropFailing(deps: JobDeps, key: string, now: number): Promise<boolean> {
  return sendFailing(deps, key, now, { deadlineAt: now });
}

async function sendFailing(
  deps: JobDeps,
  key: string,
  now: number,
  change: Partial<Pick<Job, "deadlineAt">>,
): Promise<boolean> {
  const isFree = or(isNull(jobsTable.leaseUntil), lt(jobsTable.leaseUntil, now));
  const isAllowed = change.deadlineAt === undefined ? undefined : lt(jobsTable.deadlineAt, now + MOST_AHEAD_MS);
  const sent = await deps.db
    .update(jobsTable)
    .set({ ...change, runAt: now, messageAt: now, throttledAt: null, leaseOwner: null, leaseUntil: null })
    .where(and(isFailing, eq(jobsTable.key, key), isFree, isAllowed))
    .returning(sentColumns);
  await enqueueJobs(deps, sent);
  return sent.length > 0;
}
