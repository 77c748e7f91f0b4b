/** Exact amounts: minor units and a currency inside, decimals outside. Pure. */

/** The decimal places of a currency (ISO 4217); 2 for an unknown currency. */
export function decimalsOf(currency: string): number {
  try {
    const format = new Intl.NumberFormat("en", { style: "currency", currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}

/** Minor units of a decimal such as "12.47", exactly; finer digits are rounded, half up. */
export function toMinor(decimal: string, decimals: number): number {
  const [whole = "", fraction = ""] = decimal.split(".");
  const kept = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, "0"));
  const isRoundedUp = (fraction[decimals] ?? "0") >= "5";
  return Number(isRoundedUp ? kept + 1n : kept);
}

/** An amount in units as minor units; a fraction of one is rounded. */
export const asMinor = (units: number, decimals: number): number => Math.round(units * 10 ** decimals);

/** Minor units as units. */
export const asUnits = (minor: number, decimals: number): number => minor / 10 ** decimals;

const MOST = 1_000_000_000_000;

/**
 * Minor units of a JSON number. Null if the currency has no such small unit, or the amount is absurdly large.
 * A JSON number is a double: up to fifteen digits, it prints as it was written.
 */
export function exactMinor(amount: number, decimals: number): number | null {
  const written = amount.toFixed(decimals);
  const minor = asMinor(Number(written), decimals);
  return Number(written) === amount && minor <= MOST ? minor : null;
}

/** The number that JSON writes exactly. */
export function toAmount(minor: number, decimals: number): number {
  return Number(asUnits(minor, decimals).toFixed(decimals));
}

/** An amount for sentences: "12.50 EUR". */
export function spoken(minor: number, currency: string, decimals: number): string {
  return spokenUnits(asUnits(minor, decimals), currency, decimals);
}

/** The same of an amount in units. */
export function spokenUnits(units: number, currency: string, decimals: number): string {
  const number = new Intl.NumberFormat("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return `${number.format(units)} ${currency}`;
}
