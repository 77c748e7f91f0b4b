import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../db/columns.ts";

/** Buckets of paced acts (pace.ts): one row per account or app in use. */
export const rateBucketsTable = sqliteTable(
  "rate_buckets",
  {
    /** Platform, account (empty: our app), live or test, and the act. */
    key: text("key").primaryKey(),
    /** When the bucket is full again; each act adds `apart_ms`. */
    fullAt: instant("full_at").notNull(),
    /** The refill time of one act, and the capacity of the bucket. */
    apartMs: integer("apart_ms").notNull(),
    atOnce: integer("at_once").notNull(),
  },
  (table) => [index("rate_buckets_full").on(table.fullAt)],
);

/** Acts that wait for their turn at a bucket. They reserve nothing: only an act takes from the bucket. */
export const rateWaitsTable = sqliteTable(
  "rate_waits",
  {
    bucket: text("bucket").notNull(),
    /** The key of the job, or of the recurring task, that acts. */
    waiter: text("waiter").notNull(),
    /** The participant that takes turns: a project, or a bot. */
    party: text("party").notNull(),
    /** The round of the turn: each participant has one act per round. */
    place: integer("place").notNull(),
    since: instant("since").notNull(),
    /** When the sweep first found room for it; null before. */
    grantedAt: instant("granted_at"),
  },
  (table) => [
    primaryKey({ columns: [table.bucket, table.waiter] }),
    index("rate_waits_in_turn").on(table.bucket, table.place, table.since),
    index("rate_waits_of_party").on(table.bucket, table.party, table.place),
  ],
);
