import { DAY, HOUR, MINUTE } from "../core/time.ts";

/** Sends one message of a conversation: the job `message:<message id>`. */
export const MESSAGE = "message";
/** Reads the messages of a channel: the recurring task `messages:<channel id>`. */
export const MESSAGES = "messages";

/** How long a message may wait, whatever it waits for. */
export const MESSAGE_LIMIT_MS = DAY;
/** How long messages are kept, and a conversation after its last one. */
export const MESSAGE_LIFE_MS = 60 * DAY;
/** How far back messages are read when a channel begins to collect them, where reading is free. */
export const READ_BACK_MS = 7 * DAY;

/** How often messages are read: after news at first, then less and less often. */
export const READ_INTERVALS = {
  free: { minMs: 2 * MINUTE, maxMs: HOUR },
  /** Where webhooks report them, reading finds only what they lost. */
  reported: { minMs: HOUR, maxMs: 6 * HOUR },
  /** Each read costs money, even one without news. */
  paid: { minMs: 10 * MINUTE, maxMs: 6 * HOUR },
} as const;
