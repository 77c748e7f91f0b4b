import { and, gte, lt, type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
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
/** Jobs that one statement takes up. */
const PIECE = 5_000;

interface Work {
  readonly projectId: ProjectId;
  /** Its recurring tasks. */
  readonly tasks: SQL;
}

/** Open jobs of the project, found by the index of each situation. */
function openJobsOf(id: ProjectId): SQL {
  const of = (situation: SQL) => sql`SELECT key FROM jobs WHERE state = 'open' AND project_id = ${id} AND ${situation}`;
  const queues = sql.raw(QUEUES.map((queue) => `'${queue}'`).join(", "));
  return sql.join(
    [
      of(sql`message_at IS NULL AND throttled_at IS NULL`),
      of(sql`message_at IS NOT NULL AND queue IN (${queues})`),
      of(sql`throttled_at IS NOT NULL AND queue IN (${queues})`),
    ],
    sql` UNION `,
  );
}

/**
 * Puts the work off while `condition` holds; jobs that a delivery has at the moment only with `alsoLeased`,
 * which takes them from it: it then changes nothing more, and what it has begun is looked up. Repeatable.
 */
export function putOff(
  db: Db,
  { projectId, tasks }: Work,
  { now, alsoLeased }: { readonly now: number; readonly alsoLeased: boolean },
  condition: SQL,
): Statement[] {
  const isFree = alsoLeased ? sql`1` : sql`(lease_until IS NULL OR lease_until < ${now})`;
  const runAt = sql`${jobsTable.runAt} + ${LATER_MS}`;
  const unsent = { messageAt: null, throttledAt: null, leaseOwner: null, leaseUntil: null };
  const dueAt = sql`${recurringTable.dueAt} + ${LATER_MS}`;
  return [
    db
      .update(jobsTable)
      .set({ runAt, ...unsent })
      .where(and(sql`key IN (${openJobsOf(projectId)})`, lt(jobsTable.runAt, LATER_MS), isFree, condition)),
    db
      .update(recurringTable)
      .set({ dueAt, sentAt: null, turn: sql`${recurringTable.turn} + 1` })
      .where(and(lt(recurringTable.dueAt, LATER_MS), tasks, condition)),
  ];
}

/** How many of its jobs deliveries have at the moment. */
export async function countLeased(db: Db, id: ProjectId, now: number): Promise<number> {
  const [row] = await db.all<{ leased: number }>(
    sql`SELECT count(*) AS leased FROM jobs WHERE key IN (${openJobsOf(id)}) AND lease_until >= ${now}`,
  );
  return row?.leased ?? 0;
}

/** A condition: not all of its jobs are put off. */
export const hasOpenTimes = (id: ProjectId): SQL =>
  sql`EXISTS (SELECT 1 FROM jobs WHERE key IN (${openJobsOf(id)}) AND run_at < ${LATER_MS})`;

/** Gives work its times back, and deadlines the time that it waited; whether all has them. Repeatable. */
export async function takeUp(db: Db, { projectId, tasks }: Work, waitedMs: number): Promise<boolean> {
  const late = sql`SELECT key FROM jobs WHERE state = 'open' AND message_at IS NULL AND throttled_at IS NULL
    AND run_at >= ${LATER_MS} AND project_id = ${projectId} LIMIT ${PIECE}`;
  const { jobs } = await writeTogether(db, {
    jobs: db
      .update(jobsTable)
      .set({ runAt: sql`${jobsTable.runAt} - ${LATER_MS}`, deadlineAt: sql`${jobsTable.deadlineAt} + ${waitedMs}` })
      .where(sql`key IN (${late})`)
      .returning({ key: jobsTable.key }),
    tasks: db
      .update(recurringTable)
      .set({ dueAt: sql`${recurringTable.dueAt} - ${LATER_MS}` })
      .where(and(gte(recurringTable.dueAt, LATER_MS), tasks)),
  });
  return jobs.length < PIECE;
}
