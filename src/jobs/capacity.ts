import { type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import { SECOND } from "../core/time.ts";
import type { QueueName } from "./messages.ts";

/**
 * Fairness between projects (docs/decisions/0009): a project has a bounded number of jobs in flight per
 * queue. Further jobs are throttled, in order of their due time; each delivery that completes releases the
 * next one. No project waits behind another project's backlog, and a flood delays only its own project.
 */
export const MAX_IN_FLIGHT = 20;
/** Messages to a project's own server are short, and delay no other project: hundreds of events a second. */
const MAX_HOOKS_IN_FLIGHT = 200;

/** The limit of a queue. */
export function mostInFlight(queue: QueueName): number;
export function mostInFlight(queue: QueueName | SQL): number | SQL;
export function mostInFlight(queue: QueueName | SQL): number | SQL {
  if (typeof queue === "string") return queue === "hooks" ? MAX_HOOKS_IN_FLIGHT : MAX_IN_FLIGHT;
  return sql`CASE ${queue} WHEN 'hooks' THEN ${MAX_HOOKS_IN_FLIGHT} ELSE ${MAX_IN_FLIGHT} END`;
}

/** A job that waits no longer than this keeps its slot; a longer wait releases it to other jobs. */
const KEPT_AHEAD_MS = 5 * SECOND;
/** Jobs due in the next minute take their slots when their messages are sent: they count as one burst. */
const SENT_AHEAD_MS = 90 * SECOND;

/**
 * For a job that is due now: messages that arrive until then are in flight. Messages of the project's later
 * waits are not.
 */
export const soon = (now: number) => now + KEPT_AHEAD_MS;

/** The same for a job that is due at `dueAt`, which may be later. */
export const inFlightUntil = (now: number, dueAt: number) => (dueAt > soon(now) ? now + SENT_AHEAD_MS : soon(now));

/** `inFlightUntil` in SQL, for a time that only the statement knows; null counts as due. */
export const inFlightUntilSql = (now: number, dueAt: SQL) =>
  sql`CASE WHEN ${dueAt} > ${soon(now)} THEN ${now + SENT_AHEAD_MS} ELSE ${soon(now)} END`;

/**
 * The number of the project's jobs with a message that arrives by `until`, or with a delivery. Counts to the
 * limit only.
 */
export function inFlight(
  queue: QueueName | SQL,
  projectId: ProjectId | SQL,
  until: number | SQL,
  most = typeof queue === "string" ? mostInFlight(queue) : MAX_HOOKS_IN_FLIGHT,
): SQL<number> {
  return sql<number>`(SELECT count(*) FROM (SELECT 1 FROM jobs AS flying WHERE flying.state = 'open'
    AND flying.message_at IS NOT NULL AND flying.queue = ${queue} AND flying.project_id = ${projectId}
    AND flying.message_at <= ${until} LIMIT ${most}))`;
}

/** A condition: the project may have one more job in flight. Reads as many index entries as are in flight. */
export function hasCapacity(queue: QueueName | SQL, projectId: ProjectId | SQL, until: number | SQL): SQL {
  return sql`${inFlight(queue, projectId, until)} < ${mostInFlight(queue)}`;
}

/**
 * A condition on a row of `jobs` whose delivery ends with a wait until `runAt`: it takes its turn behind the
 * throttled jobs of its project that are due before. Otherwise jobs that repeat would keep all slots. A job
 * that keeps its slot for a short wait gives it up only if more jobs are in flight than may be.
 */
export function mustQueue(now: number, runAt: number): SQL {
  const jobs = { queue: sql`jobs.queue`, projectId: sql`jobs.project_id` };
  const isEarlier = sql`EXISTS (SELECT 1 FROM jobs AS held WHERE held.state = 'open' AND held.throttled_at IS NOT NULL
    AND held.queue = jobs.queue AND held.project_id = jobs.project_id AND held.run_at <= ${runAt})`;
  if (runAt > soon(now)) return isEarlier;
  const flying = inFlight(jobs.queue, jobs.projectId, soon(now), MAX_HOOKS_IN_FLIGHT + 1);
  return sql`${isEarlier} AND ${flying} > ${mostInFlight(jobs.queue)}`;
}
