import { sql } from "drizzle-orm";
import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../db/columns.ts";
import type { AlertKind, AlertWay } from "./kinds.ts";

/**
 * What operators are notified of, by e-mail and webhook each: a row for a kind and its subject. Database 0.
 */
export const operatorAlertsTable = sqliteTable(
  "operator_alerts",
  {
    way: text("way").$type<AlertWay>().notNull(),
    kind: text("kind").$type<AlertKind>().notNull(),
    /** What it is about, e.g. a platform. Never content or personal data. */
    subject: text("subject").notNull(),
    /** The first and the last time since the last notification. */
    firstAt: instant("first_at").notNull(),
    lastAt: instant("last_at").notNull(),
    /** When the next notification is due; null if nothing has happened since the last one. */
    dueAt: instant("due_at"),
    notifiedAt: instant("notified_at"),
  },
  (table) => [
    primaryKey({ columns: [table.way, table.kind, table.subject] }),
    index("operator_alerts_due").on(table.way, table.dueAt).where(sql`due_at IS NOT NULL`),
  ],
);
export type OperatorAlert = typeof operatorAlertsTable.$inferSelect;
