import { z } from "zod";
import { FAILURE_CODES } from "../core/failures.ts";
import { type EventOf, eventLog } from "../events/store.ts";
import { CAPABILITIES, GRANT_PURPOSES } from "../platforms/names.ts";

/** What can happen to a channel. Writing an event is checked against this. */
export const CHANNEL_EVENTS = {
  "channel.connected": { description: "The channel was connected, or connected again.", detail: z.object({}) },
  "channel.disconnected": { description: "The channel was disconnected on request.", detail: z.object({}) },
  "channel.timetable_changed": {
    description: "The queue's timetable was changed, or the queue paused or let go on.",
    detail: z.object({ moved_posts: z.int() }),
  },
  "channel.expiring": {
    description: "The connection ends soon, and only its person can prolong it: told once, a week ahead.",
    detail: z.object({ grant: z.enum(GRANT_PURPOSES), ends_at: z.string() }),
  },
  "channel.revoked": {
    description:
      "What the platform had granted was ended there: the channel that was disconnected was the last to use it.",
    detail: z.object({ grant: z.enum(GRANT_PURPOSES) }),
  },
  "channel.revocation_failed": {
    description:
      "The channel is disconnected, but what the platform had granted could not be ended there: its person can do that.",
    detail: z.object({ error_code: z.enum(FAILURE_CODES) }),
  },
  "channel.reconnect_needed": {
    description: "The platform no longer lets us do something as the channel: its person has to connect it again.",
    detail: z.object({
      grant: z.enum(GRANT_PURPOSES),
      /** What stopped; null = all that the grant serves. */
      capability: z.enum(CAPABILITIES).nullable(),
      error_code: z.enum(["reconnect_needed", "permission_missing"]),
    }),
  },
} as const;

export const channelEvents = eventLog("channel", CHANNEL_EVENTS);
export type ChannelEvent = EventOf<typeof CHANNEL_EVENTS>;
