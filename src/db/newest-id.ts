import { type SQL, sql } from "drizzle-orm";

/**
 * The id of the row that the same transaction has just inserted: ids only rise (AUTOINCREMENT; the newest
 * post is never deleted). It reads one row, whereas a query of `sqlite_sequence` reads that whole table.
 */
export function newestIdOf<Id extends number>(
  table:
    | "posts"
    | "automations"
    | "campaigns"
    | "generations"
    | "webhooks"
    | "comment_acts"
    | "direct_messages"
    | "feeds"
    | "series",
) {
  return sql`(SELECT max(id) FROM ${sql.identifier(table)})` as SQL<Id>;
}
