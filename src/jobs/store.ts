import { and, asc, eq, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import { type Db, runBatch, type Statement } from "../db/client.ts";
import { type JobKind, jobKey } from "./messages.ts";
import { jobStepsTable, jobsTable } from "./table.ts";

export type Job = typeof jobsTable.$inferSelect;
export type JobStep = typeof jobStepsTable.$inferSelect;

export interface NewJob {
  readonly kind: JobKind;
  readonly projectId: ProjectId;
  readonly subjectId: number | SQL<number>;
  readonly runAt: number;
  readonly deadlineAt: number;
  /** When the creator sends a message itself; null leaves it to the sweep. */
  readonly sentAt: number | null;
  readonly now: number;
}

/** Goes into the batch that creates the subject. */
export function insertJob(db: Db, job: NewJob): Statement {
  const { kind, subjectId } = job;
  return db.insert(jobsTable).values({
    key: typeof subjectId === "number" ? jobKey(kind, subjectId) : sql<string>`${`${kind}:`} || ${subjectId}`,
    kind,
    projectId: job.projectId,
    subjectId,
    state: "open",
    runAt: job.runAt,
    sentAt: job.sentAt,
    deadlineAt: job.deadlineAt,
    createdAt: job.now,
  });
}

/** True inside statements of the delivery that holds the job; everything a job writes is conditional on it. */
export function heldBy(key: string, owner: string): SQL {
  return sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${key} AND jobs.lease_owner = ${owner})`;
}

/** Takes the job for `leaseMs`; null when it is done, not due, or in other hands. */
export async function claimJob(db: Db, key: string, owner: string, now: number, leaseMs: number): Promise<Job | null> {
  const free = or(isNull(jobsTable.leaseUntil), lt(jobsTable.leaseUntil, now));
  const [job] = await db
    .update(jobsTable)
    .set({ leaseOwner: owner, leaseUntil: now + leaseMs })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.state, "open"), lte(jobsTable.runAt, now), free))
    .returning();
  return job ?? null;
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

export interface Pause {
  readonly runAt: number;
  readonly attempts: number;
  readonly waitingFor: string | null;
  readonly sentAt: number | null;
  readonly deadlineAt?: number;
}

/** Ends the delivery, to go on at `runAt`. */
export function pauseJob(db: Db, key: string, owner: string, pause: Pause): Statement {
  return db
    .update(jobsTable)
    .set({ ...pause, leaseOwner: null, leaseUntil: null })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.leaseOwner, owner)));
}

/** The last statement of a batch that finishes the job: the others are conditional on its lease. */
export function closeJob(db: Db, key: string, owner: string, now: number): Statement {
  return db
    .update(jobsTable)
    .set({ state: "done", finishedAt: now, leaseUntil: null, waitingFor: null })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.leaseOwner, owner)));
}

export async function listSteps(db: Db, key: string): Promise<JobStep[]> {
  return db.select().from(jobStepsTable).where(eq(jobStepsTable.jobKey, key));
}

/**
 * Jobs that are due by `until` and that no message is thought to be on its way for: never sent, or sent longer ago than
 * `resendAfterMs` past their time. Leased jobs wait for their lease to end.
 */
export async function listDueJobs(db: Db, now: number, until: number, resendAfterMs: number, limit: number) {
  const unsent = sql`(${jobsTable.sentAt} IS NULL OR max(${jobsTable.sentAt}, ${jobsTable.runAt}) < ${now - resendAfterMs})`;
  const unleased = or(isNull(jobsTable.leaseUntil), lt(jobsTable.leaseUntil, now));
  return db
    .select({ key: jobsTable.key, runAt: jobsTable.runAt })
    .from(jobsTable)
    .where(and(sql`${jobsTable.state} = 'open'`, lte(jobsTable.runAt, until), unleased, unsent))
    .orderBy(asc(jobsTable.runAt))
    .limit(limit);
}

export async function markSent(db: Db, keys: readonly string[], now: number): Promise<void> {
  // One statement however many: a Worker may run a thousand in one invocation.
  const listed = sql`${jobsTable.key} IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;
  await db.update(jobsTable).set({ sentAt: now }).where(listed);
}

/** Open jobs past their deadline that nobody works on. */
export async function listOverdueJobs(db: Db, now: number, limit: number): Promise<Job[]> {
  const unleased = or(isNull(jobsTable.leaseUntil), lt(jobsTable.leaseUntil, now));
  return db
    .select()
    .from(jobsTable)
    .where(and(sql`${jobsTable.state} = 'open'`, lt(jobsTable.deadlineAt, now), unleased))
    .orderBy(asc(jobsTable.deadlineAt))
    .limit(limit);
}

/** Takes an overdue job whatever its time: its end must be written by one delivery only. */
export async function claimOverdueJob(db: Db, key: string, owner: string, now: number, leaseMs: number) {
  const free = or(isNull(jobsTable.leaseUntil), lt(jobsTable.leaseUntil, now));
  const [job] = await db
    .update(jobsTable)
    .set({ leaseOwner: owner, leaseUntil: now + leaseMs })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.state, "open"), lt(jobsTable.deadlineAt, now), free))
    .returning();
  return job ?? null;
}

/** Forgets the journals of jobs that ended before `before`, a chunk at a time. */
export async function forgetFinishedJobs(db: Db, before: number, limit: number): Promise<void> {
  const old = sql`(SELECT key FROM jobs WHERE state = 'done' AND finished_at < ${before} ORDER BY finished_at LIMIT ${limit})`;
  await runBatch(db, [
    db.delete(jobStepsTable).where(sql`${jobStepsTable.jobKey} IN ${old}`),
    db.delete(jobsTable).where(sql`${jobsTable.key} IN ${old}`),
  ]);
}

/** Records on the row that deliveries of this job died. */
export async function noteDeadDelivery(db: Db, key: string): Promise<void> {
  await db
    .update(jobsTable)
    .set({ waitingFor: "Its deliveries failed several times on our side.", sentAt: null })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.state, "open")));
}
