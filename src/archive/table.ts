import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ofProjectUnchecked } from "../accounts/table.ts";
import { instant } from "../db/columns.ts";

/** Objects in the bucket that hold old rows of one project (pages.ts). */
export const archivePagesTable = sqliteTable(
  "archive_pages",
  {
    /** Never used twice, because rows of other tables name it. */
    id: integer("id").primaryKey({ autoIncrement: true }),
    projectId: ofProjectUnchecked(),
    /** The key of the object. */
    name: text("name").notNull(),
    /** When the object is deleted: in use, after its last entry has expired. */
    deleteAt: instant("delete_at").notNull(),
    /** Since when it has entries of rows that were purged; null if it has none. */
    staleAt: instant("stale_at"),
    /** The times of the first and the last of its events that a replay may name; null if it has none. */
    replayFrom: instant("replay_from"),
    replayTo: instant("replay_to"),
  },
  (table) => [
    index("archive_pages_to_delete").on(table.deleteAt),
    index("archive_pages_stale").on(table.staleAt).where(sql`stale_at IS NOT NULL`),
    index("archive_pages_to_replay").on(table.projectId, table.replayFrom).where(sql`replay_from IS NOT NULL`),
  ],
);
