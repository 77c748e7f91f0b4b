import { and, eq, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Db, Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { keyFor } from "./key-for.ts";
import { QUEUES } from "./messages.ts";
import type { NewJob } from "./open-jobs.ts";
import { jobsTable } from "./table.ts";

/** SQL that gives open jobs another time, or pauses them. */

/**
 * Moves an open job to another queue and time, while `condition` holds. A message for the old time does no
 * harm.
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
 * The time of a paused job: it continues when it is rescheduled, and has no deadline until then. No sweep
 * reaches this time.
 */
export const NEVER = Date.UTC(9999, 0, 1);

/** The jobs to move and their new times: a query of `id` (the subject) and `at`. */
export type NewTimes = SQL;

/**
 * Reschedules any number of open jobs of a kind by one statement. The sweep sends their messages, except for
 * jobs due before the next sweep: the rows show those.
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

/** The rows that `rescheduleJobs` returns. */
export const RescheduledJobs = z.array(z.object({ key: z.string(), queue: z.enum(QUEUES), runAt: z.number() }));

/**
 * Runs open jobs sooner, whether they wait, are throttled or have no message: a query of `key` and `at`. They
 * bypass throttled jobs, so the caller bounds their number. Pass its rows to `enqueueJobs`.
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

/** Pauses open jobs of a kind until they are rescheduled. `subjects`: a query of their ids. */
export function pauseJobs(db: Db, kind: string, subjects: SQL): Statement {
  return db
    .update(jobsTable)
    .set({ runAt: NEVER, deadlineAt: NEVER, messageAt: null, throttledAt: null })
    .where(
      sql`${jobsTable.key} IN (SELECT ${keyFor(kind, sql`id`)} FROM (${subjects})) AND ${jobsTable.state} = 'open'`,
    );
}

/**
 * Reschedules the job to `runAt`, in the batch that finds that its due time changed after the claim. This
 * delivery then owns nothing and can write nothing.
 */
export function releaseUnstarted(
  db: Db,
  key: string,
  { runAt, deadlineMs }: { readonly runAt: SQL<number>; readonly deadlineMs: number },
  condition: SQL,
): Statement {
  return db
    .update(jobsTable)
    .set({ runAt, deadlineAt: sql`${runAt} + ${deadlineMs}`, messageAt: null, leaseOwner: null, leaseUntil: null })
    .where(and(eq(jobsTable.key, key), condition));
}

/** Closes open jobs that no delivery has, because their work was done with that of another job. */
export function closeUnclaimed(db: Db, keys: readonly string[], now: number, condition: SQL): Statement {
  const isIdle = sql`${jobsTable.state} = 'open' AND ${jobsTable.leaseUntil} IS NULL AND ${jobsTable.rerunRequestedAt} IS NULL`;
  return db
    .update(jobsTable)
    .set({ state: "done", finishedAt: now, messageAt: null, throttledAt: null, waitingFor: null, waitingCode: null })
    .where(and(isAmong(jobsTable.key, keys), isIdle, condition));
}
