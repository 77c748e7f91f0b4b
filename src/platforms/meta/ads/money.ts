/**
 * Meta counts money in units of its own table, which is not ISO 4217's: Colombian pesos, Costa Rican colones, forints, rupiahs and
 * Taiwan dollars have no hundredths there, dinars no thousandths (developers.facebook.com/docs/marketing-api/currencies, checked
 * 2026-11-22).
 */
const META_WHOLE = ["CLP", "COP", "CRC", "HUF", "ISK", "IDR", "JPY", "KRW", "PYG", "TWD", "VND"];
// Not in that table as we know it. Wrong this way round, a budget is too small, and refused; the other way it is a hundredfold.
const ISO_WHOLE = ["BIF", "DJF", "GNF", "KMF", "RWF", "UGX", "VUV", "XAF", "XOF", "XPF"];
const WHOLE: ReadonlySet<string> = new Set([...META_WHOLE, ...ISO_WHOLE]);

/** Digits after the point. */
export function decimalsOf(currency: string): number {
  return WHOLE.has(currency.toUpperCase()) ? 0 : 2;
}

/** A decimal string in major units ("12.47") in minor ones, exactly; what is finer is rounded, half of it up. */
export function toMinor(decimal: string, decimals: number): number {
  const [whole = "", fraction = ""] = decimal.split(".");
  const kept = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, "0"));
  const isRoundedUp = (fraction[decimals] ?? "0") >= "5";
  return Number(isRoundedUp ? kept + 1n : kept);
}
