import { z } from "@hono/zod-openapi";
import { FailureCodeView } from "../core/code-schemas.ts";
import { isBlank } from "../core/text.ts";
import { text } from "../core/text-field.ts";
import { isoUtc } from "../core/time.ts";
import type { CommentAct } from "./act-store.ts";
import { ACT_KINDS, ACT_STATES } from "./acts.ts";
import { COMMENT_EVENTS } from "./events.ts";

/** Schemas of what is done with comments. */

export const ReplyBody = z
  .object({
    text: text(10_000)
      .refine((words) => !isBlank(words), "must not be blank.")
      .openapi({ pattern: "\\S", example: "Five euros.", description: "The reply, in public." }),
  })
  .openapi("ReplyToComment", { example: { text: "Five euros." } });

export const EXAMPLE_ACT = {
  act_id: 77,
  comment_id: 981,
  act: "reply",
  text: "Five euros.",
  state: "waiting",
  reason: null,
  message: "About to be carried out.",
  platform_id: null,
  created_at: "2030-03-05T10:05:00.000+00:00",
  updated_at: "2030-03-05T10:05:00.000+00:00",
} as const;

export const ActView = z
  .object({
    act_id: z.int(),
    comment_id: z.int(),
    act: z.enum(ACT_KINDS),
    text: z.string().nullable().openapi({ description: "Of a reply." }),
    state: z.enum(ACT_STATES).openapi({
      description:
        "`waiting`: it is carried out next, or when the reason in `message` no longer applies. All others are final; `cancelled`: something later took its place.",
    }),
    reason: z.union([FailureCodeView, z.null()]).openapi({ description: "Why it failed: a stable code." }),
    message: z.string().openapi({ description: "The same in a sentence." }),
    platform_id: z.string().nullable().openapi({ description: "The platform's id of the reply." }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("CommentAct", { example: EXAMPLE_ACT });

export function toActView(row: CommentAct): z.output<typeof ActView> {
  return {
    act_id: row.id,
    comment_id: row.commentId,
    act: row.kind,
    text: row.text,
    state: row.state,
    reason: row.reason,
    message: row.message,
    platform_id: row.platformId,
    created_at: isoUtc(row.createdAt),
    updated_at: isoUtc(row.updatedAt),
  };
}

const TYPES = Object.keys(COMMENT_EVENTS);

export const CommentEventView = z
  .object({
    id: z.int().openapi({ description: "0 for the receipt of a comment in a project without webhooks." }),
    type: z.enum(TYPES),
    message: z.string(),
    detail: z.record(z.string(), z.unknown()).nullable(),
    created_at: z.string(),
  })
  .openapi("CommentEvent");
