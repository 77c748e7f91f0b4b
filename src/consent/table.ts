import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { instant } from "../db/columns.ts";
import type { AppName } from "../platforms/apps.ts";
import type { PlatformName } from "../platforms/names.ts";

/**
 * What a platform has reported about a person who removed our app, or wants their data deleted: the journal
 * of the task `deauthorize:<id>`. Only in the directory, because the login may serve projects of every
 * database.
 */
export const deauthorizationsTable = sqliteTable(
  "deauthorizations",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    platform: text("platform").$type<PlatformName>().notNull(),
    app: text("app").$type<AppName>().notNull(),
    isTest: integer("is_test", { mode: "boolean" }).notNull(),
    /** SHA-256 of what the platform signed: a repeat is the same row. */
    digest: text("digest").notNull(),
    /** The confirmation code, which is the name of its status page. */
    code: text("code").notNull(),
    /** The person in our app; null once nothing of them is stored. */
    userId: text("user_id"),
    issuedAt: instant("issued_at").notNull(),
    receivedAt: instant("received_at").notNull(),
    doneAt: instant("done_at"),
  },
  (table) => [
    uniqueIndex("deauthorizations_by_digest").on(table.digest),
    uniqueIndex("deauthorizations_by_code").on(table.code),
    index("deauthorizations_age").on(table.receivedAt).where(sql`done_at IS NOT NULL`),
  ],
);

export type StoredDeauthorization = typeof deauthorizationsTable.$inferSelect;
