import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { DeliveryId, ProjectId, WebhookId } from "../core/ids.ts";
import { type Db, readTogether } from "../db/client.ts";
import { type WalkOf, walkOf } from "../db/id-list.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import {
  type Delivery,
  type DeliveryState,
  deliveriesTable,
  type Webhook,
  webhooksTable,
} from "../deliveries/table.ts";
import { pendingProjects, type StoredEvent, selectPublicEvents } from "../events/outbox-store.ts";
import { messageOf } from "./catalog.ts";

/** SQL of the deliveries of webhooks. */

/** The enabled webhooks of those events' projects. */
export function selectReceivers(db: Db, projectId: ProjectId | null, limit: number) {
  return db
    .select()
    .from(webhooksTable)
    .where(
      and(inArray(webhooksTable.projectId, pendingProjects(db, projectId, limit)), eq(webhooksTable.state, "enabled")),
    );
}

/** An event for one webhook. */
export type NewDelivery = Pick<Delivery, "projectId" | "messageId" | "type"> & {
  readonly webhookId: WebhookId;
  readonly eventId: number;
};

const value = (name: keyof NewDelivery) => sql`delivery.value ->> ${sql.raw(`'${name}'`)}`;

/**
 * Creates each delivery once, to webhooks that are still enabled; a replay sends existing ones again.
 * `subjects` is the query of the waiting deliveries, for the statement that opens their jobs.
 */
export function insertDeliveries(db: Db, deliveries: readonly NewDelivery[], now: number, isReplay: boolean) {
  const each = sql`json_each(${JSON.stringify(deliveries)}) AS delivery`;
  const columns = {
    projectId: value("projectId"),
    webhookId: value("webhookId"),
    eventId: value("eventId"),
    messageId: value("messageId"),
    type: value("type"),
    ...asNew(now),
    tries: [],
    createdAt: now,
  };
  const isEnabled = sql`EXISTS (SELECT 1 FROM webhooks WHERE webhooks.id = ${value("webhookId")} AND webhooks.state = 'enabled')`;
  const insert = insertWhere(db, deliveriesTable, columns, { from: each, when: isEnabled });
  const ofEvent = [deliveriesTable.webhookId, deliveriesTable.eventId];
  const again = { target: ofEvent, targetWhere: sql`event_id IS NOT NULL`, set: asNew(now) };
  return {
    statement: isReplay ? insert.onConflictDoUpdate(again) : insert.onConflictDoNothing(),
    subjects: sql`SELECT made.id, made.next_at AS at FROM ${each} JOIN webhook_deliveries AS made
      ON made.webhook_id = ${value("webhookId")} AND made.event_id = ${value("eventId")} AND made.event_id IS NOT NULL
      WHERE made.state = 'waiting'`,
  };
}

const asNew = (now: number) => ({ state: "waiting" as const, attempts: 0, nextAt: now, updatedAt: now });

/** Sends a delivery of the webhook again, whatever its result was. */
export function replayOne(db: Db, webhookId: WebhookId, id: DeliveryId, now: number) {
  const statement = db
    .update(deliveriesTable)
    .set(asNew(now))
    .where(and(eq(deliveriesTable.webhookId, webhookId), eq(deliveriesTable.id, id)));
  return {
    statement,
    subjects: sql`SELECT id, next_at AS at FROM webhook_deliveries WHERE id = ${id} AND state = 'waiting'`,
  };
}

/** A delivery, with everything that sending it needs. */
export interface ToSend {
  readonly delivery: Delivery;
  /** Null for a message with its own body, and for an erased event. */
  readonly event: StoredEvent | null;
  /** Null for a single message, and for a deleted webhook. */
  readonly webhook: Webhook | null;
}

/** One D1 call. */
export async function readToSend(db: Db, id: DeliveryId): Promise<ToSend | null> {
  const of = (column: string) => sql`(SELECT ${sql.raw(column)} FROM webhook_deliveries WHERE id = ${id})`;
  const { deliveries, events, webhooks } = await readTogether(db, {
    deliveries: db.select().from(deliveriesTable).where(eq(deliveriesTable.id, id)),
    events: selectPublicEvents(db, of("project_id"), (id) => sql`${id} = ${of("event_id")}`),
    webhooks: db
      .select()
      .from(webhooksTable)
      .where(sql`${webhooksTable.id} = ${of("webhook_id")}`),
  });
  const [delivery] = deliveries;
  return delivery ? { delivery, event: events[0] ?? null, webhook: webhooks[0] ?? null } : null;
}

