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

/** A job, the queue that its messages go to, and when the next one is due. */
interface DueJob {
  readonly key: string;
  readonly queue: QueueName;
  readonly dueAt: number;
}

/**
 * Sends the messages of jobs whose rows are written. Never throws: the rows are the truth. If a queue rejects
 * a message, the sweep sends it within a minute, so the caller's work stands.
 */
export async function sendMessages(deps: EnqueueDeps, jobs: readonly DueJob[]): Promise<void> {
  const now = Date.now();
  const unsent = await deps.jobs.sendMany(
    jobs.map(({ key, queue, dueAt }) => {
      const delaySeconds = Math.max(0, dueAt - now) / SECOND;
      return { queue, message: { type: "job", key, dueAt: Math.max(dueAt, now) }, delaySeconds };
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
  const jobs = Sent.safeParse(rows).data ?? [];
  const sent = jobs.flatMap((job) => (job.messageAt === null ? [] : [{ ...job, dueAt: job.messageAt }]));
  await sendMessages(deps, sent);
  return sent.length;
}

/** Records that these messages were not sent after all: the sweep sends them. */
async function noteUnsent(db: Db, keys: readonly string[]): Promise<void> {
  const listed = isAmong(jobsTable.key, keys);
  await db
    .update(jobsTable)
    .set({ messageAt: null })
    .where(and(listed, eq(jobsTable.state, "open"), isNull(jobsTable.leaseUntil)));
}
