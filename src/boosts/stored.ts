import { z } from "zod";
import { OBJECTIVES } from "../platforms/advertising.ts";

/** Schemas of the JSON columns of a campaign's row. */

const StoredInterests = z.array(z.object({ id: z.string(), name: z.string() })).readonly();

/** Ids of the objects at the platform, by the adapter's names. */
export const StoredObjectIds = z.record(z.string(), z.string());

/** The changeable terms of a campaign, as one value. */
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

/** An ended generation: its objects and its figures. */
const StoredGeneration = z.object({
  objectIds: StoredObjectIds,
  /** The terms with which it was live; null if it never was. */
  terms: StoredTerms.nullable().default(null),
  reach: z.int(),
  impressions: z.int(),
  spendMinor: z.int(),
});
export const StoredGenerations = z.array(StoredGeneration).readonly();
