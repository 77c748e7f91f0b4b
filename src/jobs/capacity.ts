import { type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import { SECOND } from "../core/time.ts";
import type { QueueName } from "./messages.ts";

/**
 * Fairness between projects (docs/decisions/0009): a project has a bounded number of jobs in flight in a
 * queue. What comes beyond that is held back, in order of its time, and each delivery that ends lets the next
 * one go. So nobody waits behind another project's backlog, and a flood costs its own project time only.
 */
export const MAX_IN_FLIGHT = 20;

/** A wait that ends this soon keeps its place; a longer one leaves it to others. */
const KEPT_AHEAD_MS = 5 * SECOND;
/**
 * Jobs of the next minute take their places when their messages are sent: a burst for the next minute is a
 * burst.
 */
const SENT_AHEAD_MS = 90 * SECOND;

/**
 * For a job that is due now: messages that arrive until then are in flight. Those of its project's later
 * waits are not.
 */
export const soon = (now: number) => now + KEPT_AHEAD_MS;

/** The same for a job that is due at `dueAt`, which may be later. */
export const inFlightUntil = (now: number, dueAt: number) => (dueAt > soon(now) ? now + SENT_AHEAD_MS : soon(now));

/** `flyingUntil` for a time that a statement knows; null counts as due. */
export const inFlightUntilSql = (now: number, dueAt: SQL) =>
  sql`CASE WHEN ${dueAt} > ${soon(now)} THEN ${now + SENT_AHEAD_MS} ELSE ${soon(now)} END`;

/**
 * How many jobs of the project have a message that arrives by `until`, or a delivery; counts to the limit
 * only.
 */
export function inFlight(queue: QueueName | SQL, projectId: ProjectId | SQL, until: number | SQL): SQL<number> {
  return sql<number>`(SELECT count(*) FROM (SELECT 1 FROM jobs AS flying WHERE flying.state = 'open'
    AND flying.message_at IS NOT NULL AND flying.queue = ${queue} AND flying.project_id = ${projectId}
    AND flying.message_at <= ${until} LIMIT ${MAX_IN_FLIGHT}))`;
}

/** True while the project may have one more in flight. Reads at most `MAX_IN_FLIGHT` entries of an index. */
export function hasCapacity(queue: QueueName | SQL, projectId: ProjectId | SQL, until: number | SQL): SQL {
  return sql`${inFlight(queue, projectId, until)} < ${MAX_IN_FLIGHT}`;
}
