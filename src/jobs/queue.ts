import type { Log } from "../core/log.ts";
import type { Meter } from "../core/meter.ts";
import type { QueueMessage } from "./messages.ts";

/** Queues hold a message for at most 24 hours; longer waits are rows that the sweep picks up. */
export const MAX_DELAY_SECONDS = 24 * 3600;
/** The most that one send may hold. */
const BATCH = 100;

export interface Outgoing {
  readonly message: QueueMessage;
  readonly delaySeconds: number;
}

export interface JobQueue {
  /** Sends a hint to look at a row, after `delaySeconds`. A lost hint is sent again by the sweep. */
  send(message: QueueMessage, delaySeconds?: number): Promise<void>;
  /** Answers the messages that the queue did not take. */
  sendMany(messages: readonly Outgoing[]): Promise<readonly Outgoing[]>;
}

export function createJobQueue(binding: Queue<QueueMessage>, meter: Meter, log: Log): JobQueue {
  const sendBatch = async (batch: readonly Outgoing[]): Promise<readonly Outgoing[]> => {
    meter.queueSends++;
    try {
      await binding.sendBatch(
        batch.map(({ message, delaySeconds }) => ({ body: message, delaySeconds: wholeDelay(delaySeconds) })),
      );
      return [];
    } catch (error) {
      log.error("messages_unsent", error, { count: batch.length });
      return batch;
    }
  };
  return {
    async send(message, delaySeconds = 0) {
      meter.queueSends++;
      await binding.send(message, { delaySeconds: wholeDelay(delaySeconds) });
    },
    async sendMany(messages) {
      const batches: Outgoing[][] = [];
      for (let start = 0; start < messages.length; start += BATCH) batches.push(messages.slice(start, start + BATCH));
      return (await Promise.all(batches.map(sendBatch))).flat();
    },
  };
}

function wholeDelay(seconds: number): number {
  return Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil(seconds)));
}
