import { sql } from "drizzle-orm";
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

/**
 * What databases hold of the paces of apps (rate-leases.ts), of a service with several. In the directory: a
 * row for each holder. In the others: their own, with what they have used of it.
 */
export const rateLeasesTable = sqliteTable(
  "rate_leases",
  {
    bucket: text("bucket").notNull(),
    /** The number of the database that holds the lease. */
    database: integer("database").notNull(),
    /** Grows with each lease, so that an answer that comes late changes nothing. */
    serial: integer("serial").notNull(),
    /** The acts of the lease; 0 once it is settled. */
    acts: integer("acts").notNull(),
    /** In the holder: those that ran. */
    used: integer("used").notNull(),
    /** No act of the lease runs from then on. */
    until: instant("until").notNull(),
    /** In the holder: it is being settled, and no act uses it any more. */
    isClosed: integer("is_closed", { mode: "boolean" }).notNull(),
    /** The bucket's, and how long a lease lasts: the holder's sweep reads them here. */
    apartMs: integer("apart_ms").notNull(),
    atOnce: integer("at_once").notNull(),
    lifeMs: integer("life_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.bucket, table.database] }),
    /** Finds leases that no one settles. */
    index("rate_leases_held").on(table.until).where(sql`acts > 0`),
  ],
);
