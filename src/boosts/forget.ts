import { and, asc, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import { type Db, runBatch } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { forgetEventsOf } from "../events/store.ts";
import { campaignDaysTable, campaignsTable } from "./table.ts";

/** Erasing deleted campaigns. */

/** Whether campaigns were deleted before `before`. */
export const hasDeletedCampaigns = (before: number): SQL =>
  sql`EXISTS (SELECT 1 FROM campaigns WHERE ${wasDeleted(before)})`;

const wasDeleted = (before: number) =>
  and(isNotNull(campaignsTable.deletedAt), lt(campaignsTable.deletedAt, before), isNotNull(campaignsTable.endedAt));

/**
 * Erases campaigns, with their timelines, that were deleted before `before` and have ended at the platform;
 * at most `limit` at a time.
 */
export async function forgetDeletedCampaigns(db: Db, before: number, limit: number): Promise<void> {
  const rows = await db
    .select({ id: campaignsTable.id })
    .from(campaignsTable)
    .where(wasDeleted(before))
    .orderBy(asc(campaignsTable.deletedAt))
    .limit(limit);
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await runBatch(db, [
    forgetEventsOf(db, "campaign", ids),
    db.delete(campaignDaysTable).where(isAmong(campaignDaysTable.campaignId, ids)),
    db.delete(campaignsTable).where(isAmong(campaignsTable.id, ids)),
  ]);
}
