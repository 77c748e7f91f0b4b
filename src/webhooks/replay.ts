import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../core/caller.ts";
import { AppError, absent } from "../core/errors.ts";
import type { DeliveryId, WebhookId } from "../core/ids.ts";
import { MINUTE } from "../core/time.ts";
import { readTogether, type Statement, writeTogether } from "../db/client.ts";
import { deliveryJobs } from "../deliveries/single.ts";
import { findDelivery, insertMessage } from "../deliveries/store.ts";
import type { Webhook } from "../deliveries/table.ts";
import { listDispatched, type Window } from "../events/outbox-store.ts";
import { enqueueJobs } from "../jobs/enqueue.ts";
import { openJobs, reopenJobs } from "../jobs/open-jobs.ts";
import { takeBackEvents } from "../posts/timelines/take-back.ts";
import type { Deps } from "../service/deps.ts";
import { bodyOf, type LeavingName, messageOf } from "./catalog.ts";
import { insertDeliveries, replayOne } from "./delivery-store.ts";
import { getWebhook } from "./manage.ts";
import { sampleData } from "./sample.ts";

/** Messages that are sent on request: tests and replays. They are sent at once, with the usual retries. */

const PAGE = 500;
/** The number of pages per request. */
const MAX_PAGES = 4;

/**
 * Sends a test, or a sample of another event. Returns the id of the delivery. Errors: `not_found`;
 * `not_changeable` if the webhook is disabled.
 */
export async function sendTest(
  deps: Deps,
  caller: Caller,
  id: WebhookId,
  type: LeavingName = "webhook.test",
): Promise<DeliveryId> {
  const { projectId, id: webhookId } = await getEnabled(deps, caller, id);
  const now = Date.now();
  const messageId = `test_${crypto.randomUUID()}`;
  const data = { ...sampleData(type), ...(type.startsWith("webhook.") ? { webhook_id: id } : {}) };
  const body = bodyOf({ type, id: messageId, revision: 0, at: now, data });
  const message = { projectId, webhookId, messageId, type, url: null, body, about: null, nextAt: now };
  const subjects = sql`SELECT max(id) AS id, ${now} AS at FROM webhook_deliveries WHERE webhook_id = ${webhookId}`;
  const { made, opened } = await readTogether(deps.db, {
    made: insertMessage(deps.db, message, now),
    opened: openJobs(deps.db, deliveryJobs(projectId, subjects, now)),
  });
  await enqueueJobs(deps, opened);
  const [delivery] = made;
  if (!delivery) throw new Error("The test was not stored.");
  return delivery.id;
}

/** Sends one delivery again, whatever its result was. Returns the webhook's id. Errors: as above. */
export async function replayDelivery(deps: Deps, caller: Caller, id: DeliveryId): Promise<WebhookId> {
  const delivery = await findDelivery(deps.db, id);
  if (delivery?.projectId !== caller.projectId || delivery.webhookId === null) throw absent("delivery", id);
  const webhook = await getEnabled(deps, caller, delivery.webhookId);
  const now = Date.now();
  await sendAgain(deps, webhook, replayOne(deps.db, webhook.id, id, now), now);
  return webhook.id;
}

/** Runs the statement that resets deliveries to waiting, and restarts their jobs. */
async function sendAgain(
  deps: Deps,
  { projectId }: Webhook,
  { statement, subjects }: { readonly statement: Statement; readonly subjects: SQL },
  now: number,
): Promise<void> {
  const reopened = reopenJobs(deps.db, deliveryJobs(projectId, subjects, now));
  const { jobs } = await writeTogether(deps.db, { statement, ...reopened });
  await enqueueJobs(deps, jobs);
}

export interface Replayed {
  readonly count: number;
  /** The last event that was processed, if there are more; the next request continues after it. */
  readonly next: number | null;
}

/**
 * Sends the events of a time window again, if the webhook subscribes to them, including those missed while it
 * was disabled. Sends a limited number, from the event `after` on. Errors: as above.
 */
export async function replayWindow(
  deps: Deps,
  caller: Caller,
  id: WebhookId,
  { after, ...window }: Window & { readonly after: number },
): Promise<Replayed> {
  const webhook = await getEnabled(deps, caller, id);
  const { projectId, types } = webhook;
  // An event's id is its time in microseconds, or a little greater.
  const from = Math.max(window.from, Math.floor(after / 1000) - MINUTE);
  const before = await takeBackEvents(deps, projectId, { from, to: window.to });
  let place = after;
  let count = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const events = await listDispatched(deps.db, projectId, { ...window, after: place, before }, PAGE);
    const messages = events.flatMap((event) => {
      const message = messageOf(event);
      if (message === null || (types !== null && !types.includes(message.type))) return [];
      const { messageId, type } = message;
      return [{ projectId, webhookId: id, messageId, type, eventId: event.id }];
    });
    const now = Date.now();
    if (messages.length > 0) await sendAgain(deps, webhook, insertDeliveries(deps.db, messages, now, true), now);
    count += messages.length;
    place = events.at(-1)?.id ?? place;
    if (events.length < PAGE) return { count, next: before === null ? null : Math.max(place, before - 1) };
  }
  return { count, next: place };
}

async function getEnabled(deps: Deps, caller: Caller, id: WebhookId): Promise<Webhook> {
  const webhook = await getWebhook(deps, caller, id);
  if (webhook.state === "enabled") return webhook;
  throw new AppError("not_changeable", `The webhook ${id} is disabled. Enable it first (update-webhook).`);
}
