import { z } from "zod";

/** In the order of lists, reversed. `done`: marked so; a new message of the person reopens it. */
export const CONVERSATION_STATES = ["done", "answered", "unanswered"] as const;
export type ConversationState = (typeof CONVERSATION_STATES)[number];

/**
 * Who sent a message: the person; this service, by a request; a bot of this service; or the account itself
 * elsewhere, such as in the platform's app.
 */
export const ORIGINS = ["person", "request", "bot", "elsewhere"] as const;

/** `sending` has a job; all others are final. */
export const MESSAGE_STATES = ["received", "sending", "sent", "failed"] as const;

export const Attachments = z.array(z.object({ type: z.string(), url: z.string().nullable() })).readonly();
