import { type SQL, sql } from "drizzle-orm";
import { DAY, HOUR } from "../core/time.ts";

/**
 * The committed spend of a campaign is the maximum that it can cost. It is the spend so far, plus the larger
 * remainder of its wanted and its live terms. Generated columns of `campaigns` compute it, and nothing else
 * does, so it is correct after every write.
 *
 * - A lifetime budget leaves what is not spent yet.
 * - A daily budget leaves one budget for each remaining day since the spend was read. One day is added: a
 *   campaign that starts at noon touches one more calendar day than its duration, and figures are late.
 * - A platform may spend `day_factor` daily budgets on a day and seven in a calendar week. The worst
 *   alignment of days with weeks is assumed.
 * - Terms being sent to the platform count as live until they are confirmed.
 * - It never rises without a request: it is capped at `accepted_most_minor`, its lowest value since the terms
 *   were accepted. The cap bounds the whole spend, so the worst alignment with weeks is assumed only once.
 * - On the day of a lowering, the highest daily budget of that day (`peak_day_minor`) may still be spent. So
 *   may it on the days between the last read and the lowering. The result never exceeds the value without it.
 */
const DAY_MS = sql.raw(String(DAY));
/** The longest day of an ad account: the day on which its clock is set back. */
const LONGEST_DAY_MS = sql.raw(String(25 * HOUR));

/** Whether the day of the last lowering may still continue at the time of the figures. */
export const IS_PEAK_DAY: SQL = sql`peak_at + ${LONGEST_DAY_MS} > coalesce(spend_at, start_at)`;

const daysUntil = (end: SQL): SQL =>
  sql`coalesce(max(0, (${end} - coalesce(spend_at, start_at) + ${DAY_MS} - 1) / ${DAY_MS} + (${end} > coalesce(spend_at, start_at))), 0)`;

/** Remaining days of the wanted terms; all of them for a campaign that has not started. */
export const WANTED_DAYS: SQL = sql`CASE WHEN start_at IS NULL THEN (terms ->> 'days') + 1
  ELSE ${daysUntil(sql`(start_at + (terms ->> 'days') * ${DAY_MS})`)} END`;

/** Remaining days of the live terms. */
export const LIVE_DAYS: SQL = daysUntil(sql`live_end_at`);

/**
 * Days since the figures on which the highest budget before a lowering counted: the calendar days that this
 * time may touch.
 */
export const PEAK_DAYS: SQL = sql`CASE WHEN ${IS_PEAK_DAY}
  THEN 1 + max(0, (peak_at - coalesce(spend_at, start_at) + ${DAY_MS} - 1) / ${DAY_MS}) ELSE 0 END`;

/**
 * The maximum spend of a daily budget: whole weeks, after a partial first week just long enough for a week's
 * budget.
 */
function most(dailyMinor: SQL, days: SQL): SQL {
  const first = sql`CAST(7 / day_factor + 0.999 AS INTEGER)`;
  return sql`CAST(${dailyMinor} * CASE WHEN ${days} <= ${first} THEN min(${days} * day_factor, 7)
    ELSE 7 + 7 * ((${days} - ${first}) / 7) + min((${days} - ${first}) % 7 * day_factor, 7) END + 0.999999 AS INTEGER)`;
}

/** The maximum spend of a daily budget that was higher on some of its days. */
function mostWithPeak(dailyMinor: SQL, days: SQL): SQL {
  const highest = sql`max(${dailyMinor}, coalesce(peak_day_minor, 0))`;
  const peakDays = sql`min(peak_days_left, ${days})`;
  return sql`min(${most(highest, days)}, ${most(highest, peakDays)} + ${most(dailyMinor, sql`(${days} - ${peakDays})`)})`;
}

/** The remaining budget of the wanted terms. */
export const WANTED_LEFT: SQL = sql`CASE WHEN goal <> 'running' THEN 0
    WHEN terms ->> 'budgetType' = 'lifetime' THEN max(0, (terms ->> 'budgetMinor') - spend_minor)
    ELSE ${mostWithPeak(sql`(terms ->> 'budgetMinor')`, sql`wanted_days_left`)} END`;

/** The remaining budget of the terms that the platform has, or may have. */
export const LIVE_LEFT: SQL = sql`max(max(0, coalesce(live_total_minor, 0) - (spend_minor - earlier_spend_minor)),
  ${mostWithPeak(sql`coalesce(live_day_minor, 0)`, sql`live_days_left`)})`;

/**
 * Replacement objects with a daily budget spend in addition to what the old objects spend until they are
 * ended.
 */
const IS_REPLACED_BY_DAILY = sql`goal = 'running' AND terms ->> 'budgetType' = 'daily'
  AND (is_being_replaced OR applied ->> 'budgetType' <> terms ->> 'budgetType' OR applied ->> 'objective' <> terms ->> 'objective')`;

export const COMMITTED_MINOR: SQL = sql`max(spend_minor, min(coalesce(accepted_most_minor, 9e15),
  spend_minor + CASE WHEN ${IS_REPLACED_BY_DAILY} THEN wanted_left_minor + live_left_minor
    ELSE max(wanted_left_minor, live_left_minor) END))`;
