import { answerSentence } from "../core/answer-problems.ts";
import { SECOND } from "../core/time.ts";
import { attempt } from "../deliveries/attempt.ts";
import { openSecrets } from "../deliveries/secrets.ts";
import { endOf, settleDelivery } from "../deliveries/store.ts";
import type { Delivery, Webhook } from "../deliveries/table.ts";
import type { Journal } from "../jobs/journal.ts";
import { jobKey } from "../jobs/messages.ts";
import { RetryLater } from "../jobs/outcomes.ts";
import { closeUnclaimed } from "../jobs/reschedule.ts";
import type { Deps } from "../service/deps.ts";
import { bodyOfDelivery, listEventsOf, takeDue } from "./delivery-store.ts";
import { healthStatements } from "./store.ts";

/**
 * Sends several events in one request, to a webhook that asks for it (`events_per_request`). Each event has
 * its own delivery and job, as without batches. The first job to run takes the other due deliveries of the
 * webhook, by moving their time, so that no other job sends them meanwhile. If it dies, their own jobs send
 * them after that time.
 */
const TAKEN_MS = 60 * SECOND;

export async function sendBatch(deps: Deps, journal: Journal, delivery: Delivery, webhook: Webhook): Promise<void> {
  const { db } = deps;
  await journal.checkpoint();
  const now = Date.now();
  const most = { now, until: now + TAKEN_MS, limit: webhook.eventsPerRequest };
  const taken = await takeDue(db, webhook.id, delivery.id, { ...most, condition: journal.hasLease });
  const own = taken.find(({ id }) => id === delivery.id);
  if (!own) {
    const dueAt = Math.max(delivery.nextAt ?? 0, now + SECOND);
    return journal.retryLater((dueAt - now) / SECOND, "Another request is sending this event.", null);
  }
  const events = await listEventsOf(db, taken);
  const each = taken
    .toSorted((a, b) => (a.eventId ?? 0) - (b.eventId ?? 0))
    .map((one) => ({ one, body: bodyOfDelivery(one, events.get(one.eventId ?? 0) ?? null) }));
  const sent = each.flatMap(({ one, body }) => (body === null ? [] : [{ one, body }]));
  const secrets = await openSecrets(deps, webhook.projectId, webhook, now);
  const outgoing = {
    url: webhook.url,
    messageId: await batchId(sent.map(({ one }) => one.messageId)),
    body: `{"type":"batch","events":[${sent.map(({ body }) => body).join(",")}]}`,
    secrets,
  };
  const last = sent.length === 0 ? null : await attempt(deps, outgoing);
  const at = Date.now();
  const ends = each.map(({ one, body }) => ({ one, end: endOf(one, body === null ? null : last, at) }));
  const { hasLease } = journal;
  const closed = ends.flatMap(({ one, end }) =>
    end.nextAt === null && one.id !== own.id ? [jobKey(journal.job.kind, one.id)] : [],
  );
  const written = [
    ...ends.map(({ one, end }) => settleDelivery(db, one, end, hasLease)),
    ...(last === null ? [] : healthStatements(db, webhook, last, hasLease)),
    closeUnclaimed(db, closed, at, hasLease),
  ];
  const nextAt = ends.find(({ one }) => one.id === own.id)?.end.nextAt ?? null;
  if (nextAt === null) return journal.finish({ writes: written });
  const cause = {
    code: null,
    message: last?.problem ? answerSentence(last.problem) : "The events were not delivered.",
  };
  throw new RetryLater((nextAt - at) / SECOND, cause, written);
}

/** The same events have the same id when they are sent again. */
async function batchId(messageIds: readonly string[]): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(messageIds.join(" ")));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"));
  return `batch_${hex.join("").slice(0, 32)}`;
}
