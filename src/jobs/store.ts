import { and, eq, isNull, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { type Each, insertWhere } from "../db/insert-where.ts";
import { keyFor } from "./key-for.ts";
import type { QueueName } from "./messages.ts";
import { jobStepsTable, jobsTable } from "./table.ts";

export type Job = typeof jobsTable.$inferSelect;

/** A step as stored: its result is JSON text, which the reader parses. */
export type JobStep = Omit<typeof jobStepsTable.$inferSelect, "result"> & { readonly result: string | null };

/**
 * The rows that a statement returns of jobs that it put in flight; `messageAt` is null for a throttled job.
 */
export const sentColumns = { key: jobsTable.key, queue: jobsTable.queue, messageAt: jobsTable.messageAt };

/** A query of `key` and `message_at` of the jobs that are not done, for joins. */
export const openJobs = sql`SELECT key, message_at FROM jobs WHERE state = 'open'`;

/** A condition: the delivery holds the job. Everything that a job writes is conditional on it. */
export function leasedBy(key: string, owner: string): SQL {
  return sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${key} AND jobs.lease_owner = ${owner})`;
}

/** A condition: the job of this kind for the subject (a column of the statement) is not done. */
export function isOpenJob(kind: string, subject: SQLWrapper): SQL {
  return sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${keyFor(kind, subject)} AND jobs.state = 'open')`;
}

/** A condition: the job of this kind for the subject is throttled (capacity.ts). */
export function isThrottledJob(kind: string, subject: number | SQLWrapper): SQL {
  return sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${keyFor(kind, subject)} AND jobs.throttled_at IS NOT NULL)`;
}

/** A condition: the job has a lease that has not expired. */
export function isRunning(key: string | SQL, now: number): SQL {
  return sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${key} AND jobs.lease_until >= ${now})`;
}

/**
 * Takes the job from a delivery whose lease has expired: if that delivery only stalled, it can write nothing
 * any more.
 */
export function takeOverStalled(db: Db, key: string, now: number, condition: SQL): Statement {
  const ended = and(eq(jobsTable.key, key), eq(jobsTable.state, "open"), lt(jobsTable.leaseUntil, now), condition);
  return db.update(jobsTable).set({ leaseOwner: null, leaseUntil: null, messageAt: null }).where(ended);
}

/** A condition: the step is an act that was begun and whose result is not known. */
const UNCONFIRMED = sql`job_steps.state IN ('begun', 'unknown', 'duplicate')`;

/** With `since`: attempted after that time. */
export function hasUnconfirmedStep(key: string | SQL, name?: string, since = 0): SQL {
  const isNamed = name === undefined ? sql`1` : sql`job_steps.name = ${name}`;
  return sql`EXISTS (SELECT 1 FROM job_steps WHERE job_key = ${key} AND ${isNamed} AND ${UNCONFIRMED}
    AND job_steps.attempted_at >= ${since})`;
}

/**
 * A query of the keys of a project's open jobs of a queue in which a direct message is unconfirmed. Reads the
 * unconfirmed ones of all projects, by their index.
 */
export function unconfirmedMessages(projectId: ProjectId, queue: QueueName): SQL {
  return sql`SELECT jobs.key FROM job_steps INDEXED BY job_steps_unconfirmed CROSS JOIN jobs ON jobs.key = job_steps.job_key
    WHERE job_steps.name = 'message' AND ${UNCONFIRMED} AND jobs.queue = ${queue} AND jobs.project_id = ${projectId}
    AND jobs.state = 'open'`;
}

/** A condition: a result in the job's journal contains this text, as JSON has it. */
export function hasResultWith(key: SQL, text: string): SQL {
  return sql`EXISTS (SELECT 1 FROM job_steps WHERE job_key = ${key} AND instr(result, ${JSON.stringify(text)}) > 0)`;
}

/** A condition: the job has attempted a step, whatever the result. */
export function hasAttemptedStep(key: SQL, name: string): SQL {
  return sql`EXISTS (SELECT 1 FROM job_steps WHERE job_key = ${key} AND name = ${name} AND state <> 'waiting')`;
}

/** A condition: an act whose name has this prefix was begun. */
export function hasStep(key: string, prefix: string): SQL {
  return sql`EXISTS (SELECT 1 FROM job_steps WHERE job_key = ${key} AND substr(name, 1, ${prefix.length}) = ${prefix} AND state <> 'waiting')`;
}

/** Results that a job finds in its journal, one for each row. */
export function storeSteps(
  db: Db,
  { now, ...step }: { readonly jobKey: string; readonly name: SQL; readonly result: SQL; readonly now: number },
  each: Each,
): Statement {
  const times = { begunAt: now, attemptedAt: now };
  return insertWhere(db, jobStepsTable, { ...step, ...times, state: "done" }, each).onConflictDoUpdate({
    target: [jobStepsTable.jobKey, jobStepsTable.name],
    set: { result: sql`excluded.result`, ...times },
  });
}

/** Closes a job that no delivery holds. */
export function closeIdleJob(db: Db, key: string, now: number, condition: SQL): Statement {
  return db
    .update(jobsTable)
    .set({ state: "done", finishedAt: now, messageAt: null, throttledAt: null, waitingFor: null, waitingCode: null })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.state, "open"), isNull(jobsTable.leaseUntil), condition));
}

/**
 * Closes jobs of a kind that no delivery holds, and in which none of these acts was begun. `subjects`: a
 * query of their ids.
 */
export function closeJobsBefore(
  db: Db,
  { kind, subjects }: { readonly kind: string; readonly subjects: SQL },
  acts: readonly string[],
  now: number,
): Statement {
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
 * Deletes a job that no delivery holds, with its journal: it has nothing to do any more, or another job
 * replaces it.
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
 * The job of a message that arrived early: idle and not due yet. Null if the message failed to claim the job
 * for another reason.
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

/** Records when the next message of an idle job is due (null: none was sent), if its time is unchanged. */
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

/** Records on the row that a delivery of this job died; the sweep sends another message. */
export async function noteFailedDelivery(db: Db, key: string): Promise<void> {
  await db
    .update(jobsTable)
    .set({
      waitingFor: "The job failed several times on our side.",
      waitingCode: "unexpected",
      messageAt: null,
    })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.state, "open"), isNull(jobsTable.leaseUntil)));
}

/** A query of the jobs of a kind that something blocks, the newest subjects first, with the reason. */
export function blockedJobs(projectId: ProjectId, kind: string, limit: number): SQL {
  return sql`SELECT subject_id, waiting_for, waiting_code, run_at FROM jobs INDEXED BY jobs_blocked WHERE project_id = ${projectId}
    AND kind = ${kind} AND state = 'open' AND waiting_code IS NOT NULL ORDER BY subject_id DESC LIMIT ${limit}`;
}
