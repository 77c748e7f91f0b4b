import { idOf, type WebhookId } from "../core/ids.ts";
import { isNearlySpent } from "../core/meter.ts";
import { readTogether, runBatch } from "../db/client.ts";
import { attempt } from "../deliveries/attempt.ts";
import { endAfter, nextTryAt } from "../deliveries/patience.ts";
import { openSecrets } from "../deliveries/secrets.ts";
import type { Try } from "../deliveries/stored.ts";
import type { Webhook } from "../deliveries/table.ts";
import type { Deps } from "../deps.ts";
import type { Recurrence, RecurringHandler } from "../jobs/recurring.ts";
import type { RecurringTask } from "../jobs/recurring-store.ts";
import { messageOf, type StoredEvent } from "./catalog.ts";
import { type NewDelivery, passOn, selectNews } from "./delivery-store.ts";
import { disable, selectWebhook } from "./store.ts";
import { endNews, HOOKS, RUN_MS, runWithRetries, TASK } from "./tasks.ts";

/**
 * Tells a webhook what is new, in the order in which it happened, one message after the other: the recurring task `hooks:<webhook>`. Each
 * is written down with its cursor after the attempt: a process that dies between the two sends that message again, with the same id.
 *
 * What does not arrive is put with what is sent again (retries.ts), so that it holds up nothing. While a webhook fails, what is new goes
 * there too: many at a time and each by its own schedule, instead of one time limit after the other. Once something arrives, the order is
 * kept again.
 */
export const webhookNews: RecurringHandler<Deps> = { kind: HOOKS, ...TASK, run };

const PAGE = 100;

/** Begun anew by a message, and not by the sweep. */
const AT_ONCE: Recurrence = { kind: "again", afterMs: 0, isPrompt: true };

async function run(deps: Deps, subject: string, task: RecurringTask): Promise<Recurrence> {
  const id = idOf<WebhookId>(Number(subject));
  const endsAt = Date.now() + RUN_MS;
  while (Date.now() < endsAt && !isNearlySpent(deps.meter)) {
    const { webhooks, news } = await readTogether(deps.db, {
      webhooks: selectWebhook(deps.db, id),
      news: selectNews(deps.db, id, PAGE),
    });
    const [webhook] = webhooks;
    if (!webhook || news.length === 0) {
      const ended = await endNews(deps.db, id, task.turn);
      return ended.length > 0 ? { kind: "stop" } : AT_ONCE;
    }
    if (!(await tell(deps, webhook, news, endsAt))) return AT_ONCE;
  }
  return AT_ONCE;
}

/** Tells a page of events, as far as the time goes. False when somebody else does the same. */
async function tell(deps: Deps, webhook: Webhook, news: readonly StoredEvent[], endsAt: number): Promise<boolean> {
  const secrets = await openSecrets(deps, webhook.projectId, webhook, Date.now());
  let place = webhook;
  for (const [index, event] of news.entries()) {
    const message = wanted(webhook, event);
    if (message === null) continue;
    if (webhook.failingSince !== null) return putAway(deps, place, news.slice(index));
    if (Date.now() >= endsAt || isNearlySpent(deps.meter)) return passTo(deps, place, news[index - 1]);
    const last = await attempt(deps, { ...message, url: webhook.url, secrets });
    const isMoved = await writeDown(deps, place, { ...message, eventId: event.id }, last);
    if (!isMoved || last.error !== null) return isMoved;
    place = { ...place, cursor: event.id };
  }
  return passTo(deps, place, news.at(-1));
}

/** A message that this webhook wants to be told. */
function wanted({ types }: Webhook, event: StoredEvent) {
  const message = messageOf(event);
  return message !== null && (types === null || types.includes(message.type)) ? message : null;
}

/** What an attempt came to, and that the webhook is behind this event now. */
async function writeDown(
  deps: Deps,
  place: Webhook,
  { messageId, type, eventId }: NewDelivery["message"],
  last: Try,
): Promise<boolean> {
  const { db } = deps;
  const now = Date.now();
  const of = { message: { messageId, type, eventId }, tries: [last] };
  if (last.error === null) {
    const done = { ...of, state: "delivered", nextAt: null } as const;
    return hasMoved(await runBatch(db, passOn(db, place, eventId, [done], { failingSince: null, now })), 1);
  }
  const waits = { ...of, state: "waiting", nextAt: nextTryAt(1, now) } as const;
  const end = endAfter(last, place.failingSince);
  const statements = passOn(db, place, eventId, [waits], { failingSince: last.at, now });
  const ends = end ? disable(db, place, end, now) : [];
  return hasMoved(await runWithRetries(deps, place.id, [...statements, ...ends]), 1);
}

/** Moves on over what the webhook does not want. */
async function passTo({ db }: Deps, place: Webhook, last: StoredEvent | undefined): Promise<boolean> {
  if (!last || last.id <= place.cursor) return true;
  return hasMoved(await runBatch(db, passOn(db, place, last.id, [], { now: Date.now() })), 0);
}

/** Leaves the events to `rehooks`, due now. */
async function putAway(deps: Deps, place: Webhook, events: readonly StoredEvent[]): Promise<boolean> {
  const now = Date.now();
  const waiting = events.flatMap((event): NewDelivery[] => {
    const message = wanted(place, event);
    if (message === null) return [];
    const { messageId, type } = message;
    return [{ message: { messageId, type, eventId: event.id }, state: "waiting", nextAt: now, tries: [] }];
  });
  const to = events.at(-1)?.id ?? place.cursor;
  return hasMoved(await runWithRetries(deps, place.id, passOn(deps.db, place, to, waiting, { now })), 1);
}

/** Whether the statement at this place of a batch has written a row. */
function hasMoved(results: readonly unknown[], at: number): boolean {
  const rows = results[at];
  return Array.isArray(rows) && rows.length > 0;
}
