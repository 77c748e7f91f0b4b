import { sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import type { JobDeps } from "./runner.ts";
import { releaseShares } from "./sweep.ts";
import type { Share } from "./sweep-store.ts";
import { jobsTable } from "./table.ts";

/**
 * Ends the waits of jobs that wait for the same news (`resume_key`), at most `limit` of them: they are due now,
 * each in its project's share. Answers how many it took. A job that a delivery works on is left; the waits of
 * those that were woken are over, so that a repeat takes the next ones.
 */
export async function resumeWaiting(deps: JobDeps, resumeKey: string, limit: number): Promise<number> {
  const woken = await takeWaiting(deps.db, resumeKey, limit, Date.now());
  await releaseShares(deps, woken);
  return woken.length;
}

/** They wait for room first: so many at once may be more than a project may have in flight. */
export const DUE_WHEN_ROOM = (now: number) =>
  ({ runAt: now, messageAt: null, throttledAt: now, resumeKey: null }) as const;

async function takeWaiting(db: Db, resumeKey: string, limit: number, now: number): Promise<Share[]> {
  const waiting = sql`SELECT key FROM jobs WHERE state = 'open' AND resume_key = ${resumeKey}
    AND lease_until IS NULL LIMIT ${limit}`;
  return db
    .update(jobsTable)
    .set(DUE_WHEN_ROOM(now))
    .where(sql`${jobsTable.key} IN (${waiting}) AND ${jobsTable.leaseUntil} IS NULL`)
    .returning({ queue: jobsTable.queue, projectId: jobsTable.projectId });
}
