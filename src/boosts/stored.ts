import { z } from "zod";
import { OBJECTIVES } from "../platforms/advertising.ts";

/** Shapes of what a campaign's row holds as JSON. */

export const StoredInterests = z.array(z.object({ id: z.string(), name: z.string() })).readonly();

/** Ids of what exists at the platform, by the adapter's names. */
export const StoredObjectIds = z.record(z.string(), z.string());

/** What can be changed of a campaign, as one value. */
export const StoredTerms = z.object({
  adAccountId: z.string(),
  objective: z.enum(OBJECTIVES),
  budgetType: z.enum(["daily", "lifetime"]),
  budgetMinor: z.int(),
  currency: z.string(),
  days: z.int(),
  countries: z.array(z.string()).readonly(),
  interests: StoredInterests,
  audiences: z.array(z.string()).readonly(),
});
export type StoredTerms = z.output<typeof StoredTerms>;

/** A generation that was ended: its objects, and what it has brought. */
export const StoredGeneration = z.object({
  objectIds: StoredObjectIds,
  /** With which it was on; null for one that never was. */
  terms: StoredTerms.nullable().default(null),
  reach: z.int(),
  impressions: z.int(),
  spendMinor: z.int(),
});
export type StoredGeneration = z.output<typeof StoredGeneration>;
export const StoredGenerations = z.array(StoredGeneration).readonly();
