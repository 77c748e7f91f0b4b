import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { FailureCode } from "../core/failures.ts";
import { instant } from "../db/columns.ts";
import type { PlatformName } from "../platforms/names.ts";
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

/**
 * Refusals of posts that our rules had let pass, counted: a rule that changed at the platform shows here
 * first. In each database; clustered by its key (WITHOUT ROWID).
 */
export const missedRulesTable = sqliteTable(
  "missed_rules",
  {
    platform: text("platform").$type<PlatformName>().notNull(),
    /** The call without ids and version: `POST /{id}/photos`. */
    operation: text("operation").notNull(),
    code: text("code").$type<FailureCode>().notNull(),
    /** The platform's own code, such as `100/2207026`; empty if it has none. */
    platformCode: text("platform_code").notNull(),
    /** What the platform said, without numbers, secrets and anything of the post. */
    words: text("words").notNull(),
    count: integer("count").notNull(),
    firstAt: instant("first_at").notNull(),
    lastAt: instant("last_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.platform, table.operation, table.code, table.platformCode, table.words] }),
    index("missed_rules_last").on(table.lastAt),
  ],
);
export type MissedRule = typeof missedRulesTable.$inferSelect;
