import type { Log } from "../core/log.ts";
import type { Meter } from "../core/meter.ts";
import { partsOf } from "../core/parts.ts";
import type { QueueMessage, QueueName } from "./messages.ts";

/**
 * Queues hold a message for at most 24 hours; the sweep sends the messages of longer waits from their rows.
 */
export const MAX_DELAY_SECONDS = 24 * 3600;
/** The most messages that one send can hold. */
const BATCH = 100;

export interface Outgoing {
  readonly queue: QueueName;
  readonly message: QueueMessage;
  readonly delaySeconds: number;
}

export interface JobQueue {
  /**
   * Sends messages that name rows, each after its `delaySeconds`. Returns those that the queues rejected: the
   * sweep sends them again.
   */
  sendMany(messages: readonly Outgoing[]): Promise<readonly Outgoing[]>;
}

interface Sender {
  readonly meter: Meter;
  readonly log: Log;
  /** The number of the database that its messages name rows of. */
  readonly database: number;
}

export function createJobQueue(
  bindings: Readonly<Record<QueueName, Queue<QueueMessage>>>,
  { meter, log, database }: Sender,
): JobQueue {
  const addressed = (message: QueueMessage): QueueMessage => (database === 0 ? message : { ...message, database });
  const sendBatch = async (batch: readonly Outgoing[], queue: QueueName): Promise<readonly Outgoing[]> => {
    meter.queueSends++;
    try {
      await bindings[queue].sendBatch(
        batch.map(({ message, delaySeconds }) => ({
          body: addressed(message),
          delaySeconds: wholeDelay(delaySeconds),
        })),
      );
      return [];
    } catch (error) {
      log.error("messages_unsent", error, { queue, count: batch.length });
      return batch;
    }
  };
  return {
    async sendMany(messages) {
      const byQueue = [...Map.groupBy(messages, (outgoing) => outgoing.queue)];
      const sends = byQueue.flatMap(([queue, own]) => partsOf(own, BATCH).map((batch) => sendBatch(batch, queue)));
      return (await Promise.all(sends)).flat();
    },
  };
}

function wholeDelay(seconds: number): number {
  return Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil(seconds)));
}
