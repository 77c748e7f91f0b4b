import { z } from "zod";
import { OBJECTIVES } from "../platforms/advertising.ts";

/** Shapes of what a campaign's row holds as JSON. */

export const StoredInterests = z.array(z.object({ id: z.string(), name: z.string() })).readonly();

/** Ids of what is there at the platform, by the adapter's names. */
export const StoredMade = z.record(z.string(), z.string());

/** What can be changed of a campaign, as one value: what the platform has. */
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
