import type { Log } from "../core/log.ts";
import { SECOND } from "../core/time.ts";
import type { Db } from "../db/client.ts";
import type { JobQueue } from "./queue.ts";
import { noteUnsent } from "./store.ts";

interface WakeDeps {
  readonly db: Db;
  readonly jobs: JobQueue;
  readonly log: Log;
}

/**
 * Sends the message of a job whose row is written. Never throws: the row is the truth, and when the queue takes no
 * message the sweep sends it within the minute, so what the caller has done stays done.
 */
export async function wakeJob(deps: WakeDeps, key: string, delaySeconds = 0): Promise<void> {
  try {
    await deps.jobs.send({ type: "job", key, dueAt: Date.now() + delaySeconds * SECOND }, delaySeconds);
  } catch (error) {
    deps.log.error("message_unsent", error, { key });
    try {
      await noteUnsent(deps.db, [key]);
    } catch (second) {
      // The sweep still misses the message, only later.
      deps.log.error("message_unsent", second, { key });
    }
  }
}
