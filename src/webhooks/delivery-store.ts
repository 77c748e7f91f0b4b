import { and, asc, desc, eq, getTableColumns, gte, inArray, lt, lte, type SQL, sql } from "drizzle-orm";
import type { DeliveryId, ProjectId, WebhookId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Try } from "../deliveries/stored.ts";
import {
  type Delivery,
  type DeliveryState,
  deliveriesTable,
  leavingEventsTable,
  webhooksTable,
} from "../deliveries/table.ts";
import { eventsTable } from "../events/table.ts";
import { type Message, messageOf, type StoredEvent } from "./catalog.ts";

/** SQL of what webhooks are told, and of its deliveries. */

/** Longer than an attempt: then a message is free again that a run took which died. */
export const TAKEN_MS = 60_000;

/** Events behind the webhook's cursor, in order; for an enabled one. */
export function selectNews(db: Db, id: WebhookId, limit: number) {
  return db
    .select(getTableColumns(eventsTable))
    .from(webhooksTable)
    .innerJoin(
      leavingEventsTable,
      and(
        eq(leavingEventsTable.projectId, webhooksTable.projectId),
        sql`${leavingEventsTable.eventId} > ${webhooksTable.cursor}`,
      ),
    )
    .innerJoin(eventsTable, eq(eventsTable.id, leavingEventsTable.eventId))
    .where(and(eq(webhooksTable.id, id), eq(webhooksTable.state, "enabled")))
    .orderBy(asc(leavingEventsTable.eventId))
    .limit(limit);
}

/** True while there are events behind the cursor of an enabled webhook. */
export function hasNews(id: WebhookId): SQL {
  return sql`EXISTS (SELECT 1 FROM webhooks JOIN leaving_events ON leaving_events.project_id = webhooks.project_id
    AND leaving_events.event_id > webhooks.cursor WHERE webhooks.id = ${id} AND webhooks.state = 'enabled')`;
}

export interface NewDelivery {
  readonly message: Pick<Message, "messageId" | "type"> & { readonly eventId: number };
  readonly state: DeliveryState;
  readonly nextAt: number | null;
  readonly tries: readonly Try[];
}

interface Place {
  readonly id: WebhookId;
  readonly projectId: ProjectId;
  readonly cursor: number;
}

/**
 * Moves the webhook's cursor on to `to`, with the deliveries of what it has passed, by statements of one batch: only while nobody
 * else has moved it; the last one answers no row otherwise. `failingSince` null: the last attempt worked; left out: there was none.
 */
export function passOn(
  db: Db,
  { id, projectId, cursor }: Place,
  to: number,
  deliveries: readonly NewDelivery[],
  { failingSince, now }: { readonly failingSince?: number | null; readonly now: number },
): Statement[] {
  const isHere = sql`EXISTS (SELECT 1 FROM webhooks WHERE webhooks.id = ${id} AND webhooks.cursor = ${cursor})`;
  const rows = JSON.stringify(
    deliveries.map(({ message, state, nextAt, tries }) => {
      return { ...message, state, nextAt, tries, attempts: tries.length };
    }),
  );
  const value = (name: string) => sql`delivery.value ->> ${name}`;
  const columns = {
    projectId,
    webhookId: id,
    eventId: value("eventId"),
    messageId: value("messageId"),
    type: value("type"),
    state: value("state"),
    attempts: value("attempts"),
    nextAt: value("nextAt"),
    tries: value("tries"),
    createdAt: now,
    updatedAt: now,
  };
  const each = sql`json_each(${rows}) AS delivery`;
  const moved = failingSince === undefined ? { cursor: to } : { cursor: to, failingSince };
  return [
    ...(deliveries.length > 0 ? [insertWhere(db, deliveriesTable, columns, isHere, each).onConflictDoNothing()] : []),
    db
      .update(webhooksTable)
      .set(moved)
      .where(and(eq(webhooksTable.id, id), eq(webhooksTable.cursor, cursor)))
      .returning({ id: webhooksTable.id }),
  ];
}

export interface DueDelivery extends Delivery {
  /** Null for a message with a body of its own. */
  readonly event: StoredEvent | null;
}

/** Takes deliveries of the webhook that are due, the oldest first, so that no other run attempts them too. */
export async function takeDue(db: Db, id: WebhookId, now: number, limit: number): Promise<readonly DueDelivery[]> {
  const isDue = and(
    eq(deliveriesTable.webhookId, id),
    eq(deliveriesTable.state, "waiting"),
    lte(deliveriesTable.nextAt, now),
  );
  const due = db
    .select({ id: deliveriesTable.id })
    .from(deliveriesTable)
    .where(isDue)
    .orderBy(asc(deliveriesTable.nextAt), asc(deliveriesTable.id))
    .limit(limit);
  const taken = await db
    .update(deliveriesTable)
    .set({ nextAt: now + TAKEN_MS })
    .where(and(isDue, inArray(deliveriesTable.id, due)))
    .returning();
  return (await withEvents(db, taken)).toSorted((a, b) => a.id - b.id);
}

