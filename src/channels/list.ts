import { count, desc, type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { PageOf } from "../core/page.ts";
import type { Db } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import type { PlatformName } from "../platforms/names.ts";
import { healthInSql } from "./health-filter.ts";
import { type ChannelState, stateColumns } from "./store.ts";
import { type ChannelHealth, channelsTable } from "./table.ts";

export interface ChannelFilter {
  /** Null: every user's. */
  readonly userRef: string | null;
  readonly platforms: readonly PlatformName[] | null;
  /** That of publishing. */
  readonly health: readonly ChannelHealth[] | null;
  /** From 1. */
  readonly page: number;
  readonly limit: number;
}

/**
 * One page of the project's connected channels, newest first, with its true total: one D1 call. Rows are read for the
 * channels shown only, three each. To count them and to find the newest it reads an entry of an index twice for each channel
 * of the project, or of the user, and once more for each that it finds; a filter by health reads one grant, twice, for each
 * that the other filters leave.
 */
export async function listChannels(
  db: Db,
  projectId: ProjectId,
  filter: ChannelFilter,
  now: number,
): Promise<PageOf<ChannelState>> {
  const { page, limit } = filter;
  const matching = conditionOf(projectId, filter, now);
  const ids = sql`(SELECT id FROM ${LISTED} WHERE ${matching} ORDER BY id DESC LIMIT ${limit} OFFSET ${(page - 1) * limit})`;
  const [items, counts] = await db.batch([
    db
      .select(stateColumns)
      .from(channelsTable)
      .where(sql`${channelsTable.id} IN ${ids}`)
      .orderBy(desc(channelsTable.id)),
    db.select({ total: count() }).from(LISTED).where(matching),
  ]);
  return { items, total: counts[0]?.total ?? 0, page, limit };
}

/** By no other index: to have them in order, SQLite would walk through the channels of every project. */
const LISTED = sql`channels INDEXED BY channels_listed`;

function conditionOf(projectId: ProjectId, { userRef, platforms, health }: ChannelFilter, now: number): SQL {
  const conditions = [
    sql`channels.project_id = ${projectId} AND channels.disconnected_at IS NULL`,
    ...(userRef === null ? [] : [sql`channels.user_ref = ${userRef}`]),
    ...(platforms === null ? [] : [isAmong(sql`channels.platform`, platforms)]),
    ...(health === null ? [] : [isAmong(healthInSql("publish", now), health)]),
  ];
  return sql.join(conditions, sql` AND `);
}
