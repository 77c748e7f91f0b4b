import { z } from "zod";
import type { PlatformPost } from "../platforms/publishing.ts";

/** A live post as rows and journals keep it. Those written before posts had a second id lack it. */
export const StoredPlatformPost: z.ZodType<PlatformPost> = z.object({
  id: z.string(),
  secondaryId: z.string().nullable().default(null),
  permalink: z.string().nullable(),
});
export const StoredPlatformPosts = z.array(StoredPlatformPost).readonly();

/** By the position of the file; null where it has none, and shorter where the last ones have none. */
export const StoredAltTexts = z.array(z.string().nullable()).readonly();

/** The items of a thread. Those written before files had alt texts lack them. */
export const StoredThread = z
  .array(
    z.object({
      message: z.string(),
      mediaUrls: z.array(z.string()).readonly(),
      altTexts: StoredAltTexts.default([]),
    }),
  )
  .readonly();
export type ThreadItem = z.output<typeof StoredThread>[number];
