import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import type { Log } from "../core/log.ts";
import { SECOND } from "../core/time.ts";
import type { Db } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { QUEUES, type QueueName } from "./messages.ts";
import type { JobQueue } from "./queue.ts";
import { jobsTable } from "./table.ts";

interface EnqueueDeps {
  readonly db: Db;
  readonly jobs: JobQueue;
  readonly log: Log;
}

/** A job and the queue that its messages go to. */
export interface JobRef {
  readonly key: string;
  readonly queue: QueueName;
}

/**
 * Sends the message of a job whose row is written. Never throws: the row is the truth. If the queue rejects
 * the message, the sweep sends it within a minute, so the caller's work stands.
 */
export async function enqueueJob(deps: EnqueueDeps, { key, queue }: JobRef, delaySeconds = 0): Promise<void> {
  const message = { type: "job", key, dueAt: Date.now() + delaySeconds * SECOND } as const;
  try {
    await deps.jobs.send({ queue, message, delaySeconds });
  } catch (error) {
    deps.log.error("message_unsent", error, { key });
    try {
      await noteUnsent(deps.db, [key]);
    } catch (second) {
      // The sweep still sends the message, only later.
      deps.log.error("message_unsent", second, { key });
    }
  }
}

/** Up to the number that one send can hold: one ingest enqueues up to twenty jobs. */
async function enqueueMany(
  deps: EnqueueDeps,
  jobs: readonly (JobRef & { readonly messageAt: number })[],
  now: number,
): Promise<void> {
  const unsent = await deps.jobs.sendMany(
    jobs.map(({ key, queue, messageAt }) => {
      const delaySeconds = Math.max(0, messageAt - now) / SECOND;
      return { queue, message: { type: "job", key, dueAt: Math.max(messageAt, now) }, delaySeconds };
    }),
  );
  if (unsent.length === 0) return;
  try {
    await noteUnsent(
      deps.db,
      unsent.flatMap(({ message }) => (message.type === "job" ? [message.key] : [])),
    );
  } catch (error) {
    // The sweep still sends the messages, only later.
    deps.log.error("message_unsent", error, { count: unsent.length });
  }
}

const Sent = z.array(z.object({ key: z.string(), queue: z.enum(QUEUES), messageAt: z.number().nullable() }));

/**
 * Sends the messages of the jobs that a statement has put in flight (store.ts), given its rows. Throttled
 * jobs wait. Returns the number of throttled jobs. Never throws.
 */
export async function enqueueJobs(deps: EnqueueDeps, rows: unknown): Promise<number> {
  const now = Date.now();
  const jobs = Sent.safeParse(rows).data ?? [];
  const sent = jobs.flatMap((job) => (job.messageAt === null ? [] : [{ ...job, messageAt: job.messageAt }]));
  const [only] = sent;
  if (sent.length === 1 && only) await enqueueJob(deps, only, Math.max(0, only.messageAt - now) / SECOND);
  else await enqueueMany(deps, sent, now);
  return sent.length;
}

/** Records that these messages were not sent after all: the sweep sends them. */
export async function noteUnsent(db: Db, keys: readonly string[]): Promise<void> {
  const listed = isAmong(jobsTable.key, keys);
  await db
    .update(jobsTable)
    .set({ messageAt: null })
    .where(and(listed, eq(jobsTable.state, "open"), isNull(jobsTable.leaseUntil)));
}
