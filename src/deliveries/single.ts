import { sql } from "drizzle-orm";
import type { Cause } from "../core/failures.ts";
import { type DeliveryId, idOf, type ProjectId } from "../core/ids.ts";
import { SECOND } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { Later } from "../jobs/once.ts";
import type { JobHandler } from "../jobs/runner.ts";
import type { Journal } from "../jobs/steps.ts";
import { type Job, openJobs } from "../jobs/store.ts";
import { attempt } from "./attempt.ts";
import { MESSAGE_LIFE_MS } from "./patience.ts";
import { newSecret, openSecrets, sealSecret } from "./secrets.ts";
import { endOf, findDelivery, insertMessage, readKey, settleDelivery } from "./store.ts";
import type { Delivery } from "./table.ts";

/**
 * A single message to an address that a request named (`web_hook`): the job `hook:<delivery>`, on the schedule that webhooks have. It
 * is signed with a key of the project's, which `rotate-web-hook-secret` tells, and kept with its attempts under `about`.
 */
export const singleMessageJob: JobHandler<Deps> = {
  kind: "hook",
  queues: ["hooks"],
  limitMs: () => MESSAGE_LIFE_MS,
  version: 1,
  isLasting: () => false,
  run,
  fail,
  abandon,
};

export interface SingleMessage {
  readonly projectId: ProjectId;
  readonly url: string;
  readonly type: string;
  /** What is sent, as it is. */
  readonly body: string;
  /** What it is about, e.g. `generation:12`: there is at most one message about a thing. */
  readonly about: string;
  /** `webhook-id`: the same for every attempt. */
  readonly messageId: string;
}

/**
 * Sends a message, at most one about a thing: for the batch of the change that it tells, while `condition` holds. The rows of the last
 * statement are for `wakeJobs`; without that the sweep sends it. What became of it: `selectMessagesAbout`.
 */
export function openMessage(db: Db, message: SingleMessage, now: number, condition = sql`1`): readonly Statement[] {
  const { projectId, about } = message;
  const isFirst = sql`${condition} AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE about = ${about})`;
  const subjects = sql`SELECT id, created_at AS at FROM webhook_deliveries WHERE about = ${about} AND state = 'waiting'`;
  const { kind } = singleMessageJob;
  return [
    insertMessage(db, { ...message, webhookId: null, nextAt: now }, now, isFirst),
    openJobs(db, { kind, queue: "hooks", projectId, subjects, limitMs: MESSAGE_LIFE_MS, now }),
  ];
}

async function run(deps: Deps, journal: Journal): Promise<void> {
  const delivery = await findDelivery(deps.db, idOf<DeliveryId>(journal.job.subjectId));
  if (delivery?.state !== "waiting" || delivery.url === null || delivery.body === null) {
    await journal.finish([]);
    return;
  }
  const { projectId, url, messageId, body } = delivery;
  const sealed = await readKey(deps.db, projectId, () => sealSecret(deps, projectId, newSecret()));
  const secrets = await openSecrets(deps, projectId, sealed, Date.now());
  await journal.checkpoint();
  const last = await attempt(deps, { url, messageId, body, secrets });
  const now = Date.now();
  const end = endOf(delivery, last, now);
  const settled = [settleDelivery(deps.db, delivery, end, now, journal.held)];
  if (end.nextAt === null) await journal.finish(settled);
  else
    throw new Later((end.nextAt - now) / SECOND, { code: null, message: last.error ?? "It did not arrive." }, settled);
}

const failedOf = ({ attempts, tries }: Delivery) => ({ state: "failed", attempts, nextAt: null, tries }) as const;

async function fail(deps: Deps, journal: Journal, _cause: Cause): Promise<void> {
  const delivery = await findDelivery(deps.db, idOf<DeliveryId>(journal.job.subjectId));
  const ends = delivery ? [settleDelivery(deps.db, delivery, failedOf(delivery), Date.now(), journal.held)] : [];
  await journal.finish(ends);
}

/** Its row stays as it is, and goes in its time: nothing can be told of what cannot be read. */
function abandon(_deps: Deps, _job: Job): readonly Statement[] {
  return [];
}
