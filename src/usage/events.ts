import { z } from "zod";
import { eventLog } from "../events/store.ts";

/** The events of a project's usage. Event writes are checked against this schema. */
export const USAGE_EVENTS = {
  "usage.near_limit": {
    description:
      "Platforms have charged 80 % or 100 % of what the project may cost in a month (UTC). Sent once for each in a month. At 100 %, further calls that cost something wait.",
    detail: z.object({ month: z.string(), percent: z.union([z.literal(80), z.literal(100)]) }),
  },
} as const;

export const usageEvents = eventLog("usage", USAGE_EVENTS);
