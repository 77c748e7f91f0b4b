import { z } from "zod";
import { FAILURE_CODES } from "../core/failures.ts";
import type { PlatformPost } from "../platforms/publishing.ts";

/** A live post as rows and journals store it. */
export const StoredPlatformPost: z.ZodType<PlatformPost> = z.object({
  id: z.string(),
  secondaryId: z.string().nullable(),
  permalink: z.string().nullable(),
});
/** The outcome of a first comment: the platform's id, or why there is none. */
export const StoredCommentResult = z.discriminatedUnion("state", [
  z.object({ state: z.literal("published"), id: z.string() }),
  z.object({ state: z.literal("failed"), code: z.enum(FAILURE_CODES).catch("unexpected"), message: z.string() }),
]);
export type CommentResult = z.output<typeof StoredCommentResult>;

export const StoredPlatformPosts = z.array(StoredPlatformPost).readonly();

/** By the position of the file; null if it has none, and shorter if the last ones have none. */
export const StoredAltTexts = z.array(z.string().nullable()).readonly();

/** The items of a thread. */
export const StoredThread = z
  .array(
    z.object({
      message: z.string(),
      mediaUrls: z.array(z.string()).readonly(),
      altTexts: StoredAltTexts,
    }),
  )
  .readonly();
export type ThreadItem = z.output<typeof StoredThread>[number];
