import { z } from "zod";
import { MISSING, POST_METRICS } from "../platforms/insights.ts";

/** The JSON of insights as it is stored. */

/** The live items of a post. */
export const StoredItems = z.array(
  z.object({ id: z.string(), secondaryId: z.string().nullable(), permalink: z.string().nullable() }),
);

const Metrics = z.partialRecord(z.enum(POST_METRICS), z.number());

export const StoredNumbers = z.object({
  metrics: Metrics,
  missing: z.partialRecord(z.enum(POST_METRICS), z.enum(MISSING)),
  /** By the platform's own names. */
  raw: z.record(z.string(), z.number()),
  /** The post is not to be seen at its platform any more: these are its last numbers. */
  isGone: z.boolean().optional(),
});
export type StoredNumbers = z.output<typeof StoredNumbers>;

/** The last numbers of each day, the oldest day first. */
export const StoredDays = z.array(z.tuple([z.string(), Metrics]));
export type StoredDays = z.output<typeof StoredDays>;
