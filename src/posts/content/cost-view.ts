import { z } from "@hono/zod-openapi";
import type { Platform } from "../../platforms/platform.ts";
import {
  addedUp,
  type Charge,
  microsOf,
  type PricedContent,
  type Pricing,
  toDecimal,
} from "../../platforms/pricing.ts";

/** What the platform charges for a post (extension). */
export const CostView = z
  .object({
    amount: z.number().openapi({ description: "Exact, in whole units of the currency.", example: 0.26 }),
    currency: z.literal("USD"),
    reasons: z
      .array(
        z.object({
          operation: z.string().openapi({ description: "A line of `prices` of `/social/get-platforms`." }),
          title: z.string(),
          count: z.int(),
          amount: z.number(),
        }),
      )
      .openapi({ description: "Empty if the platform charges nothing for calls." }),
  })
  .openapi("Cost");
export type CostView = z.output<typeof CostView>;

export const PriceView = z
  .object({
    operation: z.string(),
    title: z.string(),
    amount: z.number().openapi({ example: 0.015 }),
    currency: z.literal("USD"),
    per: z.enum(["request", "resource"]).openapi({ description: "`resource`: for each object that is returned." }),
    valid_from: z.string().openapi({ example: "2026-04-20" }),
    source: z.string(),
  })
  .openapi("Price");

export function toPriceViews({ pricing }: Pick<Platform, "pricing">): z.output<typeof PriceView>[] {
  return (pricing?.prices ?? []).map(({ operation, title, micros, currency, per, validFrom, source }) => {
    return { operation, title, amount: toDecimal(micros), currency, per, valid_from: validFrom, source };
  });
}

/** The price of publishing it, if each call is made once. */
export function estimateCost(pricing: Pricing | undefined, content: PricedContent): CostView {
  return toCostView(pricing, pricing ? addedUp(pricing.costOf(content)) : []);
}

export function toCostView(pricing: Pricing | undefined, charges: readonly Charge[]): CostView {
  const titles = new Map(pricing?.prices.map(({ operation, title }) => [operation, title]));
  return {
    amount: toDecimal(microsOf(charges)),
    currency: "USD",
    reasons: charges.map(({ operation, units, micros }) => {
      return { operation, title: titles.get(operation) ?? operation, count: units, amount: toDecimal(micros) };
    }),
  };
}
