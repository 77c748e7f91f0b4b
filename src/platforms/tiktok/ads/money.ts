import { asMinor, decimalsOf, toAmount, toMinor } from "../../../core/money.ts";

/** TikTok sends amounts in units of the account's currency; ours are in its minor units. */

export function toUnits(minor: number, currency: string): number {
  return toAmount(minor, decimalsOf(currency));
}

/** Enough digits to round correctly to any currency's minor unit. */
const FINEST = 6;

/** 0 for a value that is not a number ("-": no data). */
export function fromUnits(units: number | string, currency: string): number {
  const amount = Number(units);
  return Number.isFinite(amount) ? toMinor(amount.toFixed(FINEST), decimalsOf(currency)) : 0;
}

/** The minimum daily budget of an ad group in US dollars, and its multiples in other currencies. */
const LEAST_A_DAY = 20;
// TikTok has a table of them, of which only these are known to us.
const RATIOS: ReadonlyMap<string, number> = new Map([
  ["USD", 1],
  ["JPY", 100],
]);

/** The minimum budget for this many days, in minor units; null if only TikTok knows it. */
export function leastMinor(currency: string, days: number): number | null {
  const ratio = RATIOS.get(currency);
  return ratio === undefined ? null : asMinor(LEAST_A_DAY * ratio * days, decimalsOf(currency));
}
