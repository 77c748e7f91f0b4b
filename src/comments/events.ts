import { z } from "zod";
import { FAILURE_CODES } from "../core/failures.ts";
import { eventLog } from "../events/store.ts";
import { ACT_KINDS } from "./acts.ts";

/** The events of a comment. The compiler checks writes against this list. */

const act = { act_id: z.int(), act: z.enum(ACT_KINDS) };
const answer = z.unknown().optional();

export const COMMENT_EVENTS = {
  "comment.requested": {
    description: "Something was requested to be done with the comment.",
    detail: z.object({ act: act.act, text: z.string().nullable() }),
  },
  "comment.waiting": {
    description: "It waits, for this reason.",
    detail: z.object({
      act_id: z.int(),
      until: z.string(),
      error_code: z.enum(FAILURE_CODES).nullable(),
      limit: z.enum(["channel", "service"]).optional(),
      answer,
    }),
  },
  "comment.replied": {
    description: "The comment was answered on request.",
    detail: z.object({ ...act, text: z.string(), platform_id: z.string() }),
  },
  "comment.changed": {
    description: "The comment was hidden, shown, liked or deleted at the platform.",
    detail: z.object(act),
  },
  "comment.cancelled": {
    description: "It was not done, because something later took its place.",
    detail: z.object(act),
  },
  "comment.failed": {
    description: "It was not done, or it is unconfirmed whether it was.",
    detail: z.object({ ...act, error_code: z.enum(FAILURE_CODES), answer }),
  },
} as const;

export const commentEvents = eventLog("comment", COMMENT_EVENTS);
