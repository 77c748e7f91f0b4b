import { z } from "zod";
import { FAILURE_CODES } from "../core/failures.ts";
import { eventLog } from "../events/store.ts";
import { PLATFORM_NAMES } from "../platforms/names.ts";

/**
 * The events of a conversation. They name messages and never quote them: events are kept for longer than
 * people's messages (docs/decisions/0081).
 */
const message = { message_id: z.int(), channel_id: z.int(), channel_type: z.enum(PLATFORM_NAMES) };

export const CONVERSATION_EVENTS = {
  "message.received": {
    description: "A person sent a direct message to a channel whose messages are collected.",
    detail: z.object(message),
  },
  "message.sent": {
    description: "A direct message that was requested was sent.",
    detail: z.object(message),
  },
  "message.failed": {
    description: "A direct message that was requested was not sent, or it is unconfirmed whether it was.",
    detail: z.object({ ...message, error_code: z.enum(FAILURE_CODES) }),
  },
  "conversation.changed": {
    description: "A conversation was assigned, marked as done or annotated.",
    detail: z.object({ fields: z.array(z.string()) }),
  },
} as const;

export const conversationEvents = eventLog("conversation", CONVERSATION_EVENTS);
