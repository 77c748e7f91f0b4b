import { and, eq, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Db, Statement } from "../db/client.ts";
import { keyFor } from "./key-for.ts";
import { QUEUES } from "./messages.ts";
import type { NewJob } from "./open-jobs.ts";
import { jobsTable } from "./table.ts";

/** Open jobs that are given another time, or none for a while. */

/**
 * Moves an open job to another queue, and to another time, while `condition` holds. A message for the old
 * time does no harm.
 */
export function rescheduleJob(
  db: Db,
  key: string,
  to: Pick<NewJob, "queue"> & Partial<Pick<NewJob, "runAt" | "deadlineAt" | "messageAt">>,
  condition: SQL,
): Statement {
  return db
    .update(jobsTable)
    .set(to.messageAt === undefined ? to : { ...to, throttledAt: null })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.state, "open"), condition));
}

/**
 * The time of a job that rests: it goes on when somebody gives it a time again, and has no deadline until
 * then. No sweep comes that far.
 */
export const NEVER = Date.UTC(9999, 0, 1);

/** Which jobs are moved where: a query of `id`, the subject, and `at`, the new time. */
export type NewTimes = SQL;

/**
 * Moves open jobs of a kind to other times, by one statement, however many. Their messages are left to the
 * sweep, but for those that are due before it comes: the rows tell.
 */
export function rescheduleJobs(db: Db, kind: string, moves: NewTimes, deadlineMs: number) {
  return db
    .update(jobsTable)
    .set({ runAt: sql`moved.at`, deadlineAt: sql`moved.at + ${deadlineMs}`, messageAt: null, throttledAt: null })
    .from(sql`(${moves}) AS moved`)
    .where(
      sql`${jobsTable.key} = ${keyFor(kind, sql`moved.id`)} AND ${jobsTable.state} = 'open' AND ${jobsTable.runAt} <> moved.at`,
    )
    .returning({ key: jobsTable.key, queue: jobsTable.queue, runAt: jobsTable.runAt });
}

/** What `rescheduleJobs` answers. */
export const RescheduledJobs = z.array(z.object({ key: z.string(), queue: z.enum(QUEUES), runAt: z.number() }));

/**
 * Has open jobs that sleep run sooner, or that are held back or unsent at all: a query of `key` and `at`.
 * They pass those that are held back, so what calls this bounds how many there are. Its rows are for
 * `enqueueJobs`.
 */
export function expediteJobs(db: Db, moves: NewTimes) {
  return db
    .update(jobsTable)
    .set({ runAt: sql`moved.at`, messageAt: sql`moved.at`, throttledAt: null })
    .from(sql`(${moves}) AS moved`)
    .where(
      sql`${jobsTable.key} = moved.key AND ${jobsTable.state} = 'open' AND ${jobsTable.leaseUntil} IS NULL
        AND (${jobsTable.runAt} > moved.at OR ${jobsTable.messageAt} IS NULL)`,
    )
    .returning({ key: jobsTable.key, queue: jobsTable.queue, messageAt: jobsTable.messageAt });
}

/** Has open jobs of a kind rest until they are moved. `subjects`: a query of their ids. */
export function pauseJobs(db: Db, kind: string, subjects: SQL): Statement {
  return db
    .update(jobsTable)
    .set({ runAt: NEVER, deadlineAt: NEVER, messageAt: null, throttledAt: null })
    .where(
      sql`${jobsTable.key} IN (SELECT ${keyFor(kind, sql`id`)} FROM (${subjects})) AND ${jobsTable.state} = 'open'`,
    );
}

/**
 * Gives a job out of this delivery's hands, to be run at `runAt`: in the batch that finds that its time has
 * changed since it was claimed. The delivery can write nothing any more.
 */
export function releaseUnstarted(
  db: Db,
  key: string,
  runAt: SQL<number>,
  deadlineMs: number,
  condition: SQL,
): Statement {
  return db
    .update(jobsTable)
    .set({ runAt, deadlineAt: sql`${runAt} + ${deadlineMs}`, messageAt: null, leaseOwner: null, leaseUntil: null })
    .where(and(eq(jobsTable.key, key), condition));
}
