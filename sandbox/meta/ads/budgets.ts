// Budgets in the ad account's smallest unit: at most one per object, above the minimum, and not below the
// spend.

import { type AdAccount, inMajorUnits, MONEY } from "./accounts";
import { isDear } from "./places";
import { refused } from "./refusals";

const DAY_MS = 86_400_000;

export interface Budget {
  daily_budget: number | null;
  lifetime_budget: number | null;
}

/** The highest daily budget on the day of its last change, before that change. */
export interface Peak {
  day: string;
  daily_budget: number;
}

interface PeakedBudget extends Budget {
  peak: Peak | null;
}

/** The spending limit of a day: after changes, the highest budget set on that day. */
export function limitingBudget({ daily_budget, peak }: PeakedBudget, day: string): number {
  return Math.max(daily_budget ?? 0, peak?.day === day ? peak.daily_budget : 0);
}

/** The peak to store with a new budget, from the previous budget. */
export function peakOf(before: PeakedBudget, day: string): Peak | null {
  return before.daily_budget === null ? null : { day, daily_budget: limitingBudget(before, day) };
}

interface Terms extends Budget {
  account: AdAccount;
  start_at: number;
  end_at: number | null;
  billing_event: string;
  countries: readonly string[];
  /** Locale of user messages, e.g. `de_DE`. */
  locale: string;
}

export const hasBudget = ({ daily_budget, lifetime_budget }: Budget) =>
  daily_budget !== null || lifetime_budget !== null;

/** Throws if the budget of a campaign or an ad set is invalid. */
export function checkBudget(terms: Terms): void {
  const { account, daily_budget: daily, lifetime_budget: lifetime, start_at, end_at } = terms;
  if (daily !== null && lifetime !== null) {
    const message = "Choose either a daily or a lifetime budget.";
    throw refused(null, { field: "daily_budget", title: "Two budgets", message });
  }
  if (lifetime !== null && end_at === null) {
    const message = "An ad set with a lifetime budget needs an end.";
    throw refused(null, { field: "end_time", title: "End time required", message });
  }
  const { minimum } = MONEY[account.currency];
  const least = terms.billing_event === "LINK_CLICKS" ? minimum.high_freq : minimum.imp;
  const ofDay = least * (terms.countries.some(isDear) ? 2 : 1);
  const days = end_at === null ? 1 : Math.max(1, Math.ceil((end_at - start_at) / DAY_MS));
  const needed = lifetime === null ? ofDay : ofDay * days;
  if ((daily ?? lifetime ?? needed) >= needed) return;
  const field = daily === null ? "lifetime_budget" : "daily_budget";
  throw refused(1885272, { field, ...tooLow(terms, needed) });
}

function tooLow({ account, locale }: Terms, needed: number): { title: string; message: string } {
  const { currency } = account;
  const amount = Number(inMajorUnits(needed, currency));
  const isGerman = locale.startsWith("de");
  const shown = new Intl.NumberFormat(isGerman ? "de-DE" : "en-US", { style: "currency", currency }).format(amount);
  return isGerman
    ? { title: "Dein Budget ist zu niedrig", message: `Das Budget muss mindestens ${shown} betragen.` }
    : { title: "Your budget is too low", message: `Your budget must be at least ${shown}.` };
}

/** Throws if the schedule is invalid: an end in the past, or a daily budget for less than a day. */
export function checkSchedule(now: number, startAt: number, endAt: number | null, { daily_budget }: Budget): void {
  if (endAt === null) return;
  const wrong = (message: string) => refused(null, { field: "end_time", title: "End time", message });
  if (endAt <= now) throw wrong("The end of the ad set lies in the past.");
  if (endAt <= startAt) throw wrong("The end of the ad set lies before its start.");
  // Tolerates one minute of network delay.
  if (daily_budget !== null && endAt - startAt < DAY_MS - 60_000) {
    throw wrong("An ad set with a daily budget must run for a day at least.");
  }
}

interface Sent {
  daily_budget?: number | undefined;
  lifetime_budget?: number | undefined;
}

/** The budget after a change that names either kind; `before` itself if it does not change. */
export function changedBudget<B extends Budget>(before: B, sent: Sent): B | Budget {
  const after = { daily_budget: sent.daily_budget ?? null, lifetime_budget: sent.lifetime_budget ?? null };
  const isSame = after.daily_budget === before.daily_budget && after.lifetime_budget === before.lifetime_budget;
  return !hasBudget(after) || isSame ? before : after;
}

/** Throws if a new budget changes the kind of budget, or is below the current spend. */
export function checkBudgetChange(before: Budget, after: Budget, spent: number): void {
  if ((before.daily_budget === null) !== (after.daily_budget === null)) {
    const message = "A daily budget cannot become a lifetime budget, nor the other way round, once it is set.";
    throw refused(3858418, { field: "daily_budget", title: "Budget type", message });
  }
  if (after.lifetime_budget === null || after.lifetime_budget >= spent * 1.1) return;
  const message = "The new budget is too close to what is spent already: it must be a tenth above it.";
  throw refused(null, { field: "lifetime_budget", title: "Budget below what is spent", message });
}
