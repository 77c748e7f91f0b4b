import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import { QUEUES } from "./messages.ts";
import { jobsTable, recurringTable } from "./table.ts";

/**
 * The work of a project that moves to another database (projects/moving/) is put off by thousands of years:
 * no sweep sends it and no delivery takes it, in either database, without a look-up of their own. Then it
 * gets its times back. A message that is on its way meanwhile finds nothing to do; the sweep sends another
 * one.
 */

/** Beyond the year 9999, until which jobs of a paused queue wait. */
const LATER_MS = 10 ** 15;

/** Rows of the project in a table of the engine, a piece at a time: no statement goes through all. */
type Own = SQL;

interface HowToPutOff {
  readonly now: number;
  /** Also those that a delivery has at the moment. */
  readonly alsoLeased: boolean;
  readonly condition: SQL;
}

/**
 * Puts these jobs off while `condition` holds; jobs that a delivery has at the moment only with `alsoLeased`,
 * which takes them from it: it then changes nothing more, and what it has begun is looked up. Repeatable.
 */
export function putOffJobs(db: Db, own: Own, { now, alsoLeased, condition }: HowToPutOff): Statement {
  const isFree = alsoLeased ? sql`1` : sql`(lease_until IS NULL OR lease_until < ${now})`;
  const runAt = sql`${jobsTable.runAt} + ${LATER_MS}`;
  const unsent = { messageAt: null, throttledAt: null, leaseOwner: null, leaseUntil: null };
  return db
    .update(jobsTable)
    .set({ runAt, ...unsent })
    .where(and(own, eq(jobsTable.state, "open"), lt(jobsTable.runAt, LATER_MS), isFree, condition));
}

/** The same for recurring tasks. */
export function putOffTasks(db: Db, own: Own, condition: SQL): Statement {
  return db
    .update(recurringTable)
    .set({ dueAt: sql`${recurringTable.dueAt} + ${LATER_MS}`, sentAt: null, turn: sql`${recurringTable.turn} + 1` })
    .where(and(own, lt(recurringTable.dueAt, LATER_MS), condition));
}

/** How many of the project's jobs deliveries have at the moment: these have a message, and so an index. */
export async function countLeased(db: Db, id: ProjectId, now: number): Promise<number> {
  const queues = sql.raw(QUEUES.map((queue) => `'${queue}'`).join(", "));
  const [row] = await db.all<{ leased: number }>(
    sql`SELECT count(*) AS leased FROM jobs WHERE state = 'open' AND message_at IS NOT NULL AND queue IN (${queues})
      AND project_id = ${id} AND lease_until >= ${now}`,
  );
  return row?.leased ?? 0;
}

/** Whether one of these jobs is not put off. */
export async function hasOpenTimes(db: Db, own: Own): Promise<boolean> {
  const found = await db.all(sql`SELECT 1 FROM jobs WHERE ${own} AND state = 'open' AND run_at < ${LATER_MS} LIMIT 1`);
  return found.length > 0;
}

/** Gives these jobs their times back, and deadlines the time that they waited. Repeatable. */
export function takeUpJobs(db: Db, own: Own, waitedMs: number): Statement {
  return db
    .update(jobsTable)
    .set({ runAt: sql`${jobsTable.runAt} - ${LATER_MS}`, deadlineAt: sql`${jobsTable.deadlineAt} + ${waitedMs}` })
    .where(and(own, eq(jobsTable.state, "open"), gte(jobsTable.runAt, LATER_MS)));
}

/** The same for recurring tasks. */
export function takeUpTasks(db: Db, own: Own): Statement {
  return db
    .update(recurringTable)
    .set({ dueAt: sql`${recurringTable.dueAt} - ${LATER_MS}` })
    .where(and(own, gte(recurringTable.dueAt, LATER_MS)));
}
