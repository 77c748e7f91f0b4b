import { z } from "zod";
import { FAILURE_CODES } from "../core/failures.ts";

/**
 * Why a comment was not answered, beside the codes of failures (core/failures.ts): stable words of the
 * replies log.
 */
export const SKIPS = {
  no_keyword: "None of the keywords is in it.",
  not_chosen: "Half of the comments are answered, and this is one of the others.",
  once_already: "Its author was answered before.",
  author_unknown: "The platform does not show who wrote it, so nobody can say whether they were answered before.",
  in_a_thread: "It answers another comment, not the post.",
  too_old: "It came to light more than a week after it was written.",
  stopped: "The automation was stopped, changed or deleted before it was answered.",
  post_gone: "The post was deleted before it was answered.",
  no_text: "There is no text to answer with.",
} as const;
export type Skip = keyof typeof SKIPS;
/** Why an answer that waited is not given any more. */
export const ENDS = {
  stopped: SKIPS.stopped,
  post_gone: SKIPS.post_gone,
  channel_disconnected: "The channel was disconnected before it was answered.",
} as const;
export type End = keyof typeof ENDS;
export const SKIP_CODES = Object.keys(SKIPS).filter((word): word is Skip => Object.hasOwn(SKIPS, word));

export const REPLY_REASONS = [...SKIP_CODES, ...FAILURE_CODES] as const;
export type ReplyReason = Skip | (typeof FAILURE_CODES)[number];

/** One of the two ways to answer, as rows keep it. */
export const Leg = z.discriminatedUnion("state", [
  z.object({ state: z.literal("waiting") }),
  z.object({ state: z.literal("sent"), text: z.string(), id: z.string().nullable(), at: z.number() }),
  z.object({ state: z.literal("not_sent"), code: z.string(), message: z.string() }),
]);
export type Leg = z.output<typeof Leg>;
