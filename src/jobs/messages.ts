import { z } from "zod";

/**
 * Queues of their own where load must not mix: what is slow or heavy in one holds nobody up in another
 * (docs/decisions/0009).
 * - `publish`: light acts as a channel: texts, removals, credentials; - `media`: posts with files, which are
 *   looked at and uploaded; - `replies`: answers to comments; - `generation`: model calls; - `campaigns`:
 *   ads; - `hooks`: events that leave the house, to servers that may be slow.
 */
export const QUEUES = ["publish", "media", "replies", "generation", "campaigns", "hooks"] as const;
export type QueueName = (typeof QUEUES)[number];

/**
 * A queue message names rows and nothing else: the rows are the truth (design.md, Durable steps). Lost,
 * repeated, early or late messages do no harm.
 */
export const JobMessage = z.object({
  type: z.literal("job"),
  key: z.string().min(1).max(100),
  /**
   * When it should arrive, epoch milliseconds: what has arrived tells how far the queue has come (sweep.ts).
   */
  dueAt: z.number().optional(),
});
/** One claim of a recurring task: a message for an earlier or later turn of it starts nothing. */
export const Turn = z.object({ key: z.string().min(1).max(100), turn: z.number() });
export type Turn = z.infer<typeof Turn>;
/** Recurring tasks that are due (recurring.ts), all of one kind. */
export const RecurringMessage = z.object({
  type: z.literal("recurring"),
  tasks: z.array(Turn).min(1).max(100),
});
export type RecurringMessage = z.infer<typeof RecurringMessage>;
export const QueueMessage = z.discriminatedUnion("type", [JobMessage, RecurringMessage]);
export type QueueMessage = z.infer<typeof QueueMessage>;

export function jobKey(kind: string, subjectId: number): string {
  return `${kind}:${subjectId}`;
}

/** What a key says of the kind: that of another version of the service, perhaps. */
export function kindOf(key: string): string {
  return key.slice(0, key.indexOf(":"));
}
