// Amounts come and go as plain numbers in the account's currency, and are whole minor units in here. The
// least and the largest budget.

import { badParam } from "../business-errors";

/** Decimals, and how many units stand for one dollar in the limits: a fixed ratio, no rate of exchange. */
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

/** Minor units of an amount that was sent; refuses more decimals than the currency has. */
export function toMinor(amount: number, currency: Currency): number {
  const minor = Math.round(amount * minorUnits(currency));
  if (Math.abs(minor - amount * minorUnits(currency)) > 1e-6) {
    throw badParam(`budget: ${currency} has ${CURRENCIES[currency].decimals} decimals.`);
  }
  return minor;
}

export const fromMinor = (minor: number, currency: Currency): number => minor / minorUnits(currency);

/** As reports write it. Never more than there was: parts of a minor unit are left away. */
export const asText = (minor: number, currency: Currency): string =>
  (Math.floor(minor + 1e-6) / minorUnits(currency)).toFixed(CURRENCIES[currency].decimals);

/** What an amount is in the units of the limits: dollars, as it were. */
export const inDollars = (minor: number, currency: Currency): number =>
  minor / minorUnits(currency) / CURRENCIES[currency].ratio;

export const leastCampaignBudget = (currency: Currency): number => minorOf(LEAST_OF_A_CAMPAIGN, currency);
/** Of an ad group, for so many days of its schedule. */
export const leastAdgroupBudget = (currency: Currency, days: number): number => minorOf(LEAST_A_DAY * days, currency);

const minorOf = (dollars: number, currency: Currency): number =>
  dollars * CURRENCIES[currency].ratio * minorUnits(currency);

export function checkBudget(minor: number, least: number, currency: Currency): void {
  if (minor < least) throw badParam(`budget: must be no less than ${asText(least, currency)} ${currency}.`);
  if (minor >= minorOf(TOO_LARGE, currency)) throw badParam("budget: is too large.");
}

/** A budget that is changed must leave something to be spent. */
export function checkGrowth(minor: number, spent: number, currency: Currency): void {
  if (minor + 1e-6 >= spent * LEAST_GROWTH) return;
  throw badParam(`budget: must be at least 105% of what is spent, which is ${asText(spent, currency)} ${currency}.`);
}
