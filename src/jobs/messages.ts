import { z } from "zod";

/** Kinds of jobs, i.e. rows of `jobs`. */
export const JOB_KINDS = ["publish", "unpublish"] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/**
 * A queue message names a row and nothing else: the row is the truth (design.md, Durable steps). Lost, repeated, early or
 * late messages do no harm.
 */
export const JobMessage = z.object({
  type: z.literal("job"),
  key: z.string().min(1).max(100),
  /** When it should arrive, epoch milliseconds: what has arrived tells how far the queue has come (sweep.ts). */
  dueAt: z.number().optional(),
});
/** Renew this channel's credentials. */
export const RefreshMessage = z.object({ type: z.literal("refresh"), channelId: z.int().positive() });
/** This channel works again: what waited for that may go on. */
export const ReconnectedMessage = z.object({ type: z.literal("reconnected"), channelId: z.int().positive() });
export const QueueMessage = z.discriminatedUnion("type", [JobMessage, RefreshMessage, ReconnectedMessage]);
export type QueueMessage = z.infer<typeof QueueMessage>;

export function jobKey(kind: JobKind, subjectId: number): string {
  return `${kind}:${subjectId}`;
}

/** What a key says of the kind: that of another version of the service, perhaps. */
export function kindOf(key: string): string {
  return key.slice(0, key.indexOf(":"));
}
