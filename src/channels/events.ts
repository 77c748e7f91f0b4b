import { z } from "zod";
import { FAILURE_CODES } from "../core/failures.ts";
import { type EventOf, eventLog } from "../events/store.ts";
import { CAPABILITIES, GRANT_PURPOSES } from "../platforms/names.ts";

/** The events of a channel. Event writes are checked against this schema. */
export const CHANNEL_EVENTS = {
  "channel.connected": { description: "The channel was connected, or connected again.", detail: z.object({}) },
  "channel.disconnected": {
    description:
      "The channel was disconnected, on request or because its account owner removed the app at the platform.",
    detail: z.object({}),
  },
  "channel.data_deleted": {
    description:
      "What was read of the account was deleted: the account owner removed the app at the platform, or its connection was not checked for as long as the platform allows.",
    detail: z.object({}),
  },
  "channel.timetable_changed": {
    description: "The queue's timetable was changed, or the queue was paused or resumed.",
    detail: z.object({ moved_posts: z.int() }),
  },
  "channel.expiring": {
    description: "The connection expires soon, and only the account owner can renew it. Sent once, a week before.",
    detail: z.object({ grant: z.enum(GRANT_PURPOSES), ends_at: z.string() }),
  },
  "channel.revoked": {
    description: "The access was revoked at the platform: the disconnected channel was the last to use it.",
    detail: z.object({ grant: z.enum(GRANT_PURPOSES) }),
  },
  "channel.revocation_failed": {
    description:
      "The channel is disconnected, but its access could not be revoked at the platform. The account owner can revoke it there.",
    detail: z.object({ error_code: z.enum(FAILURE_CODES) }),
  },
  "channel.reconnect_needed": {
    description:
      "The platform no longer accepts the channel's connection for something. The account owner must connect it again.",
    detail: z.object({
      grant: z.enum(GRANT_PURPOSES),
      /** The capability that stopped; null: everything that the grant serves. */
      capability: z.enum(CAPABILITIES).nullable(),
      error_code: z.enum(["reconnect_needed", "permission_missing"]),
    }),
  },
} as const;

export const channelEvents = eventLog("channel", CHANNEL_EVENTS);
export type ChannelEvent = EventOf<typeof CHANNEL_EVENTS>;
