import type { Advertising, BoostTerms } from "../platforms/advertising.ts";

/** Exact amounts: minor units and a currency inside, decimals outside. Pure. */

/** Digits behind the point that a currency has. */
export function decimalsOf(currency: string): number {
  try {
    const { maximumFractionDigits = 2 } = new Intl.NumberFormat("en", {
      style: "currency",
      currency,
    }).resolvedOptions();
    return maximumFractionDigits;
  } catch {
    return 2;
  }
}

/**
 * Minor units of an amount; null where the currency has no such small part, or the amount is beyond all sense. A JSON number
 * is a double: what it was written as is what it prints as, up to fifteen digits.
 */
export function toMinor(amount: number, decimals: number): number | null {
  const written = amount.toFixed(decimals);
  const minor = Math.round(Number(written) * 10 ** decimals);
  return Number(written) === amount && minor <= MOST ? minor : null;
}
const MOST = 1_000_000_000_000;

export function toAmount(minor: number, decimals: number): number {
  return Number((minor / 10 ** decimals).toFixed(decimals));
}

/** For sentences: "12.50 EUR". */
export function spoken(minor: number, currency: string, decimals: number): string {
  const number = new Intl.NumberFormat("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return `${number.format(minor / 10 ** decimals)} ${currency}`;
}

/** The most that a campaign can cost: what committed.ts says of one that has not begun. */
export function mostSpent(
  ads: Pick<Advertising, "mostMinor">,
  terms: Pick<BoostTerms, "budgetType" | "budgetMinor" | "days">,
): number {
  const { budgetType, budgetMinor, days } = terms;
  // It touches one more calendar day than it has days.
  const daily = { budgetType, budgetMinor, days: days + 1 };
  return budgetType === "lifetime" ? budgetMinor : (ads.mostMinor?.(daily) ?? budgetMinor * daily.days);
}
