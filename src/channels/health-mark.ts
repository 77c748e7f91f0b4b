import { type SQL, sql } from "drizzle-orm";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import { DAY } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { PLATFORM_NAMES } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import { channelsTable } from "./table.ts";

/**
 * The stored health of a channel, by which get-channels filters (docs/decisions/0044). Each batch that
 * changes a grant updates its channel's mark. Time alone changes a mark only from `connected` to `expiring`.
 * The minute sweep does that, and so does a list that filters by health, for its project.
 */

/** A grant that cannot be renewed is `expiring` for this long before its end. */
export const ENDING_MS = 7 * DAY;

/**
 * Marks these channels; runs after the batch's statements that change their grants. It is the SQL version of
 * health.ts for the publishing grant. A mark that is already correct is not written.
 */
export function markHealth(db: Db, ids: readonly ChannelId[]): Statement {
  const health = sql`CASE WHEN grants.stopped ->> 'publish' IS NOT NULL THEN 'reconnect_needed'
    WHEN grants.scopes IS NULL OR ${hasScopes()} THEN grants.health ELSE 'reconnect_needed' END`;
  const end = sql`CASE WHEN refresh_due_at IS NULL THEN coalesce(min(expires_at, reconnect_by), expires_at, reconnect_by)
    ELSE max(reconnect_by, coalesce(expires_at, 0)) END`;
  const marks = sql`SELECT own.id, ${health} AS health, ${end} - ${ENDING_MS} + 1 AS at FROM channels AS own
    JOIN grants ON grants.channel_id = own.id AND grants.purpose = 'publish'
    WHERE own.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  return db
    .update(channelsTable)
    .set({ markedHealth: sql`mark.health`, expiringAt: sql`mark.at` })
    .from(sql`(${marks}) AS mark`)
    .where(
      sql`channels.id = mark.id AND (channels.marked_health <> mark.health OR channels.expiring_at IS NOT mark.at)`,
    );
}

/** Whether the grant of `own` has every scope that publishing on its platform needs. */
function hasScopes(): SQL {
  const platforms = PLATFORM_NAMES.map((name) => {
    const scopes = findPlatform(name)?.capabilities.publish?.scopes ?? [];
    const each = scopes.map((scope) => sql`instr(grants.scopes, ${JSON.stringify(scope)}) > 0`);
    return sql`WHEN ${name} THEN ${each.length > 0 ? sql.join(each, sql` AND `) : sql`1`}`;
  });
  return sql`CASE own.platform ${sql.join(platforms, sql` `)} ELSE 1 END`;
}

/** The limit for one project, before its list is read. */
const MARKED_AT_ONCE = 1_000;
/** The limit for all projects in one sweep: each channel costs about ten rows. */
const MARKED_IN_A_SWEEP = 5_000;

/** Marks the project's channels that have begun to expire, for a batch. */
export function markExpiring(db: Db, projectId: ProjectId, now: number) {
  const turned = sql`SELECT q.id FROM channels AS q INDEXED BY channels_turning WHERE q.project_id = ${projectId}
    AND ${isTurned(now)} LIMIT ${MARKED_AT_ONCE}`;
  return setExpiring(db, turned);
}

/** Whether the limit was reached, so that there may be more. */
export function isPartlyMarked(marked: readonly unknown[]): boolean {
  return marked.length === MARKED_AT_ONCE;
}

/** Whether a channel of any project has begun to expire and is not marked. */
export const hasTurned = (now: number): SQL =>
  sql`EXISTS (SELECT 1 FROM channels AS q INDEXED BY channels_turned WHERE ${isTurned(now)})`;

/** The same for all projects, the oldest first. */
export async function markAllExpiring(db: Db, now: number): Promise<void> {
  await setExpiring(
    db,
    sql`SELECT q.id FROM channels AS q INDEXED BY channels_turned WHERE ${isTurned(now)}
    ORDER BY q.expiring_at LIMIT ${MARKED_IN_A_SWEEP}`,
  );
}

/** Worded as the partial indexes are; otherwise SQLite cannot use them. */
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
