import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import { ofProject } from "../accounts/table.ts";
import type { DeliveryId, ProjectId, WebhookId } from "../core/ids.ts";
import { instant, parsedJson } from "../db/columns.ts";
import { Tries } from "./stored.ts";

/** The encrypted signing secrets (secrets.ts): the newest, and the previous one while it is still valid. */
const secretColumns = {
  secret: text("secret").notNull(),
  /** The id of the sealing key, to find secrets that an old key encrypted. */
  secretKey: text("secret_key").notNull(),
  oldSecret: text("old_secret"),
  oldUntil: instant("old_until"),
};

/** The endpoints to which a project's events are sent. */
export const webhooksTable = sqliteTable(
  "webhooks",
  {
    id: integer("id").$type<WebhookId>().primaryKey({ autoIncrement: true }),
    projectId: ofProject(),
    url: text("url").notNull(),
    description: text("description"),
    /** The subscribed types of messages; null: all types, including those of later releases. */
    types: parsedJson("types", z.array(z.string()).readonly()),
    /** The most events in one request; above 1, requests have batches. */
    eventsPerRequest: integer("events_per_request").notNull().default(1),
    state: text("state").$type<"enabled" | "disabled">().notNull(),
    /** Why the webhook is disabled; null while it is enabled. */
    disabledReason: text("disabled_reason").$type<DisabledReason>(),
    disabledAt: instant("disabled_at"),
    /** The newest event when the webhook was created or last enabled: it receives only later events. */
    startsAfter: integer("starts_after").notNull(),
    /** Since when all attempts have failed; null if the last one succeeded. */
    failingSince: instant("failing_since"),
    ...secretColumns,
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [
    index("webhooks_of_project").on(table.projectId, table.id),
    index("webhooks_enabled").on(table.projectId).where(sql`state = 'enabled'`),
    index("webhooks_by_secret_key").on(table.secretKey),
  ],
);
export const DISABLED_REASONS = ["on_request", "gone", "failing"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];
export type Webhook = typeof webhooksTable.$inferSelect;

/** The key that signs a project's single messages (`web_hook`), created with the first of them. */
export const webhookKeysTable = sqliteTable(
  "webhook_keys",
  { projectId: integer("project_id").$type<ProjectId>().primaryKey(), ...secretColumns },
  (table) => [index("webhook_keys_by_secret_key").on(table.secretKey)],
);

/** A message to one address, and its result. */
export const deliveriesTable = sqliteTable(
  "webhook_deliveries",
  {
    id: integer("id").$type<DeliveryId>().primaryKey({ autoIncrement: true }),
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    /** Null for a single message to its own address. */
    webhookId: integer("webhook_id").$type<WebhookId>(),
    /** The event that it reports; null for a message whose body is stored here. */
    eventId: integer("event_id"),
    /** `webhook-id`: the same for every attempt and replay. */
    messageId: text("message_id").notNull(),
    type: text("type").notNull(),
    url: text("url"),
    body: text("body"),
    /** The subject of a single message, e.g. `generation:12`. */
    about: text("about"),
    state: text("state").$type<DeliveryState>().notNull(),
    /** Attempts since the delivery was created or replayed. */
    attempts: integer("attempts").notNull(),
    /** When the next attempt is due; null when the delivery has ended. */
    nextAt: instant("next_at"),
    tries: parsedJson("tries", Tries).notNull(),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [
    index("webhook_deliveries_listed").on(table.webhookId, table.id),
    index("webhook_deliveries_by_state").on(table.webhookId, table.state, table.id),
    uniqueIndex("webhook_deliveries_by_event").on(table.webhookId, table.eventId).where(sql`event_id IS NOT NULL`),
    index("webhook_deliveries_about").on(table.about).where(sql`about IS NOT NULL`),
    index("webhook_deliveries_old").on(table.createdAt),
  ],
);
export const DELIVERY_STATES = ["waiting", "delivered", "failed"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
export type Delivery = typeof deliveriesTable.$inferSelect;
