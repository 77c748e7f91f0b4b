import type { Advertising } from "../../advertising.ts";

/**
 * Meta counts money in units of its own table, which is not ISO 4217's: Colombian pesos, Costa Rican colones,
 * forints, rupiahs and Taiwan dollars have no hundredths there, dinars no thousandths
 * (developers.facebook.com/docs/marketing-api/currencies, checked 2026-11-22).
 */
const META_WHOLE = ["CLP", "COP", "CRC", "HUF", "ISK", "IDR", "JPY", "KRW", "PYG", "TWD", "VND"];
// Not in that table as we know it. Wrong this way round, a budget is too small, and refused; the other way it
// is a hundredfold.
const ISO_WHOLE = ["BIF", "DJF", "GNF", "KMF", "RWF", "UGX", "VUV", "XAF", "XOF", "XPF"];
const WHOLE: ReadonlySet<string> = new Set([...META_WHOLE, ...ISO_WHOLE]);

/** Digits after the point, as Meta counts them. */
export function metaDecimals(currency: string): number {
  return WHOLE.has(currency.toUpperCase()) ? 0 : 2;
}

/**
 * Meta may spend three quarters more than a day's budget on a day, but no more than seven of them in a
 * calendar week.
 */
export const MOST_A_DAY = 1.75;
const WEEK = 7;

/** The most that a boost may cost: of a daily budget, wherever in its week the first day is. */
export const mostMinor: NonNullable<Advertising["mostMinor"]> = ({ budgetType, budgetMinor, days }) => {
  if (budgetType === "lifetime") return budgetMinor;
  const inWeek = (count: number) => Math.min(count * MOST_A_DAY, WEEK);
  const totals = Array.from({ length: WEEK }, (_, index) => {
    const first = Math.min(index + 1, days);
    const rest = days - first;
    return inWeek(first) + Math.floor(rest / WEEK) * WEEK + inWeek(rest % WEEK);
  });
  return Math.ceil(budgetMinor * Math.max(...totals));
};
