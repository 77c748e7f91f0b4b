import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { projectsTable } from "../accounts/table.ts";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import { instant, json } from "../db/columns.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { AccountAttributes } from "../platforms/platform.ts";

export const CHANNEL_HEALTH = ["connected", "expiring", "reconnect_needed"] as const;
export type ChannelHealth = (typeof CHANNEL_HEALTH)[number];

export const channelsTable = sqliteTable(
  "channels",
  {
    id: integer("id").$type<ChannelId>().primaryKey({ autoIncrement: true }),
    projectId: integer("project_id")
      .$type<ProjectId>()
      .notNull()
      .references(() => projectsTable.id),
    /** The application's own id for its user (`userId` of connect-channel). */
    userRef: text("user_ref").notNull(),
    platform: text("platform").$type<PlatformName>().notNull(),
    /** The platform's id of the account: text, for they exceed 2^53. */
    accountId: text("account_id").notNull(),
    name: text("name").notNull(),
    username: text("username"),
    pictureUrl: text("picture_url"),
    attributes: json("attributes").$type<AccountAttributes>().notNull(),
    /** Sealed (core/sealing.ts) with the channel as associated data; null once disconnected. */
    credentials: text("credentials"),
    /** Id of the key that they are sealed with: the sweep seals old ones anew (reseal.ts). */
    credentialsKey: text("credentials_key"),
    credentialsExpireAt: instant("credentials_expire_at"),
    /** When the minute sweep should renew; null where nothing can be renewed. */
    refreshDueAt: instant("refresh_due_at"),
    /** One refresher at a time: X's refresh tokens work once. */
    refreshLeaseUntil: instant("refresh_lease_until"),
    refreshAttempts: integer("refresh_attempts").notNull().default(0),
    health: text("health").$type<ChannelHealth>().notNull(),
    healthReason: text("health_reason"),
    /** Weekly timetable, null = the default (slots.ts). */
    slots: json("slots").$type<WeeklySlots>(),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
    disconnectedAt: instant("disconnected_at"),
  },
  (table) => [
    // Connecting the same account again must meet the same row, even after it was disconnected.
    uniqueIndex("channels_by_account").on(table.projectId, table.platform, table.accountId),
    index("channels_refresh_due").on(table.refreshDueAt).where(sql`${table.refreshDueAt} IS NOT NULL`),
    index("channels_by_key").on(table.credentialsKey).where(sql`credentials_key IS NOT NULL`),
  ],
);

/** Times of day (`HH:mm`) by ISO weekday, "1" = Monday. */
export type WeeklySlots = Readonly<Record<string, readonly string[]>>;
