import { and, eq, isNull, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Db, Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { keyFor } from "./key-for.ts";
import { jobStepsTable, jobsTable } from "./table.ts";

export type Job = typeof jobsTable.$inferSelect;

/** A step as it is stored: its result is JSON text, which whoever asks for it parses. */
export type JobStep = Omit<typeof jobStepsTable.$inferSelect, "result"> & { readonly result: string | null };

/** What a statement gives of the jobs that it has put in flight: `messageAt` null for one that it has not. */
export const sentColumns = { key: jobsTable.key, queue: jobsTable.queue, messageAt: jobsTable.messageAt };

/**
 * True inside statements of the delivery that holds the job; everything a job writes is conditional on it.
 */
export function leasedBy(key: string, owner: string): SQL {
  return sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${key} AND jobs.lease_owner = ${owner})`;
}

/** True while the job of this kind for the subject (a column of the statement) has not ended. */
export function isOpenJob(kind: string, subject: SQLWrapper): SQL {
  return sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${keyFor(kind, subject)} AND jobs.state = 'open')`;
}

/** Whether the job has not ended; false for none. */
export async function isJobOpen(db: Db, key: string): Promise<boolean> {
  const [job] = await db.select({ state: jobsTable.state }).from(jobsTable).where(eq(jobsTable.key, key));
  return job?.state === "open";
}

/** True while the job of this kind for the subject is held back (capacity.ts). */
export function isThrottledJob(kind: string, subject: number | SQLWrapper): SQL {
  return sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${keyFor(kind, subject)} AND jobs.throttled_at IS NOT NULL)`;
}

/** True while a delivery works on the job, as far as its lease says. */
export function isRunning(key: string, now: number): SQL {
  return sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${key} AND jobs.lease_until >= ${now})`;
}

/**
 * Takes the job away from a delivery whose lease has ended: should it only have stalled, it can write nothing
 * any more.
 */
export function takeOverStalled(db: Db, key: string, now: number, condition: SQL): Statement {
  const ended = and(eq(jobsTable.key, key), eq(jobsTable.state, "open"), lt(jobsTable.leaseUntil, now), condition);
  return db.update(jobsTable).set({ leaseOwner: null, leaseUntil: null, messageAt: null }).where(ended);
}

/** A step of the journal that was acted, or begun, whose result nobody knows. */
const UNCONFIRMED = sql`job_steps.state IN ('begun', 'unknown', 'duplicate')`;

export function hasUnconfirmedStep(key: string | SQL, name?: string): SQL {
  const isNamed = name === undefined ? sql`1` : sql`job_steps.name = ${name}`;
  return sql`EXISTS (SELECT 1 FROM job_steps WHERE job_key = ${key} AND ${isNamed} AND ${UNCONFIRMED})`;
}

/** Whether a job has attempted a step, whatever came of it. */
export function hasAttemptedStep(key: SQL, name: string): SQL {
  return sql`EXISTS (SELECT 1 FROM job_steps WHERE job_key = ${key} AND name = ${name} AND state <> 'waiting')`;
}

/** True once an act under a name that begins like this was begun. */
export function hasStep(key: string, prefix: string): SQL {
  return sql`EXISTS (SELECT 1 FROM job_steps WHERE job_key = ${key} AND substr(name, 1, ${prefix.length}) = ${prefix} AND state <> 'waiting')`;
}

/** Ends a job that nobody works on. */
export function closeIdleJob(db: Db, key: string, now: number, condition: SQL): Statement {
  return db
    .update(jobsTable)
    .set({ state: "done", finishedAt: now, messageAt: null, throttledAt: null, waitingFor: null, waitingCode: null })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.state, "open"), isNull(jobsTable.leaseUntil), condition));
}

/**
 * Ends jobs of a kind that no delivery is at, and of which none of these acts was begun. `subjects`: a query
 * of their ids.
 */
export function closeJobsBefore(db: Db, kind: string, subjects: SQL, acts: readonly string[], now: number): Statement {
  const isBegun = sql`EXISTS (SELECT 1 FROM job_steps WHERE job_key = ${jobsTable.key}
    AND ${isAmong(sql`name`, acts)} AND state <> 'waiting')`;
  return db
    .update(jobsTable)
    .set({ state: "done", finishedAt: now, messageAt: null, throttledAt: null, waitingFor: null, waitingCode: null })
    .where(
      sql`${jobsTable.key} IN (SELECT ${keyFor(kind, sql`id`)} FROM (${subjects})) AND ${jobsTable.state} = 'open'
        AND (${jobsTable.leaseUntil} IS NULL OR ${jobsTable.leaseUntil} < ${now}) AND NOT ${isBegun}`,
    );
}

/**
 * Forgets a job that no delivery has begun, with its journal: there is nothing to do any more, or another is
 * opened in its place.
 */
export function removeUnstartedJob(db: Db, key: string, now: number): Statement[] {
  const isIdle = sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${key} AND (jobs.lease_until IS NULL OR jobs.lease_until < ${now}))`;
  return [
    db.delete(jobStepsTable).where(and(eq(jobStepsTable.jobKey, key), isIdle)),
    db.delete(jobsTable).where(and(eq(jobsTable.key, key), isIdle)),
  ];
}

export type EarlyMessage = Pick<Job, "runAt" | "queue">;

/**
 * Why a message could not claim its job: null, unless it came before the job's time and nobody works on that.
 */
export async function findNotYetDue(db: Db, key: string, now: number): Promise<EarlyMessage | null> {
  const [job] = await db
    .select({ runAt: jobsTable.runAt, queue: jobsTable.queue })
    .from(jobsTable)
    .where(
      and(
        eq(jobsTable.key, key),
        eq(jobsTable.state, "open"),
        sql`${jobsTable.runAt} > ${now}`,
        isNull(jobsTable.leaseUntil),
        isNull(jobsTable.throttledAt),
      ),
    );
  return job ?? null;
}

/**
 * Notes when the next message of an idle job should arrive (null: none is on its way), while its time is
 * still the same.
 */
export async function noteMessage(db: Db, key: string, runAt: number, messageAt: number | null): Promise<void> {
  await db
    .update(jobsTable)
    .set({ messageAt })
    .where(
      and(
        eq(jobsTable.key, key),
        eq(jobsTable.state, "open"),
        eq(jobsTable.runAt, runAt),
        isNull(jobsTable.leaseUntil),
      ),
    );
}

/** These messages were not sent after all: the sweep sends them. */
export async function noteUnsent(db: Db, keys: readonly string[]): Promise<void> {
  const listed = isAmong(jobsTable.key, keys);
  await db
    .update(jobsTable)
    .set({ messageAt: null })
    .where(and(listed, eq(jobsTable.state, "open"), isNull(jobsTable.leaseUntil)));
}

/** Records on the row that deliveries of this job died; the sweep sends another message. */
export async function noteFailedDelivery(db: Db, key: string): Promise<void> {
  await db
    .update(jobsTable)
    .set({
      waitingFor: "Its deliveries failed several times on our side.",
      waitingCode: "unexpected",
      messageAt: null,
    })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.state, "open"), isNull(jobsTable.leaseUntil)));
}
