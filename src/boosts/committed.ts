import { type SQL, sql } from "drizzle-orm";
import { DAY, HOUR } from "../core/time.ts";

/**
 * What a campaign may come to at most: what it has spent, and the most that is left of the larger of its
 * wanted and its live terms. These are generated columns of `campaigns`, and nothing else computes it:
 * whatever is written, by whomever, it follows.
 *
 * - Of a budget for all of its time, what is not spent is left.
 * - Of a daily one, a budget for each day that is left since the spend was read. A campaign that begins at
 *   noon touches one more calendar day than it has days, and figures are late: one day is added. A platform
 *   may spend `day_factor` budgets on a day and seven in a calendar week; how the days lie in their weeks is
 *   taken at its worst.
 * - Terms that are on their way to the platform count as live until they are confirmed.
 * - It never rises without a request: `accepted_most_minor` is the least that it has come to since the terms
 *   were accepted, and they bound the whole of what is spent. How the days lie in their weeks is so decided
 *   once, at its worst.
 * - A day on which a daily budget was lowered may still spend by its highest one (`peak_day_minor`), and so
 *   may the days between the read and the lowering. It is never more than if the highest one had stayed.
 */
const DAY_MS = sql.raw(String(DAY));
/** The longest day of an ad account: its clock is put back in it. */
const LONGEST_DAY_MS = sql.raw(String(25 * HOUR));

/** Whether the day of the last lowering may still go on at the time of the figures. */
export const IS_PEAK_DAY: SQL = sql`peak_at + ${LONGEST_DAY_MS} > coalesce(spend_at, start_at)`;

const daysUntil = (end: SQL): SQL =>
  sql`coalesce(max(0, (${end} - coalesce(spend_at, start_at) + ${DAY_MS} - 1) / ${DAY_MS} + (${end} > coalesce(spend_at, start_at))), 0)`;

/** Days that the wanted terms still have; those of one that has not begun are all to come. */
export const WANTED_DAYS: SQL = sql`CASE WHEN start_at IS NULL THEN (terms ->> 'days') + 1
  ELSE ${daysUntil(sql`(start_at + (terms ->> 'days') * ${DAY_MS})`)} END`;

/** Days that the live terms still have. */
export const LIVE_DAYS: SQL = daysUntil(sql`live_end_at`);

/**
 * Days since the figures on which the highest budget before a lowering counted: calendar days that the time
 * to it may touch.
 */
export const PEAK_DAYS: SQL = sql`CASE WHEN ${IS_PEAK_DAY}
  THEN 1 + max(0, (peak_at - coalesce(spend_at, start_at) + ${DAY_MS} - 1) / ${DAY_MS}) ELSE 0 END`;

/**
 * Of a daily budget: whole weeks, after a first part of a week that is just long enough for a week's budget.
 */
function most(dailyMinor: SQL, days: SQL): SQL {
  const first = sql`CAST(7 / day_factor + 0.999 AS INTEGER)`;
  return sql`CAST(${dailyMinor} * CASE WHEN ${days} <= ${first} THEN min(${days} * day_factor, 7)
    ELSE 7 + 7 * ((${days} - ${first}) / 7) + min((${days} - ${first}) % 7 * day_factor, 7) END + 0.999999 AS INTEGER)`;
}

/** Of a daily budget that was higher on some of its days. */
function mostWithPeak(dailyMinor: SQL, days: SQL): SQL {
  const highest = sql`max(${dailyMinor}, coalesce(peak_day_minor, 0))`;
  const peakDays = sql`min(peak_days_left, ${days})`;
  return sql`min(${most(highest, days)}, ${most(highest, peakDays)} + ${most(dailyMinor, sql`(${days} - ${peakDays})`)})`;
}

/** What is left of the terms that are wanted. */
export const WANTED_LEFT: SQL = sql`CASE WHEN goal <> 'running' THEN 0
    WHEN terms ->> 'budgetType' = 'lifetime' THEN max(0, (terms ->> 'budgetMinor') - spend_minor)
    ELSE ${mostWithPeak(sql`(terms ->> 'budgetMinor')`, sql`wanted_days_left`)} END`;

/** What is left of those that the platform has, or may have. */
export const LIVE_LEFT: SQL = sql`max(max(0, coalesce(live_total_minor, 0) - (spend_minor - earlier_spend_minor)),
  ${mostWithPeak(sql`coalesce(live_day_minor, 0)`, sql`live_days_left`)})`;

/**
 * Objects with a daily budget that take the place of others spend beside what those spend before they are
 * ended.
 */
const IS_REPLACED_BY_DAILY = sql`goal = 'running' AND terms ->> 'budgetType' = 'daily'
  AND (is_being_replaced OR applied ->> 'budgetType' <> terms ->> 'budgetType' OR applied ->> 'objective' <> terms ->> 'objective')`;

export const COMMITTED_MINOR: SQL = sql`max(spend_minor, min(coalesce(accepted_most_minor, 9e15),
  spend_minor + CASE WHEN ${IS_REPLACED_BY_DAILY} THEN wanted_left_minor + live_left_minor
    ELSE max(wanted_left_minor, live_left_minor) END))`;
