import type { ProjectId } from "../core/ids.ts";
import { isNearlySpent } from "../core/meter.ts";
import { SharedAnswer } from "../core/shared-answer.ts";
import { SECOND } from "../core/time.ts";
import { readTogether, writeTogether } from "../db/client.ts";
import { deliveryJobs } from "../deliveries/single.ts";
import type { Webhook } from "../deliveries/table.ts";
import { markDispatched, type StoredEvent, selectPending } from "../events/outbox-store.ts";
import { enqueueJobs } from "../jobs/enqueue.ts";
import { openJobs } from "../jobs/open-jobs.ts";
import type { Deps } from "../service/deps.ts";
import { messageOf } from "./catalog.ts";
import { insertDeliveries, type NewDelivery, selectReceivers } from "./delivery-store.ts";
import { hasEnabledWebhook } from "./store.ts";

/** How long an isolate remembers whether a project has webhooks; a first webhook waits for the sweep. */
const KEEP_MS = 30 * SECOND;
/** Projects that an isolate remembers; above, it forgets all. */
const MAX_PROJECTS = 1_000;
/** The number of events per transaction, and of transactions per invocation. */
const PAGE = 100;
const MAX_PAGES = 10;

/**
 * Opens a delivery for each pending event and each subscribed webhook. It runs at the end of an invocation,
 * so that they need not wait for the sweep. `projectId` is the project of the invocation (null: unknown).
 * Without an enabled webhook, the cost is one read per isolate, project and half minute. Never throws.
 */
export async function dispatchSoon(deps: Deps, projectId: ProjectId | null): Promise<void> {
  try {
    if (await isHooked(deps, projectId)) await dispatchEvents(deps, projectId);
  } catch (error) {
    deps.log.error("events_not_dispatched", error);
  }
}

/** Whether the project, or any (null), has an enabled webhook: cached per isolate for half a minute. */
export async function isHooked({ db, memory }: Deps, projectId: ProjectId | null): Promise<boolean> {
  const { hooked } = memory;
  if (hooked.size > MAX_PROJECTS) hooked.clear();
  const known = hooked.get(projectId) ?? new SharedAnswer<boolean>();
  hooked.set(projectId, known);
  return known.get(async () => ({ value: await hasEnabledWebhook(db, projectId), keepMs: KEEP_MS }));
}

/**
 * Opens the deliveries of pending events, of one project or of all (null: the sweep). A unique index allows
 * one delivery per event and webhook. So concurrent dispatchers, and one that died midway, open each delivery
 * once.
 */
export async function dispatchEvents(deps: Deps, projectId: ProjectId | null): Promise<void> {
  for (let page = 0; page < MAX_PAGES && !isNearlySpent(deps.meter); page++) {
    const { events, webhooks } = await readTogether(deps.db, {
      events: selectPending(deps.db, projectId, PAGE),
      webhooks: selectReceivers(deps.db, projectId, PAGE),
    });
    if (events.length === 0) return;
    await dispatchPage(deps, events, webhooks);
    if (events.length < PAGE) return;
  }
}

async function dispatchPage({ db, ...deps }: Deps, events: readonly StoredEvent[], webhooks: readonly Webhook[]) {
  const now = Date.now();
  const ofProject = Map.groupBy(webhooks, (webhook) => webhook.projectId);
  const deliveries = events.flatMap((event) => {
    const message = messageOf(event);
    if (message === null) return [];
    return (ofProject.get(event.projectId) ?? []).flatMap((webhook) => deliveryOf(webhook, event, message));
  });
  const opened = [...Map.groupBy(deliveries, (delivery) => delivery.projectId)].flatMap(([projectId, some]) => {
    const { statement, subjects } = insertDeliveries(db, some, now, false);
    return [statement, openJobs(db, deliveryJobs(projectId, subjects, now))];
  });
  const { jobs } = await writeTogether(db, { jobs: opened, dispatched: markDispatched(db, events) });
  for (const rows of jobs) await enqueueJobs({ db, ...deps }, rows);
}

function deliveryOf(
  { id: webhookId, projectId, types, startsAfter }: Webhook,
  { id: eventId }: StoredEvent,
  { messageId, type }: NonNullable<ReturnType<typeof messageOf>>,
): NewDelivery[] {
  const isWanted = eventId > startsAfter && (types === null || types.includes(type));
  return isWanted ? [{ projectId, webhookId, eventId, messageId, type }] : [];
}