/** By a second query: in one, columns of the same name would fall together in what D1 answers. */
async function withEvents(db: Db, deliveries: readonly Delivery[]): Promise<DueDelivery[]> {
  const ids = deliveries.flatMap(({ eventId }) => (eventId === null ? [] : [eventId]));
  const events = ids.length === 0 ? [] : await db.select().from(eventsTable).where(isAmong(eventsTable.id, ids));
  const byId = new Map(events.map((event) => [event.id, event]));
  return deliveries.map((delivery) => {
    return { ...delivery, event: delivery.eventId === null ? null : (byId.get(delivery.eventId) ?? null) };
  });
}

/** Null when what it was to tell is forgotten. */
export function bodyOfDelivery({ body, event }: Pick<DueDelivery, "body" | "event">): string | null {
  return body ?? (event && (messageOf(event)?.body ?? null));
}

/** Whether the last attempt at the address worked. */
export function noteHealth(db: Db, id: WebhookId, failedAt: number | null): Statement {
  const failingSince = failedAt === null ? null : sql`coalesce(${webhooksTable.failingSince}, ${failedAt})`;
  return db.update(webhooksTable).set({ failingSince }).where(eq(webhooksTable.id, id));
}

/** Deliveries of a webhook, the newest first, before the id `before`. */
export async function listDeliveries(
  db: Db,
  webhookId: WebhookId,
  filter: { readonly before: number | null; readonly state: DeliveryState | null; readonly limit: number },
): Promise<readonly DueDelivery[]> {
  const rows = await db
    .select()
    .from(deliveriesTable)
    .where(
      and(
        eq(deliveriesTable.webhookId, webhookId),
        filter.before === null ? undefined : sql`${deliveriesTable.id} < ${filter.before}`,
        filter.state === null ? undefined : eq(deliveriesTable.state, filter.state),
      ),
    )
    .orderBy(desc(deliveriesTable.id))
    .limit(filter.limit);
  return withEvents(db, rows);
}

const anew = { state: "waiting" as const, attempts: 0 };

/** Has a delivery begin anew, whatever became of it. */
export function replayOne(db: Db, webhookId: WebhookId, id: DeliveryId, now: number) {
  return db
    .update(deliveriesTable)
    .set({ ...anew, nextAt: now, updatedAt: now })
    .where(and(eq(deliveriesTable.webhookId, webhookId), eq(deliveriesTable.id, id)))
    .returning({ id: deliveriesTable.id });
}

/** A time from one instant to another, epoch milliseconds, the second left out. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** Events of the window that the webhook has passed, in order, behind the event `after`. */
export async function listPassed(
  db: Db,
  { id, projectId }: { readonly id: WebhookId; readonly projectId: ProjectId },
  { from, to }: Window,
  after: number,
  limit: number,
): Promise<StoredEvent[]> {
  const cursor = sql`(SELECT cursor FROM webhooks WHERE webhooks.id = ${id})`;
  return db
    .select(getTableColumns(eventsTable))
    .from(leavingEventsTable)
    .innerJoin(eventsTable, eq(eventsTable.id, leavingEventsTable.eventId))
    .where(
      and(
        eq(leavingEventsTable.projectId, projectId),
        sql`${leavingEventsTable.eventId} > ${after}`,
        sql`${leavingEventsTable.eventId} <= ${cursor}`,
        gte(leavingEventsTable.createdAt, from),
        lt(leavingEventsTable.createdAt, to),
      ),
    )
    .orderBy(asc(leavingEventsTable.eventId))
    .limit(limit);
}

/** Has these events delivered to the webhook anew, whether it was told of them before or not. */
export function replayMany(
  db: Db,
  { id, projectId }: { readonly id: WebhookId; readonly projectId: ProjectId },
  messages: readonly NewDelivery["message"][],
  now: number,
): Statement {
  const value = (name: string) => sql`message.value ->> ${name}`;
  const columns = {
    projectId,
    webhookId: id,
    eventId: value("eventId"),
    messageId: value("messageId"),
    type: value("type"),
    ...anew,
    nextAt: now,
    tries: [],
    createdAt: now,
    updatedAt: now,
  };
  return insertWhere(
    db,
    deliveriesTable,
    columns,
    sql`true`,
    sql`json_each(${JSON.stringify(messages)}) AS message`,
  ).onConflictDoUpdate({
    target: [deliveriesTable.webhookId, deliveriesTable.eventId],
    targetWhere: sql`event_id IS NOT NULL`,
    set: { ...anew, nextAt: now, updatedAt: now },
  });
}
