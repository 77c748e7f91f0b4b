import type { Log } from "../core/log.ts";
import type { Meter } from "../core/meter.ts";
import type { QueueMessage, QueueName } from "./messages.ts";

/** Queues hold a message for at most 24 hours; longer waits are rows that the sweep picks up. */
export const MAX_DELAY_SECONDS = 24 * 3600;
/** The most that one send may hold. */
const BATCH = 100;

export interface Outgoing {
  readonly queue: QueueName;
  readonly message: QueueMessage;
  readonly delaySeconds: number;
}

export interface JobQueue {
  /** Sends a hint to look at a row, after `delaySeconds`. A lost hint is sent again by the sweep. */
  send(outgoing: Outgoing): Promise<void>;
  /** Answers the messages that the queues did not take. */
  sendMany(messages: readonly Outgoing[]): Promise<readonly Outgoing[]>;
}

export function createJobQueue(
  bindings: Readonly<Record<QueueName, Queue<QueueMessage>>>,
  meter: Meter,
  log: Log,
): JobQueue {
  const sendBatch = async (batch: readonly Outgoing[], queue: QueueName): Promise<readonly Outgoing[]> => {
    meter.queueSends++;
    try {
      await bindings[queue].sendBatch(
        batch.map(({ message, delaySeconds }) => ({ body: message, delaySeconds: wholeDelay(delaySeconds) })),
      );
      return [];
    } catch (error) {
      log.error("messages_unsent", error, { queue, count: batch.length });
      return batch;
    }
  };
  return {
    async send({ queue, message, delaySeconds }) {
      meter.queueSends++;
      await bindings[queue].send(message, { delaySeconds: wholeDelay(delaySeconds) });
    },
    async sendMany(messages) {
      const sends: Promise<readonly Outgoing[]>[] = [];
      for (const [queue, ofQueue] of Map.groupBy(messages, (outgoing) => outgoing.queue)) {
        for (let start = 0; start < ofQueue.length; start += BATCH) {
          sends.push(sendBatch(ofQueue.slice(start, start + BATCH), queue));
        }
      }
      return (await Promise.all(sends)).flat();
    },
  };
}

function wholeDelay(seconds: number): number {
  return Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil(seconds)));
}
