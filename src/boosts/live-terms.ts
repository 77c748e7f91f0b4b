import { type SQL, sql } from "drizzle-orm";
import { DAY } from "../core/time.ts";
import { ofGeneration } from "./campaign-work.ts";
import { IS_PEAK_DAY } from "./committed.ts";
import type { StoredTerms } from "./stored.ts";
import type { Campaign } from "./table.ts";

/** The columns that bound the platform's spend by the terms that it has, or may have (committed.ts). */

/** The platform has exactly these terms. */
export function exactly(campaign: Pick<Campaign, "earlierSpendMinor">, terms: StoredTerms, startAt: number) {
  const { budgetMinor, budgetType, days } = ofGeneration(campaign, terms);
  return {
    liveTotalMinor: budgetType === "lifetime" ? budgetMinor : null,
    liveDayMinor: budgetType === "daily" ? budgetMinor : null,
    liveEndAt: startAt + days * DAY,
  };
}

/** The platform may also have these terms. */
export function atMost(bounds: ReturnType<typeof exactly>): Readonly<Record<keyof typeof bounds, SQL>> {
  const larger = (column: string, value: number | null) =>
    sql`CASE WHEN ${value} IS NULL THEN ${sql.raw(column)} ELSE max(coalesce(${sql.raw(column)}, 0), ${value}) END`;
  return {
    liveTotalMinor: larger("live_total_minor", bounds.liveTotalMinor),
    liveDayMinor: larger("live_day_minor", bounds.liveDayMinor),
    liveEndAt: larger("live_end_at", bounds.liveEndAt),
  };
}

/** Keeps the highest daily budget of the day on which the platform confirmed a lower one. */
export function confirmedDay(liveDayMinor: number | null) {
  const isLowered = sql`activating_at IS NOT NULL AND live_day_minor > ${liveDayMinor ?? 0}`;
  const peak = sql`max(live_day_minor, CASE WHEN ${IS_PEAK_DAY} THEN peak_day_minor ELSE 0 END)`;
  return {
    liveDayMinor,
    peakDayMinor: sql`CASE WHEN ${isLowered} THEN ${peak} ELSE peak_day_minor END`,
    peakAt: sql`CASE WHEN ${isLowered} THEN ${Date.now()} ELSE peak_at END`,
  };
}

/** No object is live. */
export const NOTHING_LIVE = {
  liveTotalMinor: null,
  liveDayMinor: null,
  liveEndAt: null,
  peakDayMinor: null,
  peakAt: null,
} as const;
