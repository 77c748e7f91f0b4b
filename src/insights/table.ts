import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ofProject } from "../accounts/table.ts";
import { channelsTable } from "../channels/table.ts";
import type { ChannelId, PostId } from "../core/ids.ts";
import { instant, json, parsedJson } from "../db/columns.ts";
import type { PlatformName, PostType } from "../platforms/names.ts";
import { StoredDays, StoredItems, StoredNumbers } from "./stored.ts";

/**
 * What a published post achieved: one row with its latest numbers and one point a day. The row names the live
 * items itself, because the post may rest in the archive by then.
 */
export const postInsightsTable = sqliteTable(
  "post_insights",
  {
    postId: integer("post_id").$type<PostId>().primaryKey(),
    projectId: ofProject(),
    channelId: integer("channel_id")
      .$type<ChannelId>()
      .notNull()
      .references(() => channelsTable.id),
    platform: text("platform").$type<PlatformName>().notNull(),
    postType: text("post_type").$type<PostType>().notNull(),
    items: parsedJson("items", StoredItems).notNull(),
    publishedAt: instant("published_at").notNull(),
    /** When the latest numbers were read; null: never. */
    observedAt: instant("observed_at"),
    /** When they are read next; null: not any more. */
    dueAt: instant("due_at"),
    numbers: parsedJson("numbers", StoredNumbers),
    days: parsedJson("days", StoredDays).notNull().default(sql`'[]'`),
  },
  (table) => [
    index("post_insights_due").on(table.channelId, table.dueAt).where(sql`due_at IS NOT NULL`),
    index("post_insights_by_time").on(table.projectId, table.publishedAt),
    index("post_insights_of_channel").on(table.channelId, table.publishedAt),
  ],
);

/** What an account achieved on a day as its platform counts days. Clustered by its key (WITHOUT ROWID). */
export const channelInsightsTable = sqliteTable(
  "channel_insights",
  {
    projectId: ofProject(),
    /** No foreign key, as in `posts`. */
    channelId: integer("channel_id").$type<ChannelId>().notNull(),
    /** `2026-11-26` */
    day: text("day").notNull(),
    numbers: json("numbers").$type<Readonly<Record<string, number>>>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.channelId, table.day] }),
    index("channel_insights_age").on(table.day),
  ],
);
