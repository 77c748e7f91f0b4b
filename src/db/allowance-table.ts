import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "./columns.ts";

/** How much of what is limited in a time was used (allowances.ts). Rows go when their time is over. */
export const allowancesTable = sqliteTable(
  "allowances",
  {
    key: text("key").primaryKey(),
    used: integer("used").notNull(),
    endsAt: instant("ends_at").notNull(),
  },
  (table) => [index("allowances_end").on(table.endsAt)],
);
