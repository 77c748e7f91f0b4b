import { type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";
import { channelsTable } from "./table.ts";

/**
 * The health of a channel as get-channels filters by it (docs/decisions/0044). Triggers on `grants` mark the
 * channel in the statement that changes a grant. Time alone changes a mark only from `connected` to
 * `expiring`: the minute sweep does that, and a list that filters by health first does it for its project.
 */

/** Of a project, before its list is read. */
const MARKED_AT_ONCE = 1_000;
/** Of all projects, in a sweep: each costs about ten rows. */
const MARKED_IN_A_SWEEP = 5_000;

/** Marks the project's channels that have begun to expire, for a batch. */
export function markExpiring(db: Db, projectId: ProjectId, now: number) {
  const turned = sql`SELECT q.id FROM channels AS q INDEXED BY channels_turning WHERE q.project_id = ${projectId}
    AND ${isTurned(now)} LIMIT ${MARKED_AT_ONCE}`;
  return setExpiring(db, turned);
}

/** Whether so many were marked that there may be more. */
export function isPartlyMarked(marked: readonly unknown[]): boolean {
  return marked.length === MARKED_AT_ONCE;
}

/** The same for every project, the oldest first. */
export async function markAllExpiring(db: Db, now: number): Promise<void> {
  await setExpiring(
    db,
    sql`SELECT q.id FROM channels AS q INDEXED BY channels_turned WHERE ${isTurned(now)}
    ORDER BY q.expiring_at LIMIT ${MARKED_IN_A_SWEEP}`,
  );
}

/** In the words of the partial indexes, else SQLite cannot use them. */
function isTurned(now: number): SQL {
  return sql`q.marked_health = 'connected' AND q.expiring_at IS NOT NULL AND q.disconnected_at IS NULL AND q.expiring_at <= ${now}`;
}

function setExpiring(db: Db, turned: SQL) {
  return db
    .update(channelsTable)
    .set({ markedHealth: "expiring" })
    .where(sql`${channelsTable.id} IN (${turned})`)
    .returning({ id: channelsTable.id });
}
