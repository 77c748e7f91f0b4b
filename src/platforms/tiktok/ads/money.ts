import { decimalsOf, toAmount, toMinor } from "../../../core/money.ts";

/** TikTok writes amounts in units of the account's currency; ours are in its minor units. */

export function toUnits(minor: number, currency: string): number {
  return toAmount(minor, decimalsOf(currency));
}

/** Digits that tell a half of any currency's minor unit from less. */
const FINEST = 6;

/** 0 for what is no number ("-": nothing to tell). */
export function fromUnits(units: number | string, currency: string): number {
  const amount = Number(units);
  return Number.isFinite(amount) ? toMinor(amount.toFixed(FINEST), decimalsOf(currency)) : 0;
}

/**
 * The least that an ad group may have for a day, in US dollars, and by how much more that is in other
 * currencies.
 */
const LEAST_A_DAY = 20;
// TikTok has a table of them; only these are known to us.
const RATIOS: ReadonlyMap<string, number> = new Map([
  ["USD", 1],
  ["JPY", 100],
]);

/** The least budget for so many days, in minor units; null where only TikTok knows it. */
export function leastMinor(currency: string, days: number): number | null {
  const ratio = RATIOS.get(currency);
  return ratio === undefined ? null : LEAST_A_DAY * ratio * days * 10 ** decimalsOf(currency);
}
