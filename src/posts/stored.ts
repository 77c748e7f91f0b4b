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

/** How a post is published once it is approved; the time is wall-clock time in the zone. */
export const APPROVED_MODES = ["now", "scheduled", "queued", "share_next"] as const;
export const WantedSchedule = z.object({
  publish_mode: z.enum(APPROVED_MODES),
  schedule_time: z.string().optional(),
  time_zone: z.string().optional(),
});
export type WantedSchedule = z.output<typeof WantedSchedule>;

export const APPROVAL_STATES = ["waiting", "sent_back", "approved"] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** The latest request for approval of a draft, and the decision on it (approval/). */
export const StoredApproval = z.object({
  wanted: WantedSchedule,
  requestedAt: z.number(),
  requestedBy: z.string(),
  decidedAt: z.number().nullable(),
  decidedBy: z.string().nullable(),
  /** Of the decision; before it, of the request. */
  note: z.string().nullable(),
  /** The nonce of the approval link that is valid now (approval-link.ts); null if no link is. */
  linkNonce: z.string().nullable(),
  /** Who made that link. */
  linkedBy: z.string().nullable().default(null),
});
export type StoredApproval = z.output<typeof StoredApproval>;

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
