import { z } from "@hono/zod-openapi";
import { type SQL, sql } from "drizzle-orm";
import { FailureCodeView } from "../core/code-schemas.ts";
import { type EventOf, eventLog } from "../events/store.ts";
import { PUBLISH_MODES } from "./table.ts";

/**
 * What can happen to a post. Writing an event is checked against this, and the API document is made from it.
 */

const instant = z.string().openapi({ example: "2030-03-05T10:00:00.000+00:00", description: "ISO 8601." });

/** Each carries what the caller hung on the post, as it was then: who sends events on needs no other row. */
const about = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({
    ...shape,
    external_id: z
      .string()
      .optional()
      .openapi({ description: "As create-post was given it; absent where there is none." }),
    metadata: z
      .record(z.string(), z.string())
      .optional()
      .openapi({ description: "As create-post was given it; absent where there is none." }),
  });
const nothing = about({});
const changes = about({
  changes: z
    .record(z.string(), z.object({ from: z.unknown(), to: z.unknown() }))
    .optional()
    .openapi({
      description: "What each field was and is, by the names of `include=content`; `STATUS` too.",
      example: { caption_text: { from: "The new frames are in.", to: "The new frames are in. Come and see." } },
    }),
});
/** As a union: null must stand beside the words of the list, not among them. */
const codeOrNull = (description: string) => z.union([FailureCodeView, z.null()]).openapi({ description });

/** What the platform said, for whoever has to find out what it meant. */
const answer = z
  .object({
    method: z.string(),
    url: z.string().openapi({ description: "Without its query." }),
    status: z.int().nullable().openapi({ description: "Null when no answer came." }),
    headers: z
      .record(z.string(), z.string())
      .openapi({ description: "Those about limits and for the platform's support." }),
    body: z
      .string()
      .nullable()
      .openapi({ description: "Its first 2,048 characters, secrets masked; null when no answer came." }),
  })
  .optional()
  .openapi({
    description:
      "The platform's own answer that led to this. Absent where the platform had not said anything against it.",
  });

export const POST_EVENTS = {
  "post.created": {
    tells: "The post was accepted.",
    detail: about({
      publish_mode: z.enum(PUBLISH_MODES),
      due_at: instant.nullable().openapi({ description: "When it is to go out, ISO 8601; null for a draft." }),
    }),
  },
  "post.updated": { tells: "The post was changed on request.", detail: changes },
  "post.moved": {
    tells: "The queued post was given another slot: its queue was laid out anew.",
    detail: about({ due_at: instant, was_due_at: instant }),
  },
  "post.processing": { tells: "Publishing has begun.", detail: nothing },
  "post.waiting": {
    tells: "Publishing, commenting or removing waits, and goes on by itself; told once for each cause.",
    detail: about({
      until: instant
        .nullable()
        .openapi({ description: "When it goes on, ISO 8601; null while other posts are in front." }),
      error_code: codeOrNull("What stands in the way; null when nothing is wrong, and it simply takes its time."),
      limit: z.enum(["channel", "service"]).optional().openapi({
        description:
          "Whose allowance at the platform is used up, where that is why: all posts of the channel wait, or those of every channel there. Such a wait does not count against the post's deadline.",
      }),
      answer,
    }),
  },
  "post.published": {
    tells: "The post is live on the platform.",
    detail: about({
      permalink: z.string().nullable().openapi({ description: "Null until the platform tells it." }),
    }),
  },
  "post.left_out": {
    tells: "Something that was asked for is not part of the live post: the platform takes no such thing there.",
    detail: about({
      fields: z
        .array(z.string())
        .openapi({ description: "What was left out, by its path in the request.", example: ["alt_texts.0"] }),
    }),
  },
  "post.permalink": {
    tells: "The platform told the address of a post that is live already.",
    detail: about({ permalink: z.string() }),
  },
  "post.failed": {
    tells: "The post did not go out, or not all of it: its end.",
    detail: about({
      error_code: FailureCodeView,
      cause: codeOrNull("What led to `partly_published` or `may_be_published`; null when `error_code` says it."),
      items: z
        .int()
        .nullable()
        .openapi({ description: "How many items it has; null when that cannot be read any more." }),
      live_items: z.int().nullable().openapi({ description: "How many of them are surely live." }),
      answer,
    }),
  },
  "post.commented": {
    tells: "The first comment is under the post.",
    detail: about({ comment_id: z.string().openapi({ description: "The platform's." }) }),
  },
  "post.comment_failed": {
    tells: "The first comment did not go out, or nobody can say whether it did. The post stays as it is.",
    detail: about({
      error_code: FailureCodeView,
      cause: codeOrNull("What led to `may_be_published`; null when `error_code` says it."),
      answer,
    }),
  },
  "post.deleted": { tells: "The post was deleted on request. What is live of it is taken down then.", detail: changes },
  "post.removed": { tells: "Nothing of the deleted post is up on the platform any more.", detail: nothing },
  "post.removal_failed": {
    tells: "The deleted post may still be up on the platform: somebody has to look.",
    detail: about({ error_code: FailureCodeView, answer }),
  },
} as const;

export const postEvents = eventLog("post", POST_EVENTS, labelsOf);
export type PostEvent = EventOf<typeof POST_EVENTS>;

/** What is null is left out of the details. What cannot be read must not keep a post from ending. */
function labelsOf(id: number | SQL<number>): SQL {
  const labels = sql`json_object('external_id', labelled.external_id,
    'metadata', CASE WHEN json_valid(labelled.metadata) THEN json(labelled.metadata) END)`;
  return sql`coalesce((SELECT ${labels} FROM posts AS labelled WHERE labelled.id = ${id}), '{}')`;
}
