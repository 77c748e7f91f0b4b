import type { Advertising } from "../../advertising.ts";

/**
 * Meta counts money by its own table, not by ISO 4217: Colombian pesos, Costa Rican colones, forints, rupiahs
 * and Taiwan dollars have no decimals, dinars no third one
 * (developers.facebook.com/docs/marketing-api/currencies, checked 2026-11-22).
 */
const META_WHOLE = ["CLP", "COP", "CRC", "HUF", "ISK", "IDR", "JPY", "KRW", "PYG", "TWD", "VND"];
// Missing from that table. Without decimals a wrong budget is too small and refused; with decimals it would
// be a hundredfold.
const ISO_WHOLE = ["BIF", "DJF", "GNF", "KMF", "RWF", "UGX", "VUV", "XAF", "XOF", "XPF"];
const WHOLE: ReadonlySet<string> = new Set([...META_WHOLE, ...ISO_WHOLE]);

/** Decimals as Meta counts them. */
export function metaDecimals(currency: string): number {
  return WHOLE.has(currency.toUpperCase()) ? 0 : 2;
}

/** Meta may spend 175 % of a daily budget in a day, but at most seven daily budgets in a calendar week. */
export const MOST_A_DAY = 1.75;
const WEEK = 7;

/** The maximum cost of a boost with a daily budget, whatever weekday it starts on. */
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
