import { z } from "zod";
import type { PlatformPost } from "../platforms/platform.ts";

/** A live post as rows and journals keep it. Those written before posts had a second id lack it. */
export const StoredPlatformPost: z.ZodType<PlatformPost> = z.object({
  id: z.string(),
  secondaryId: z.string().nullable().default(null),
  permalink: z.string().nullable(),
});
export const StoredPlatformPosts = z.array(StoredPlatformPost).readonly();