/** Waiting deliveries that one batch considers, the newest first: one statement stays short. */
const MOST_CONSIDERED = 1_000;

/** Due deliveries to take, and until when no other job takes them. */
export interface Take {
  readonly now: number;
  readonly until: number;
  readonly limit: number;
  readonly condition: SQL;
}

/** Takes a delivery if it is due, and other due deliveries of its webhook, for one request. */
export function takeDue(db: Db, webhookId: WebhookId, id: DeliveryId, { now, until, limit, condition }: Take) {
  const newest = sql`SELECT id, next_at FROM webhook_deliveries WHERE webhook_id = ${webhookId} AND state = 'waiting'
    ORDER BY id DESC LIMIT ${MOST_CONSIDERED}`;
  const others = sql`SELECT id FROM (${newest}) WHERE next_at <= ${now} AND id <> ${id} ORDER BY id LIMIT ${limit - 1}`;
  const isOwnDue = sql`EXISTS (SELECT 1 FROM webhook_deliveries WHERE id = ${id} AND state = 'waiting' AND next_at <= ${now})`;
  return db
    .update(deliveriesTable)
    .set({ nextAt: until })
    .where(
      sql`(webhook_deliveries.id = ${id} OR webhook_deliveries.id IN (${others})) AND ${isOwnDue} AND ${condition}`,
    )
    .returning();
}

/** The events of these deliveries of one project, by their ids; erased ones are absent. */
export async function listEventsOf(
  db: Db,
  deliveries: readonly Pick<Delivery, "projectId" | "eventId">[],
): Promise<ReadonlyMap<number, StoredEvent>> {
  const ids = deliveries.flatMap(({ eventId }) => eventId ?? []);
  const [first] = deliveries;
  if (first === undefined || ids.length === 0) return new Map();
  const events = await selectPublicEvents(db, first.projectId, (id) => isAmong(id, ids));
  return new Map(events.map((event) => [event.id, event]));
}

/** The body that is sent; null if the event was erased. */
export function bodyOfDelivery({ body }: Delivery, event: StoredEvent | null): string | null {
  return body ?? (event && (messageOf(event)?.body ?? null));
}

export type ListedDelivery = Delivery & Pick<ToSend, "event">;

interface DeliveryFilter {
  readonly before: number | null;
  readonly state: DeliveryState | null;
  readonly limit: number;
}

/**
 * A webhook of the project, and its deliveries with their events, the newest first, before the id `before`.
 * Null for another project's webhook. Two D1 calls.
 */
export async function listDeliveries(
  db: Db,
  { projectId, id }: { readonly projectId: ProjectId; readonly id: WebhookId },
  { before, state, limit }: DeliveryFilter,
): Promise<{ readonly webhook: Webhook; readonly deliveries: WalkOf<ListedDelivery> } | null> {
  const { webhooks, rows } = await readTogether(db, {
    webhooks: db
      .select()
      .from(webhooksTable)
      .where(and(eq(webhooksTable.id, id), eq(webhooksTable.projectId, projectId))),
    rows: db
      .select()
      .from(deliveriesTable)
      .where(
        and(
          eq(deliveriesTable.webhookId, id),
          before === null ? undefined : sql`${deliveriesTable.id} < ${before}`,
          state === null ? undefined : eq(deliveriesTable.state, state),
        ),
      )
      .orderBy(desc(deliveriesTable.id))
      .limit(limit + 1),
  });
  const [webhook] = webhooks;
  if (!webhook) return null;
  // A second query, because D1 merges two columns of the same name in one query.
  const byId = await listEventsOf(db, rows);
  const deliveries = rows.map((delivery) => ({ ...delivery, event: byId.get(delivery.eventId ?? 0) ?? null }));
  return { webhook, deliveries: walkOf(deliveries, limit) };
}
