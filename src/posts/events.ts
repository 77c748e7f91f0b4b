import { z } from "@hono/zod-openapi";
import { FailureCodeView } from "../core/code-schemas.ts";
import { type EventOf, eventLog } from "../events/store.ts";
import { PUBLISH_MODES } from "./table.ts";

/** What can happen to a post. Writing an event is checked against this, and the API document is made from it. */

const instant = z.string().openapi({ example: "2030-03-05T10:00:00.000Z", description: "ISO 8601." });
const nothing = z.object({});
/** As a union: null must stand beside the words of the list, not among them. */
const codeOrNull = (description: string) => z.union([FailureCodeView, z.null()]).openapi({ description });

export const POST_EVENTS = {
  "post.created": {
    tells: "The post was accepted.",
    detail: z.object({
      publish_mode: z.enum(PUBLISH_MODES),
      due_at: instant.openapi({ description: "When it is to go out, ISO 8601." }),
    }),
  },
  "post.updated": { tells: "The post was changed on request.", detail: nothing },
  "post.moved": {
    tells: "The queued post was given another slot: its queue was laid out anew.",
    detail: z.object({ due_at: instant, was_due_at: instant }),
  },
  "post.processing": { tells: "Publishing has begun.", detail: nothing },
  "post.waiting": {
    tells: "Publishing or removing waits, and goes on by itself; told once for each cause.",
    detail: z.object({
      until: instant
        .nullable()
        .openapi({ description: "When it goes on, ISO 8601; null while other posts are in front." }),
      error_code: codeOrNull("What stands in the way; null when nothing is wrong, and it simply takes its time."),
    }),
  },
  "post.published": {
    tells: "The post is live on the platform.",
    detail: z.object({
      permalink: z.string().nullable().openapi({ description: "Null until the platform tells it." }),
    }),
  },
  "post.permalink": {
    tells: "The platform told the address of a post that is live already.",
    detail: z.object({ permalink: z.string() }),
  },
  "post.failed": {
    tells: "The post did not go out, or not all of it: its end.",
    detail: z.object({
      error_code: FailureCodeView,
      cause: codeOrNull("What led to `partly_published` or `may_be_published`; null when `error_code` says it."),
      items: z
        .int()
        .nullable()
        .openapi({ description: "How many items it has; null when that cannot be read any more." }),
      live_items: z.int().nullable().openapi({ description: "How many of them are surely live." }),
    }),
  },
  "post.deleted": { tells: "The post was deleted on request. What is live of it is taken down then.", detail: nothing },
  "post.removed": { tells: "Nothing of the deleted post is up on the platform any more.", detail: nothing },
  "post.removal_failed": {
    tells: "The deleted post may still be up on the platform: somebody has to look.",
    detail: z.object({ error_code: FailureCodeView }),
  },
} as const;

export const postEvents = eventLog("post", POST_EVENTS);
export type PostEvent = EventOf<typeof POST_EVENTS>;
