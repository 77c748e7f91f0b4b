import { z } from "@hono/zod-openapi";
import { FailureCodeView } from "../core/code-schemas.ts";
import { eventLog } from "../events/store.ts";
import { answer } from "../posts/events.ts";
import { ACT_KINDS } from "./acts.ts";

/** The events of a comment. The compiler checks writes against this list. */

const act = { act_id: z.int(), act: z.enum(ACT_KINDS) };

export const COMMENT_EVENTS = {
  "comment.received": {
    description: "Someone commented on a post. Comments that are read late may arrive together.",
    detail: z.object({
      channel_id: z.int(),
      post_id: z.int(),
      platform_id: z.string().openapi({ description: "The platform's id of the comment." }),
      author_id: z.string().nullable(),
      author: z.string().nullable().openapi({ description: "Null if the platform does not show it." }),
      text: z.string().openapi({ description: "Its first 2,000 characters." }),
      is_reply: z.boolean().openapi({ description: "Whether it answers another comment, not the post." }),
      commented_at: z.string(),
    }),
  },
  "comment.requested": {
    description: "Something was requested to be done with the comment.",
    detail: z.object({ act: act.act, text: z.string().nullable() }),
  },
  "comment.updated": {
    description: "The comment was assigned, marked as done, or noted on.",
    detail: z.object({ fields: z.array(z.enum(["done", "assigned_to", "note"])) }),
  },
  "comment.waiting": {
    description: "It waits, for this reason.",
    detail: z.object({
      act_id: z.int(),
      until: z.string(),
      error_code: z.union([FailureCodeView, z.null()]),
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
    detail: z.object({ ...act, error_code: FailureCodeView, answer }),
  },
} as const;

export const commentEvents = eventLog("comment", COMMENT_EVENTS);
