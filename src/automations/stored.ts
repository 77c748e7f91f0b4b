import { z } from "zod";
import { FAILURE_CODES } from "../core/failures.ts";

/**
 * Why a comment was not answered: stable words of the replies log, beside the failure codes
 * (core/failures.ts).
 */
export const SKIPS = {
  no_keyword: "None of the keywords is in the comment.",
  not_chosen: "The automation answers half of the comments, and this is in the other half.",
  once_already: "The author was answered before.",
  author_unknown: "The platform does not show the author, so it is unknown whether the author was answered before.",
  in_a_thread: "The comment answers another comment, not the post.",
  too_old: "The comment was found more than a week after it was written.",
  stopped: "The automation was stopped, changed or deleted before it was answered.",
  post_gone: "The post was deleted before it was answered.",
  moderated: "The comment was hidden or deleted before it was answered.",
  restored: "The database was restored from a backup after the comment was written, so it may have been answered.",
  no_text: "The automation has no text for an answer.",
} as const;
export type Skip = keyof typeof SKIPS;
/** Why a waiting answer was cancelled. */
export const END_REASONS = {
  stopped: SKIPS.stopped,
  post_gone: SKIPS.post_gone,
  moderated: SKIPS.moderated,
  restored: SKIPS.restored,
  channel_disconnected: "The channel was disconnected before it was answered.",
} as const;
export type End = keyof typeof END_REASONS;
export const SKIP_CODES = Object.keys(SKIPS).filter((word): word is Skip => Object.hasOwn(SKIPS, word));

export const REPLY_REASONS = [...SKIP_CODES, ...FAILURE_CODES] as const;
export type ReplyReason = Skip | (typeof FAILURE_CODES)[number];

/** The public answer or the direct message of a reply, as rows store it. */
export const ReplyPart = z.discriminatedUnion("state", [
  z.object({ state: z.literal("waiting") }),
  z.object({ state: z.literal("sent"), text: z.string(), id: z.string().nullable(), at: z.number() }),
  z.object({ state: z.literal("not_sent"), code: z.string(), message: z.string() }),
]);
export type ReplyPart = z.output<typeof ReplyPart>;
