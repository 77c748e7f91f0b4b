import { z } from "@hono/zod-openapi";
import { eventLog } from "../../events/store.ts";

/**
 * The events of a feed. Event writes are checked against this list, and the OpenAPI document is made from
 * it.
 */

const named = {
  name: z.string().openapi({ description: "The name of the feed; empty without one." }),
  url: z.string(),
};
const entry = {
  title: z.string().openapi({ description: "Of the entry." }),
  link: z.string().openapi({ description: "Of the entry; empty without one." }),
};

export const FEED_EVENTS = {
  "feed.stopped": {
    description:
      "The feed creates no further post until a request continues it: its server says that it is gone, it could not be read ten times in a row, or create-post refused ten entries in a row.",
    detail: z.object({ ...named, reason: z.enum(["gone", "unreadable", "refused"]) }),
  },
  "feed.entry_refused": {
    description: "create-post refused posts of an entry: `refused` of `posts`. They are not tried again.",
    detail: z.object({ ...named, ...entry, refused: z.int(), posts: z.int(), error_code: z.string() }),
  },
  "feed.entries_passed": {
    description:
      "More new entries than one reading takes: the newest became posts, `passed` older ones did not, and are not tried again.",
    detail: z.object({ ...named, passed: z.int() }),
  },
  "feed.moved": {
    description: "The feed's server says that it has moved for good: it is read at its new address.",
    detail: z.object({ ...named, was_url: z.string() }),
  },
  "feed.paused": { description: "A request paused the feed.", detail: z.object(named) },
  "feed.resumed": { description: "A request continued the feed.", detail: z.object(named) },
} as const;

export const feedEvents = eventLog("feed", FEED_EVENTS);
export type StopReason = z.output<(typeof FEED_EVENTS)["feed.stopped"]["detail"]>["reason"];
