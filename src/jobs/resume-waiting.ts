import { sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import type { JobDeps } from "./handler.ts";
import { releaseShares } from "./sweep.ts";
import type { Share } from "./sweep-store.ts";
import { jobsTable } from "./table.ts";

/**
 * Ends the waits of up to `limit` jobs with this `resume_key`: they are due now, within their project's
 * capacity. Returns how many it resumed. Skips jobs that a delivery is running. Resumed jobs no longer wait,
 * so a repeated call takes the next ones.
 */
export async function resumeWaiting(deps: JobDeps, resumeKey: string, limit: number): Promise<number> {
  const woken = await takeWaiting(deps.db, resumeKey, limit, Date.now());
  await releaseShares(deps, woken);
  return woken.length;
}

/** The jobs wait for capacity first: they may be more than a project may have in flight. */
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
