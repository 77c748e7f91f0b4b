import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ProjectId } from "../core/ids.ts";
import { instant } from "../db/columns.ts";

/** Keys of the `Idempotency-Key` header, kept 24 hours. */
export const idempotencyTable = sqliteTable(
  "idempotency_keys",
  {
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    key: text("key").notNull(),
    /** Hash of operation and body: a different body under the same key is refused. */
    requestHash: text("request_hash").notNull(),
    /** JSON from which the first answer is rebuilt; sealed if it holds a secret. */
    answer: text("answer").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.key] }), index("idempotency_by_age").on(table.createdAt)],
);
