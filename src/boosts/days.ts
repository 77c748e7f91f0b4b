import { asc, eq, type SQL, sql } from "drizzle-orm";
import type { CampaignId } from "../core/ids.ts";
import { isoUtc } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { campaignDaysTable } from "./table.ts";

/** The figures of a campaign by day, for batches. */

/** At most a row for each day of the longest campaign, and of the days in which its figures still change. */
export function selectDays(db: Db, id: SQL<CampaignId>) {
  const { day, reach, impressions, spendMinor } = campaignDaysTable;
  return db
    .select({ day, reach, impressions, spendMinor })
    .from(campaignDaysTable)
    .where(eq(campaignDaysTable.campaignId, id))
    .orderBy(asc(day));
}

/**
 * Keeps the figures of the day that the campaign's row has since `at`, in the transaction that has read them.
 * Unchanged figures write nothing.
 */
export function keepDay(db: Db, id: CampaignId, at: number): Statement {
  const row = sql`SELECT id, ${isoUtc(at).slice(0, 10)}, reach, impressions, spend_minor FROM campaigns
    WHERE id = ${id} AND spend_at = ${at}`;
  const { reach, impressions, spendMinor } = campaignDaysTable;
  return db
    .insert(campaignDaysTable)
    .select(row)
    .onConflictDoUpdate({
      target: [campaignDaysTable.campaignId, campaignDaysTable.day],
      set: {
        reach: sql`excluded.reach`,
        impressions: sql`excluded.impressions`,
        spendMinor: sql`excluded.spend_minor`,
      },
      setWhere: sql`(${reach}, ${impressions}, ${spendMinor}) <> (excluded.reach, excluded.impressions, excluded.spend_minor)`,
    });
}
