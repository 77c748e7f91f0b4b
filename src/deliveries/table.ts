import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import { projectsTable } from "../accounts/table.ts";
import type { DeliveryId, ProjectId, WebhookId } from "../core/ids.ts";
import { instant, parsedJson } from "../db/columns.ts";
import { Tries } from "./stored.ts";

/**
 * What its messages are signed with: sealed (secrets.ts). Beside the newest the one before, while that is
 * still valid.
 */
const secretColumns = {
  secret: text("secret").notNull(),
  /** Of the sealing key: so that secrets of an old one are found. */
  secretKey: text("secret_key").notNull(),
  oldSecret: text("old_secret"),
  oldUntil: instant("old_until"),
};

/** Where a project wants its events to go. */
export const webhooksTable = sqliteTable(
  "webhooks",
  {
    id: integer("id").$type<WebhookId>().primaryKey({ autoIncrement: true }),
    projectId: integer("project_id")
      .$type<ProjectId>()
      .notNull()
      .references(() => projectsTable.id),
    url: text("url").notNull(),
    description: text("description"),
    /** Types of messages that it wants; null: all, those of later releases too. */
    types: parsedJson("types", z.array(z.string()).readonly()),
    state: text("state").$type<"enabled" | "disabled">().notNull(),
    /** Why it is disabled; null while it is not. */
    disabledReason: text("disabled_reason").$type<DisabledReason>(),
    disabledAt: instant("disabled_at"),
    /** The newest event when it was created, or last enabled: it gets what happens after that. */
    startsAfter: integer("starts_after").notNull(),
    /** Since when no attempt has worked; null when the last one did. */
    failingSince: instant("failing_since"),
    ...secretColumns,
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [
    index("webhooks_of_project").on(table.projectId, table.id),
    index("webhooks_by_secret_key").on(table.secretKey),
  ],
);
export const DISABLED_REASONS = ["on_request", "gone", "failing"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];
export type Webhook = typeof webhooksTable.$inferSelect;

/** What a project's single messages are signed with (`web_hook`): made with the first of them. */
export const webhookKeysTable = sqliteTable(
  "webhook_keys",
  { projectId: integer("project_id").$type<ProjectId>().primaryKey(), ...secretColumns },
  (table) => [index("webhook_keys_by_secret_key").on(table.secretKey)],
);

/** A message to one address, and what became of it. */
export const deliveriesTable = sqliteTable(
  "webhook_deliveries",
  {
    id: integer("id").$type<DeliveryId>().primaryKey({ autoIncrement: true }),
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    /** Null for a single message to an address of its own. */
    webhookId: integer("webhook_id").$type<WebhookId>(),
    /** What it tells; null for a message that has its body here. */
    eventId: integer("event_id"),
    /** `webhook-id`: stays the same however often it is sent. */
    messageId: text("message_id").notNull(),
    type: text("type").notNull(),
    url: text("url"),
    body: text("body"),
    /** What a single message is about, e.g. `generation:12`. */
    about: text("about"),
    state: text("state").$type<DeliveryState>().notNull(),
    /** Attempts since it was made, or replayed. */
    attempts: integer("attempts").notNull(),
    /** When it is due; null when it has ended. */
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
