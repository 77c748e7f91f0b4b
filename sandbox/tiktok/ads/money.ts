// Money: the API uses decimal amounts in the account's currency, the sandbox integer minor units. Budget
// minimums and maximums.

import { badParam } from "../business-errors";

/** Decimals, and the units per US dollar that limits use: a fixed ratio, not an exchange rate. */
const CURRENCIES = {
  USD: { decimals: 2, ratio: 1 },
  EUR: { decimals: 2, ratio: 1 },
  GBP: { decimals: 2, ratio: 1 },
  JPY: { decimals: 0, ratio: 100 },
} as const;
export type Currency = keyof typeof CURRENCIES;

const LEAST_OF_A_CAMPAIGN = 50;
const LEAST_A_DAY = 20;
const TOO_LARGE = 10_000_000;
const LEAST_GROWTH = 1.05;

const minorUnits = (currency: Currency) => 10 ** CURRENCIES[currency].decimals;

/** Converts an amount to minor units; rejects more decimals than the currency has. */
export function toMinor(amount: number, currency: Currency): number {
  const minor = Math.round(amount * minorUnits(currency));
  if (Math.abs(minor - amount * minorUnits(currency)) > 1e-6) {
    throw badParam(`budget: ${currency} has ${CURRENCIES[currency].decimals} decimals.`);
  }
  return minor;
}

export const fromMinor = (minor: number, currency: Currency): number => minor / minorUnits(currency);

/** Report format. Rounds fractions of a minor unit down, so that a report never exceeds the spend. */
export const asText = (minor: number, currency: Currency): string =>
  (Math.floor(minor + 1e-6) / minorUnits(currency)).toFixed(CURRENCIES[currency].decimals);

/** Converts an amount to dollars at the fixed ratio, for limits. */
export const inDollars = (minor: number, currency: Currency): number =>
  minor / minorUnits(currency) / CURRENCIES[currency].ratio;

export const leastCampaignBudget = (currency: Currency): number => minorOf(LEAST_OF_A_CAMPAIGN, currency);
/** The minimum budget of an ad group with this many scheduled days. */
export const leastAdgroupBudget = (currency: Currency, days: number): number => minorOf(LEAST_A_DAY * days, currency);

const minorOf = (dollars: number, currency: Currency): number =>
  dollars * CURRENCIES[currency].ratio * minorUnits(currency);

export function checkBudget(minor: number, least: number, currency: Currency): void {
  if (minor < least) throw badParam(`budget: must be no less than ${asText(least, currency)} ${currency}.`);
  if (minor >= minorOf(TOO_LARGE, currency)) throw badParam("budget: is too large.");
}

/** A changed budget must exceed the current spend. */
export function checkGrowth(minor: number, spent: number, currency: Currency): void {
  if (minor + 1e-6 >= spent * LEAST_GROWTH) return;
  throw badParam(`budget: must be at least 105% of what is spent, which is ${asText(spent, currency)} ${currency}.`);
}
