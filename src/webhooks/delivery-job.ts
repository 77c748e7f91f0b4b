import { answerSentence } from "../core/answer-problems.ts";
import { type DeliveryId, idOf } from "../core/ids.ts";
import { SECOND } from "../core/time.ts";
import type { Statement } from "../db/client.ts";
import { attempt } from "../deliveries/attempt.ts";
import { MESSAGE_LIFE_MS } from "../deliveries/retry-schedule.ts";
import { newSecret, openSecrets, type SealedSecrets, sealSecret } from "../deliveries/secrets.ts";
import { endOf, findDelivery, readKey, settleDelivery } from "../deliveries/store.ts";
import type { Try } from "../deliveries/stored.ts";
import type { Delivery } from "../deliveries/table.ts";
import type { HeldJob, JobEnd, JobHandler } from "../jobs/handler.ts";
import type { Finish, Journal } from "../jobs/journal.ts";
import { RetryLater } from "../jobs/outcomes.ts";
import type { Deps } from "../service/deps.ts";
import { sendBatch } from "./delivery-batch.ts";
import { bodyOfDelivery, readToSend, type ToSend } from "./delivery-store.ts";
import { healthStatements } from "./store.ts";

/**
 * Sends one message to one address, on the schedule of deliveries/retry-schedule.ts: the job
 * `hook:<delivery>`. It serves both events to webhooks and single messages (`web_hook`). An attempt that dies
 * before its result is written is repeated with the same `webhook-id`.
 */
export const deliveryJob: JobHandler<Deps> = {
  kind: "hook",
  queues: ["hooks"],
  limitMs: () => MESSAGE_LIFE_MS,
  version: 1,
  isLasting: () => false,
  run,
  failed,
};

async function run(deps: Deps, journal: Journal): Promise<void> {
  const found = await readToSend(deps.db, deliveryOf(journal));
  if (found?.delivery.state !== "waiting") return journal.finish();
  const { delivery, webhook } = found;
  if (webhook?.state === "enabled" && webhook.eventsPerRequest > 1) return sendBatch(deps, journal, delivery, webhook);
  const outgoing = await outgoingOf(deps, found);
  if (outgoing === null) return journal.finish({ writes: [settled(deps, journal, delivery, null)] });
  await journal.checkpoint();
  const { messageId, projectId } = delivery;
  const secrets = await openSecrets(deps, projectId, outgoing.sealed, Date.now());
  const last = await attempt(deps, { ...outgoing, messageId, secrets });
  const end = endOf(delivery, last, Date.now());
  const written = [
    settled(deps, journal, delivery, last),
    ...(webhook ? healthStatements(deps.db, webhook, last, journal.hasLease) : []),
  ];
  if (end.nextAt === null) return journal.finish({ writes: written });
  const cause = { code: null, message: last.problem ? answerSentence(last.problem) : "The message was not delivered." };
  throw new RetryLater((end.nextAt - Date.now()) / SECOND, cause, written);
}

const deliveryOf = ({ job }: HeldJob): DeliveryId => idOf<DeliveryId>(job.subjectId);

interface Outgoing {
  readonly url: string;
  readonly body: string;
  readonly sealed: SealedSecrets;
}

/** Null if there is nothing left to send: the webhook is disabled or deleted, or the event was erased. */
async function outgoingOf(deps: Deps, { delivery, event, webhook }: ToSend): Promise<Outgoing | null> {
  const { projectId, webhookId } = delivery;
  const body = bodyOfDelivery(delivery, event);
  if (body === null) return null;
  if (webhookId !== null) return webhook?.state === "enabled" ? { url: webhook.url, body, sealed: webhook } : null;
  if (delivery.url === null) return null;
  const sealed = await readKey(deps.db, projectId, () => sealSecret(deps, projectId, newSecret()));
  return { url: delivery.url, body, sealed };
}

/** Writes the result of an attempt; null: there was no attempt. */
function settled(deps: Deps, { hasLease }: HeldJob, delivery: Delivery, last: Try | null): Statement {
  return settleDelivery(deps.db, delivery, endOf(delivery, last, Date.now()), hasLease);
}

async function failed(deps: Deps, held: HeldJob, _end: JobEnd, journal: Journal | null): Promise<Finish> {
  const delivery = journal && (await findDelivery(deps.db, deliveryOf(held)));
  return delivery ? { writes: [settled(deps, held, delivery, null)] } : {};
}
