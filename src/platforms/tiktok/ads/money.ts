/** TikTok writes amounts in units of the account's currency; ours are in its minor units. */

/** Digits after the point (ISO 4217); 2 for what is no currency. */
export function decimalsOf(currency: string): number {
  try {
    const format = new Intl.NumberFormat("en", { style: "currency", currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}

/** The number that JSON writes exactly: division by a power of ten rounds to the very one that the digits mean. */
export function toUnits(minor: number, currency: string): number {
  return minor / 10 ** decimalsOf(currency);
}

/** Of more digits than the currency has, the nearest minor unit; 0 for what is no number ("-": nothing to tell). */
export function toMinor(units: number | string, currency: string): number {
  const minor = Math.round(Number(units) * 10 ** decimalsOf(currency));
  return Number.isFinite(minor) ? minor : 0;
}

/** The least that an ad group may have for a day, in US dollars, and by how much more that is in other currencies. */
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
