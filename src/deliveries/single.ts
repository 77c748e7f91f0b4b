import { type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";
import { type NewJobs, openJobs } from "../jobs/open-jobs.ts";
import { MESSAGE_LIFE_MS } from "./retry-schedule.ts";
import { insertMessage } from "./store.ts";

/**
 * The delivery jobs, `hook:<delivery>`, which webhooks/delivery-job.ts runs. `subjects` is a query of their
 * `id` and `at`.
 */
export function deliveryJobs(projectId: ProjectId, subjects: SQL, now: number): NewJobs {
  return { kind: "hook", queue: "hooks", limitMs: MESSAGE_LIFE_MS, projectId, subjects, now };
}

/**
 * A message to an address that a request named (`web_hook`), signed with the project's key
 * (`rotate-generation-secret`).
 */
export interface SingleMessage {
  readonly projectId: ProjectId;
  readonly url: string;
  readonly type: string;
  /** The exact body that is sent. */
  readonly body: string;
  /** The subject, e.g. `generation:12`; each subject has at most one message. */
  readonly about: string;
  /** `webhook-id`: the same for every attempt. */
  readonly messageId: string;
}

/**
 * Sends a message, at most one per subject, while `condition` holds. It belongs in the batch of the change
 * that it reports. The rows of `job` are for `enqueueJobs`; without that call, the sweep sends the message.
 * `selectMessagesAbout` returns the result.
 */
export function openMessage(db: Db, message: SingleMessage, now: number, condition = sql`1`) {
  const { projectId, about } = message;
  const isFirst = sql`${condition} AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE about = ${about})`;
  const subjects = sql`SELECT id, created_at AS at FROM webhook_deliveries WHERE about = ${about} AND state = 'waiting'`;
  return {
    message: insertMessage(db, { ...message, webhookId: null, nextAt: now }, now, isFirst),
    job: openJobs(db, deliveryJobs(projectId, subjects, now)),
  };
}
