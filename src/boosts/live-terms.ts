import { type SQL, sql } from "drizzle-orm";
import { DAY } from "../core/time.ts";
import { ofGeneration } from "./campaign-work.ts";
import type { StoredTerms } from "./stored.ts";
import type { Campaign } from "./table.ts";

/** The columns that bound what the platform may spend by terms that it has, or may have (committed.ts). */

/** It has exactly these. */
export function exactly(campaign: Pick<Campaign, "earlierSpendMinor">, terms: StoredTerms, startAt: number) {
  const { budgetMinor, budgetType, days } = ofGeneration(campaign, terms);
  return {
    liveTotalMinor: budgetType === "lifetime" ? budgetMinor : null,
    liveDayMinor: budgetType === "daily" ? budgetMinor : null,
    liveEndAt: startAt + days * DAY,
  };
}

/** It may have these as well. */
export function atMost(bounds: ReturnType<typeof exactly>): Readonly<Record<keyof typeof bounds, SQL>> {
  const larger = (column: string, value: number | null) =>
    sql`CASE WHEN ${value} IS NULL THEN ${sql.raw(column)} ELSE max(coalesce(${sql.raw(column)}, 0), ${value}) END`;
  return {
    liveTotalMinor: larger("live_total_minor", bounds.liveTotalMinor),
    liveDayMinor: larger("live_day_minor", bounds.liveDayMinor),
    liveEndAt: larger("live_end_at", bounds.liveEndAt),
  };
}

/** Nothing of it is on. */
export const NOTHING_LIVE = { liveTotalMinor: null, liveDayMinor: null, liveEndAt: null } as const;
