import { z } from "@hono/zod-openapi";
import { eventLog } from "../../events/store.ts";
import { PAUSE_REASONS } from "./table.ts";

/**
 * The events of a series. Event writes are checked against this list, and the OpenAPI document is made from
 * it.
 */

const named = { name: z.string().openapi({ description: "The name of the series; empty without one." }) };
const postId = z.int().nullable();

export const SERIES_EVENTS = {
  "series.paused": {
    description:
      "The series creates no further post until a request continues it: its last post failed (`post_id`), create-post would refuse the next one, or a request paused it.",
    detail: z.object({ ...named, reason: z.enum(PAUSE_REASONS), post_id: postId }),
  },
  "series.resumed": { description: "A request continued the series.", detail: z.object(named) },
  "series.skipped": {
    description:
      "Occurrences whose time was over have no posts: the service was down, or they waited for too long. `skipped`: how many, from `first_at` to `last_at`.",
    detail: z.object({ ...named, skipped: z.int(), first_at: z.string(), last_at: z.string() }),
  },
  "series.ended": {
    description: "The rule has no further date. `made`: the occurrences that became posts.",
    detail: z.object({ ...named, made: z.int() }),
  },
} as const;

export const seriesEvents = eventLog("series", SERIES_EVENTS);
