import { and, eq, getTableColumns, isNotNull, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { FailureCode } from "../core/failures.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { hasCapacity, mustQueue, soon } from "./capacity.ts";
import { selectMarks } from "./set-back.ts";
import { type Job, type JobStep, sentColumns } from "./store.ts";
import { jobStepsTable, jobsTable } from "./table.ts";

/** SQL for a delivery and its job: claims the job, renews its lease, reschedules it or closes it. */

export interface Claim {
  readonly key: string;
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  /** The journal version, in case this is the first delivery. */
  readonly version: number | null;
  /** When the delivered message was due. */
  readonly dueAt: number | null;
}

/** A job that this delivery has claimed, with its journal. */
export interface Claimed {
  readonly job: Job;
  readonly steps: readonly JobStep[];
  /** The notes about a database that was set back, for `setBackFor`. */
  readonly marks: Awaited<ReturnType<typeof selectMarks>>;
}

/**
 * Claims a job that is in flight. Null if it is done, not due, throttled, or leased by another delivery. One
 * D1 call.
 */
export async function claimJob(db: Db, claim: Claim): Promise<Claimed | null> {
  return takeJob(db, claim, lte(jobsTable.runAt, claim.now));
}

/** Claims an overdue job whatever its due time: only one delivery may write its failure. */
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
  const { taken, ...read } = await writeTogether(db, {
    stray,
    taken: take,
    steps: selectSteps(db, key),
    marks: selectMarks(db),
  });
  const [job] = taken;
  return job ? { job, ...read } : null;
}

/** A message arrived that was not recorded as sent: the job counts as in flight all the same. */
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

/** Extends the lease; false if another delivery has claimed the job. */
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
 * Ends the delivery and schedules the next one for `runAt`, or for now if a rerun was requested meanwhile.
 * The job is throttled instead if other throttled jobs of its project are due before (`mustQueue`). Pass its
 * rows to `enqueueJobs`.
 */
export function storeWait(db: Db, key: string, owner: string, pause: Wait) {
  const now = Date.now();
  const { rerunRequestedAt, throttledAt } = jobsTable;
  const { runAt, messageAt } = pause;
  const isQueued = messageAt === null ? sql`false` : mustQueue(now, runAt);
  return db
    .update(jobsTable)
    .set({
      ...pause,
      runAt: sql`coalesce(${rerunRequestedAt}, ${runAt})`,
      messageAt: sql`CASE WHEN ${rerunRequestedAt} IS NOT NULL THEN ${rerunRequestedAt} WHEN ${isQueued} THEN NULL ELSE ${messageAt} END`,
      throttledAt: sql`CASE WHEN ${rerunRequestedAt} IS NULL AND ${isQueued} THEN ${now} ELSE ${throttledAt} END`,
      leaseOwner: null,
      leaseUntil: null,
    })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.leaseOwner, owner)))
    .returning(sentColumns);
}

/**
 * The last statement of a batch that finishes the job: the other statements depend on its lease. A job with a
 * rerun request stays open, and the sweep sends its message.
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
 * Releases the project's next throttled job when a delivery completes in this batch. Pass its rows to
 * `enqueueJobs`. Reads one row if no job is throttled.
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

/** Records the version in which the journal is written from now on. */
export function stampJournal(db: Db, key: string, version: number, held: SQL): Statement {
  return db
    .update(jobsTable)
    .set({ journalVersion: version })
    .where(and(eq(jobsTable.key, key), held));
}

/** Deletes the repeatable steps (those that are not acts) of a journal in another version. */
export function forgetRepeatableSteps(db: Db, key: string, kept: readonly string[], held: SQL): Statement {
  const isKept = isAmong(jobStepsTable.name, kept);
  return db.delete(jobStepsTable).where(and(eq(jobStepsTable.jobKey, key), sql`NOT ${isKept}`, held));
}
