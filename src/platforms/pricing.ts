import { asMinor, asUnits, spokenUnits, toAmount } from "../core/money.ts";
import type { CallRequest } from "./request.ts";

/**
 * What a platform charges for its calls. Amounts are integers, in millionths of the currency: X's prices have
 * three decimals, and sums of them must be exact.
 */
const MICROS = 6;
/** Prices of platforms are in US dollars. */
export const CURRENCY = "USD";

/** One line of a platform's price list. */
export interface Price {
  /** A stable word: usage is counted under it. */
  readonly operation: string;
  /** For people: "a post with a link". */
  readonly title: string;
  readonly micros: number;
  readonly currency: "USD";
  readonly per: "request" | "resource";
  /** The date from which the platform charges this amount, ISO 8601. */
  readonly validFrom: string;
  /** The platform's page, with the date of its text. */
  readonly source: string;
}

/** What one unit costs, in millionths; null if it costs nothing. */
export const microsPer = (pricing: Pricing | undefined, operation: string | undefined): number | null =>
  pricing?.prices.find((price) => price.operation === operation)?.micros ?? null;

/** A number of units of one line of the list. */
export interface Charge {
  readonly operation: string;
  readonly units: number;
  readonly micros: number;
}

/** A post as far as its price depends on it. */
export interface PricedContent {
  readonly items: readonly { readonly text: string; readonly altTexts: number }[];
  readonly firstComment: string | null;
}

/** A public act of a channel. An `answer` replies to another person's comment. */
export interface PricedAct {
  readonly kind: "post" | "comment" | "answer" | "message";
  readonly text: string;
  /** The number of its files that have one; left out: none. */
  readonly altTexts?: number;
  /** Bytes of the files that it publishes. */
  readonly bytes?: number;
}

/** How a platform charges. Absent in an adapter whose platform charges nothing for calls. Pure. */
export interface Pricing {
  readonly prices: readonly Price[];
  /** What publishing this costs if each call is made once. */
  costOf(content: PricedContent): readonly Charge[];
  /** A charge for each of its calls, that of the act itself first. */
  costOfAct(act: PricedAct): readonly [Charge, ...Charge[]];
  /** The most that a call can cost; empty for a free call. */
  mostOf(call: CallRequest): readonly Charge[];
  /**
   * Reduces the page size of a call until the call costs at most `micros`, or its page is as small as
   * possible. Returns other calls unchanged.
   */
  within(call: CallRequest, micros: number): CallRequest;
  /** What an answered call has cost: never more than `mostOf`. */
  chargesOf(call: CallRequest, answer: { readonly status: number; readonly body: unknown }): readonly Charge[];
}

export function microsOf(charges: readonly Charge[]): number {
  return charges.reduce((sum, { micros }) => sum + micros, 0);
}

/** Adds up the charges of each operation; operations without units are left out. */
export function addedUp(charges: readonly Charge[]): Charge[] {
  const byOperation = Map.groupBy(charges, ({ operation }) => operation);
  return [...byOperation].flatMap(([operation, own]) => {
    const units = own.reduce((sum, one) => sum + one.units, 0);
    return units === 0 ? [] : [{ operation, units, micros: microsOf(own) }];
  });
}

/** Exact decimals, as answers have them. */
export const toDecimal = (micros: number): number => toAmount(micros, MICROS);

/** Whole dollars as millionths. */
export const toMicros = (dollars: number): number => asMinor(dollars, MICROS);

/** For sentences: "12.50 USD", or "0.005 USD" with three decimals. */
export const spokenMicros = (micros: number, decimals = 2): string =>
  spokenUnits(asUnits(micros, MICROS), CURRENCY, decimals);

/** Whether this many decimals hide a part of the amount. */
export const isFinerThan = (micros: number, decimals: number): boolean => micros % asMinor(1, MICROS - decimals) !== 0;
