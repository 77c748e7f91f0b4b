import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ofProject } from "../accounts/table.ts";
import { instant } from "../db/columns.ts";

/** Who did what in a project. Kept for a year. */
export const auditTable = sqliteTable(
  "audit_entries",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    projectId: ofProject(),
    at: instant("at").notNull(),
    source: text("source").$type<"console" | "token" | "operator" | "client">().notNull(),
    /**
     * The person's e-mail address, the number of the token, the operator's command, or a client by a link.
     */
    actor: text("actor").notNull(),
    /** The path of the console's action, or the id of the operation. */
    action: text("action").notNull(),
    /** The path that was called, without values of forms or bodies. */
    path: text("path").notNull(),
    /** Written before the act; an entry that stays `begun` is of an act whose outcome was not recorded. */
    state: text("state").$type<"begun" | "done">().notNull().default("begun"),
    /** How many acts the entry stands for: more than one beyond the entries of an hour (store.ts). */
    times: integer("times").notNull().default(1),
    /** The hour, who and what of such an entry; null for one of a single act. */
    folded: text("folded").unique(),
  },
  (table) => [index("audit_by_project").on(table.projectId, table.id), index("audit_age").on(table.at)],
);
export type AuditEntry = typeof auditTable.$inferSelect;
