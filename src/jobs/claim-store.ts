import { and, eq, getTableColumns, isNotNull, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { FailureCode } from "../core/failures.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { hasCapacity, soon } from "./capacity.ts";
import { type Job, type JobStep, sentColumns } from "./store.ts";
import { jobStepsTable, jobsTable } from "./table.ts";

/**
 * SQL of a delivery and the job that it holds: it claims the job, renews its lease, puts it off or ends it.
 */

export interface Claim {
  readonly key: string;
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  /** Of the journal, should this be the first delivery. */
  readonly version: number | null;
  /** When the message that was delivered was to arrive. */
  readonly dueAt: number | null;
}

/** A job in this delivery's hands, with its journal. */
export interface Claimed {
  readonly job: Job;
  readonly steps: readonly JobStep[];
}

/** Takes a job in flight; null when it is done, not due, held back, or in other hands. One D1 call. */
export async function claimJob(db: Db, claim: Claim): Promise<Claimed | null> {
  return takeJob(db, claim, lte(jobsTable.runAt, claim.now));
}

/** Takes an overdue job whatever its time: its end must be written by one delivery only. */
export async function claimOverdueJob(db: Db, claim: Claim): Promise<Claimed | null> {
  return takeJob(db, claim, lt(jobsTable.deadlineAt, claim.now));
}

async function takeJob(db: Db, claim: Claim, condition: SQL): Promise<Claimed | null> {
  const { key, owner, now, leaseMs, version, dueAt } = claim;
  const free = or(isNull(jobsTable.leaseUntil), lt(jobsTable.leaseUntil, now));
  const take = db
    .update(jobsTable)
    .set({
      leaseOwner: owner,
      leaseUntil: now + leaseMs,
      rerunRequestedAt: null,
      arrivedAt: sql`coalesce(${dueAt}, ${jobsTable.arrivedAt})`,
      journalVersion: sql`coalesce(${jobsTable.journalVersion}, ${version})`,
    })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.state, "open"), isNotNull(jobsTable.messageAt), condition, free))
    .returning();
  const stray = noteUnexpectedMessage(db, key, now);
  const { taken, steps } = await writeTogether(db, { stray, taken: take, steps: selectSteps(db, key) });
  const [job] = taken;
  return job ? { job, steps } : null;
}

/** A message came that nobody knew to be on its way: the job is in flight all the same. */
function noteUnexpectedMessage(db: Db, key: string, now: number) {
  return db
    .update(jobsTable)
    .set({ messageAt: now })
    .where(
      and(
        eq(jobsTable.key, key),
        eq(jobsTable.state, "open"),
        isNull(jobsTable.messageAt),
        isNull(jobsTable.throttledAt),
        lte(jobsTable.runAt, now),
      ),
    );
}

function selectSteps(db: Db, key: string) {
  const result = sql<string | null>`${jobStepsTable.result}`.as("result");
  return db
    .select({ ...getTableColumns(jobStepsTable), result })
    .from(jobStepsTable)
    .where(eq(jobStepsTable.jobKey, key));
}

/** Lengthens the lease; false when another delivery has taken the job. */
export async function renewLease(db: Db, key: string, owner: string, until: number): Promise<boolean> {
  const rows = await db
    .update(jobsTable)
    .set({ leaseUntil: until })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.leaseOwner, owner), eq(jobsTable.state, "open")))
    .returning({ key: jobsTable.key });
  return rows.length > 0;
}

export interface Wait {
  readonly runAt: number;
  readonly deadlineAt: number;
  readonly attempts: number;
  readonly waitingFor: string | null;
  readonly waitingCode: FailureCode | null;
  readonly lastShownWait: string | null;
  readonly messageAt: number | null;
  readonly resumeKey: string | null;
}

/**
 * Ends the delivery, to go on at `runAt`; at once where the job was woken meanwhile. Its rows are for
 * `enqueueJobs`.
 */
export function storeWait(db: Db, key: string, owner: string, pause: Wait) {
  const unlessWoken = (at: number | null) =>
    sql`CASE WHEN ${jobsTable.rerunRequestedAt} IS NULL THEN ${at} ELSE ${jobsTable.rerunRequestedAt} END`;
  const { runAt, messageAt } = pause;
  return db
    .update(jobsTable)
    .set({
      ...pause,
      runAt: unlessWoken(runAt),
      messageAt: unlessWoken(messageAt),
      leaseOwner: null,
      leaseUntil: null,
    })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.leaseOwner, owner)))
    .returning(sentColumns);
}

/**
 * The last statement of a batch that finishes the job: the others are conditional on its lease. One that was
 * woken meanwhile stays open, and the sweep sends its message.
 */
export function closeJob(db: Db, key: string, owner: string, now: number): Statement {
  const isWoken = sql`${jobsTable.rerunRequestedAt} IS NOT NULL`;
  return db
    .update(jobsTable)
    .set({
      state: sql`CASE WHEN ${isWoken} THEN 'open' ELSE 'done' END`,
      finishedAt: sql`CASE WHEN ${isWoken} THEN NULL ELSE ${now} END`,
      runAt: sql`CASE WHEN ${isWoken} THEN ${now} ELSE ${jobsTable.runAt} END`,
      leaseUntil: null,
      messageAt: null,
      waitingFor: null,
      waitingCode: null,
    })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.leaseOwner, owner)));
}

/**
 * Lets the project's next held job go, in the place of one whose delivery ends in this batch. Its rows are
 * for `enqueueJobs`. Reads one row when none is held.
 */
export function releaseNextThrottled(db: Db, { queue, projectId }: Pick<Job, "queue" | "projectId">, now: number) {
  const next = sql`(SELECT held.key FROM jobs AS held WHERE held.state = 'open' AND held.throttled_at IS NOT NULL
    AND held.queue = ${queue} AND held.project_id = ${projectId} ORDER BY held.run_at LIMIT 1)`;
  const isFree = hasCapacity(queue, projectId, soon(now));
  return db
    .update(jobsTable)
    .set({ messageAt: sql`max(${jobsTable.runAt}, ${now})`, throttledAt: null })
    .where(and(sql`${jobsTable.key} = ${next}`, isNotNull(jobsTable.throttledAt), isFree))
    .returning(sentColumns);
}

/** From now on the journal is written in this form. */
export function stampJournal(db: Db, key: string, version: number, held: SQL): Statement {
  return db
    .update(jobsTable)
    .set({ journalVersion: version })
    .where(and(eq(jobsTable.key, key), held));
}

/** Forgets steps that were not acted once, i.e. that may be done again, of a journal in another form. */
export function forgetRepeatableSteps(db: Db, key: string, kept: readonly string[], held: SQL): Statement {
  const isKept = isAmong(jobStepsTable.name, kept);
  return db.delete(jobStepsTable).where(and(eq(jobStepsTable.jobKey, key), sql`NOT ${isKept}`, held));
}
