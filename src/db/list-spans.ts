import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ProjectId } from "../core/ids.ts";

/** Not used any more (docs/decisions/0042). To be dropped in the next release. */
export const listSpansTable = sqliteTable(
  "list_spans",
  {
    list: text("list").notNull(),
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    bits: integer("bits").notNull(),
    span: integer("span").notNull(),
    entries: integer("entries").notNull(),
  },
  (table) => [primaryKey({ columns: [table.list, table.projectId, table.bits, table.span] })],
);
