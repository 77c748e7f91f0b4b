// Budgets in the ad account's smallest unit: one per object at most, enough, and not below what is spent.

import { type AdAccount, inMajorUnits, MONEY } from "./accounts";
import { isDear } from "./places";
import { refused } from "./refusals";

const DAY_MS = 86_400_000;

export interface Budget {
  daily_budget: number | null;
  lifetime_budget: number | null;
}

/** The highest daily budget that was set on a day before its last change. */
export interface Peak {
  day: string;
  daily_budget: number;
}

interface PeakedBudget extends Budget {
  peak: Peak | null;
}

/** What a day is limited by: after a change, the highest budget that was set on it. */
export function limitingBudget({ daily_budget, peak }: PeakedBudget, day: string): number {
  return Math.max(daily_budget ?? 0, peak?.day === day ? peak.daily_budget : 0);
}

/** To be stored with another budget, by the one before it. */
export function peakOf(before: PeakedBudget, day: string): Peak | null {
  return before.daily_budget === null ? null : { day, daily_budget: limitingBudget(before, day) };
}

interface Terms extends Budget {
  account: AdAccount;
  start_at: number;
  end_at: number | null;
  billing_event: string;
  countries: readonly string[];
  /** Of what is written for people, e.g. `de_DE`. */
  locale: string;
}

export const hasBudget = ({ daily_budget, lifetime_budget }: Budget) =>
  daily_budget !== null || lifetime_budget !== null;

/** Throws what is wrong with the budget of a campaign or an ad set. */
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

/** Throws where the time does not work: an end in the past, or a daily budget for less than a day. */
export function checkSchedule(now: number, startAt: number, endAt: number | null, { daily_budget }: Budget): void {
  if (endAt === null) return;
  const wrong = (message: string) => refused(null, { field: "end_time", title: "End time", message });
  if (endAt <= now) throw wrong("The end of the ad set lies in the past.");
  if (endAt <= startAt) throw wrong("The end of the ad set lies before its start.");
  // A minute less may have gone by on the way.
  if (daily_budget !== null && endAt - startAt < DAY_MS - 60_000) {
    throw wrong("An ad set with a daily budget must run for a day at least.");
  }
}

interface Sent {
  daily_budget?: number | undefined;
  lifetime_budget?: number | undefined;
}

/** The budget after a change that names one or the other; `before` itself where it stays what it is. */
export function changedBudget<B extends Budget>(before: B, sent: Sent): B | Budget {
  const after = { daily_budget: sent.daily_budget ?? null, lifetime_budget: sent.lifetime_budget ?? null };
  const isSame = after.daily_budget === before.daily_budget && after.lifetime_budget === before.lifetime_budget;
  return !hasBudget(after) || isSame ? before : after;
}

/** Throws where another budget would be no change, but another kind, or less than is spent already. */
export function checkBudgetChange(before: Budget, after: Budget, spent: number): void {
  if ((before.daily_budget === null) !== (after.daily_budget === null)) {
    const message = "A daily budget cannot become a lifetime budget, nor the other way round, once it is set.";
    throw refused(3858418, { field: "daily_budget", title: "Budget type", message });
  }
  if (after.lifetime_budget === null || after.lifetime_budget >= spent * 1.1) return;
  const message = "The new budget is too close to what is spent already: it must be a tenth above it.";
  throw refused(null, { field: "lifetime_budget", title: "Budget below what is spent", message });
}
