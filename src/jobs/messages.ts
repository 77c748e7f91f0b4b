import { z } from "zod";

/**
 * One queue per kind of load, so that slow or heavy work does not delay the rest (docs/decisions/0009).
 * - `publish`: light calls for a channel: text posts, deletions, credentials.
 * - `media`: posts with files, which are inspected and uploaded.
 * - `replies`: replies to comments.
 * - `generation`: model calls.
 * - `campaigns`: ads.
 * - `hooks`: webhook deliveries and digests by e-mail, to servers that may be slow.
 */
export const QUEUES = ["publish", "media", "replies", "generation", "campaigns", "hooks"] as const;
export type QueueName = (typeof QUEUES)[number];

/** The number of the database that has the rows; left out: database 0 (docs/decisions/0064). */
const ofDatabase = { database: z.int().nonnegative().optional() };
/**
 * A queue message only names rows: the rows are the truth. Lost, repeated, early or late messages do no
 * harm.
 */
const JobMessage = z.object({
  ...ofDatabase,
  type: z.literal("job"),
  key: z.string().min(1).max(100),
  /**
   * When the message is due, epoch milliseconds: arrived messages show the progress of the queue (sweep.ts).
   */
  dueAt: z.number().optional(),
});
/** One claim of a recurring task: a message for an earlier or later turn starts nothing. */
export const Turn = z.object({ key: z.string().min(1).max(100), turn: z.number() });
export type Turn = z.infer<typeof Turn>;
/** Recurring tasks that are due (recurring.ts), all of one kind. */
export const RecurringMessage = z.object({
  ...ofDatabase,
  type: z.literal("recurring"),
  tasks: z.array(Turn).min(1).max(100),
});
export type RecurringMessage = z.infer<typeof RecurringMessage>;
/** The minute sweep of one of several databases. */
const SweepMessage = z.object({ ...ofDatabase, type: z.literal("sweep") });
export const QueueMessage = z.discriminatedUnion("type", [JobMessage, RecurringMessage, SweepMessage]);
export type QueueMessage = z.infer<typeof QueueMessage>;

const Addressed = z.object(ofDatabase);

/** The database that a message names; it may be from another version, or nothing that can be read. */
export function databaseOf(body: unknown): number {
  return Addressed.safeParse(body).data?.database ?? 0;
}

export function jobKey(kind: string, subjectId: number): string {
  return `${kind}:${subjectId}`;
}

/** The kind that a key names; it may belong to another version of the service. */
export function kindOf(key: string): string {
  return key.slice(0, key.indexOf(":"));
}
