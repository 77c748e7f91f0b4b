import type { Meter } from "../core/meter.ts";
import type { QueueMessage } from "./messages.ts";

/** Queues hold a message for at most 24 hours; longer waits are rows that the sweep picks up. */
export const MAX_DELAY_SECONDS = 24 * 3600;

export interface Outgoing {
  readonly message: QueueMessage;
  readonly delaySeconds: number;
}

export interface JobQueue {
  /** Sends a hint to look at a row, after `delaySeconds`. A lost hint is sent again by the sweep. */
  send(message: QueueMessage, delaySeconds?: number): Promise<void>;
  sendMany(messages: readonly Outgoing[]): Promise<void>;
}

export function createJobQueue(binding: Queue<QueueMessage>, meter: Meter): JobQueue {
  return {
    async send(message, delaySeconds = 0) {
      meter.queueSends++;
      await binding.send(message, { delaySeconds: wholeDelay(delaySeconds) });
    },
    async sendMany(messages) {
      // A batch holds at most 100 messages.
      for (let start = 0; start < messages.length; start += 100) {
        meter.queueSends++;
        const chunk = messages.slice(start, start + 100);
        await binding.sendBatch(
          chunk.map(({ message, delaySeconds }) => ({ body: message, delaySeconds: wholeDelay(delaySeconds) })),
        );
      }
    },
  };
}

function wholeDelay(seconds: number): number {
  return Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil(seconds)));
}
