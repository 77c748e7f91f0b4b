import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ProjectId } from "../core/ids.ts";
import { instant, json } from "../db/columns.ts";
import type { OUTBOX_STATES } from "./outbox.ts";

/**
 * What happened, in order: written in the same batch as the change it reports. Clustered by its key (WITHOUT
 * ROWID), so that an event is one row and a timeline is contiguous.
 */
export const eventsTable = sqliteTable(
  "events",
  {
    /** Increases within its subject, and within a project that has webhooks (`nextEventId`). */
    id: integer("id").notNull(),
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    subject: text("subject").$type<EventSubject>().notNull(),
    subjectId: integer("subject_id").notNull(),
    /** E.g. `post.published`: each feature lists its own types (store.ts, eventLog). */
    type: text("type").notNull(),
    /** One sentence for a person. */
    message: text("message").notNull(),
    detail: json("detail").$type<Readonly<Record<string, unknown>>>(),
    createdAt: instant("created_at").notNull(),
    /** Whether the event is delivered to the project's webhooks (outbox.ts). */
    outbox: text("outbox").$type<(typeof OUTBOX_STATES)[number]>(),
  },
  (table) => [
    primaryKey({ columns: [table.subject, table.subjectId, table.id] }),
    index("events_pending").on(table.projectId, table.id).where(sql`outbox = 'pending'`),
    uniqueIndex("events_for_webhooks").on(table.projectId, table.id).where(sql`outbox IS NOT NULL`),
  ],
);

export type EventSubject =
  | "post"
  | "comment"
  | "series"
  | "feed"
  | "channel"
  | "automation"
  | "generation"
  | "campaign"
  | "webhook"
  | "usage"
  | "conversation";
