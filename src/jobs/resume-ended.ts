import { type SQL, sql } from "drizzle-orm";
import type { Db, Statement } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import { keyFor } from "./key-for.ts";
import type { QueueName } from "./messages.ts";
import { DUE_WHEN_ROOM } from "./resume-waiting.ts";
import { hasUnconfirmedStep } from "./store.ts";
import { jobsTable } from "./table.ts";

/**
 * SQL that gives jobs another period, also after their end. They wait for capacity first (`releaseShares`).
 */

/** The new period of jobs. */
export interface Period {
  readonly now: number;
  readonly deadlineAt: number;
  /** Jobs that ended later keep their end. */
  readonly endedBy: number;
}

const begun = ({ now, deadlineAt }: Period) =>
  ({
    ...DUE_WHEN_ROOM(now),
    state: "open",
    deadlineAt,
    attempts: 0,
    leaseOwner: null,
    leaseUntil: null,
    finishedAt: null,
  }) as const;

const hasEnded = ({ endedBy }: Period) => sql`jobs.state = 'done' AND jobs.finished_at <= ${endedBy}`;

/** `keys`: a query, as in the other functions. */
export function prolongJobs(db: Db, keys: SQL, { deadlineAt }: Period): Statement {
  return db
    .update(jobsTable)
    .set({ deadlineAt: sql`max(deadline_at, ${deadlineAt})` })
    .where(sql`jobs.key IN (${keys}) AND jobs.state = 'open'`);
}

/** The jobs of a kind for the rows of `from` (the sources of a SELECT) that satisfy `when`. */
export interface JobsOf {
  readonly kind: string;
  readonly queue: QueueName;
  readonly projectId: SQL;
  readonly subjectId: SQL;
  readonly from: SQL;
  readonly when: SQL;
}

/** Opens missing jobs, and reopens those that have ended; open jobs stay unchanged. */
export function openOrResumeJobs(db: Db, { from, when, ...job }: JobsOf, period: Period): Statement {
  const opened = { ...begun(period), ...job, key: keyFor(job.kind, job.subjectId), createdAt: period.now };
  return insertWhere(db, jobsTable, opened, { from, when }).onConflictDoUpdate({
    target: jobsTable.key,
    set: begun(period),
    setWhere: hasEnded(period),
  });
}

/** Reopens jobs that ended with an unconfirmed act. */
export function resumeUnconfirmedJobs(db: Db, keys: SQL, period: Period): Statement {
  return db
    .update(jobsTable)
    .set(begun(period))
    .where(sql`jobs.key IN (${keys}) AND ${hasEnded(period)} AND ${hasUnconfirmedStep(sql`jobs.key`)}`);
}

/** One of these jobs that has a lease. */
export function selectLeased(db: Db, keys: SQL) {
  return db
    .select({ key: jobsTable.key })
    .from(jobsTable)
    .where(sql`jobs.key IN (${keys}) AND jobs.state = 'open' AND jobs.lease_until IS NOT NULL`)
    .limit(1);
}
