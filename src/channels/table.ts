import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import { ofProject } from "../accounts/table.ts";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import { instant, json, parsedJson } from "../db/columns.ts";
import type { AccountAttributes } from "../platforms/context.ts";
import type { Capability, GrantPurpose, PlatformName } from "../platforms/names.ts";
import { WeeklySlots } from "./weekly-slots.ts";

export const CHANNEL_HEALTH = ["connected", "expiring", "reconnect_needed"] as const;
export type ChannelHealth = (typeof CHANNEL_HEALTH)[number];

/** By kind of list (platforms/context.ts, PageSizes). */
const StoredPageSizes = z.record(z.string(), z.object({ size: z.int().min(1), at: z.number() }));

/** Channels whose mark changes with time alone. */
const TURNING = sql`marked_health = 'connected' AND expiring_at IS NOT NULL AND disconnected_at IS NULL`;

export const channelsTable = sqliteTable(
  "channels",
  {
    id: integer("id").$type<ChannelId>().primaryKey({ autoIncrement: true }),
    projectId: ofProject(),
    /** The application's own id for its user (`userId` of connect-channel). */
    userRef: text("user_ref").notNull(),
    platform: text("platform").$type<PlatformName>().notNull(),
    /** The platform's id of the account; text, because ids exceed 2^53. */
    accountId: text("account_id").notNull(),
    name: text("name").notNull(),
    username: text("username"),
    pictureUrl: text("picture_url"),
    attributes: json("attributes").$type<AccountAttributes>().notNull(),
    /** The weekly timetable; null: the default (weekly-slots.ts). */
    slots: parsedJson("slots", WeeklySlots),
    /** The timetable's time zone; null: the project's. */
    slotsZone: text("slots_zone"),
    /** Since when the queue is paused; null: it runs. */
    queuePausedAt: instant("queue_paused_at"),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
    disconnectedAt: instant("disconnected_at"),
    /** Since when its numbers are read although the platform charges for it; null: they are not. */
    paidInsightsAt: instant("paid_insights_at"),
    /** Since when comments under its posts are read without a bot; null: they are not. */
    collectsCommentsAt: instant("collects_comments_at"),
    /** Since when its direct messages are collected; null: they are not. */
    messagesSince: instant("messages_since"),
    /** How many items of its lists the platform gives at once, where fewer than requested (page-sizes.ts). */
    pageSizes: parsedJson("page_sizes", StoredPageSizes),
    /** How many databases have the account, which share its paces (account-databases.ts). */
    databases: integer("databases").notNull().default(1),
    /**
     * The channel's health (health.ts), by which get-channels filters; `markHealth` sets both columns. A
     * `connected` channel becomes `expiring` at `expiring_at` by time alone (health-mark.ts).
     */
    markedHealth: text("marked_health").$type<ChannelHealth>().notNull().default("reconnect_needed"),
    expiringAt: instant("expiring_at"),
  },
  (table) => [
    // Connecting an account again must reuse its row, even after it was disconnected.
    uniqueIndex("channels_by_account").on(table.projectId, table.platform, table.accountId),
    // get-channels merges streams of one of these two indexes (list.ts).
    index("channels_by_platform")
      .on(table.projectId, table.platform, table.markedHealth, table.id, table.expiringAt)
      .where(sql`disconnected_at IS NULL`),
    index("channels_of_user")
      .on(table.projectId, table.userRef, table.platform, table.markedHealth, table.id, table.expiringAt)
      .where(sql`disconnected_at IS NULL`),
    // Marks that are outdated by time: of one project, and of all.
    index("channels_turning").on(table.projectId, table.expiringAt).where(TURNING),
    index("channels_turned").on(table.expiringAt).where(TURNING),
    // The posts of a user include those of channels that were disconnected since.
    index("channels_by_user").on(table.projectId, table.userRef),
    // A platform's webhook for an account concerns every project that has the account.
    index("channels_of_account").on(table.platform, table.accountId),
  ],
);

/**
 * The number of connected channels of a project's user by platform, and by platform and health: JSON
 * `{"facebook": 3, "facebook.expiring": 1}`. Triggers on `channels` keep it. An empty user: all channels of
 * the project.
 */
export const channelCountsTable = sqliteTable(
  "channel_counts",
  {
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    userRef: text("user_ref").notNull(),
    counts: json("counts").$type<Readonly<Record<string, number>>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.userRef] })],
);

/**
 * What the platform has granted us on an account, by purpose. Rows stay when a channel is disconnected,
 * without their credentials, so that versions keep increasing.
 */
export const grantsTable = sqliteTable(
  "grants",
  {
    channelId: integer("channel_id")
      .$type<ChannelId>()
      .notNull()
      .references(() => channelsTable.id),
    purpose: text("purpose").$type<GrantPurpose>().notNull(),
    /** Encrypted (core/sealing.ts) with channel and purpose as associated data; null once disconnected. */
    credentials: text("credentials"),
    /** Id of the encryption key; the sweep re-encrypts old credentials (reseal.ts). */
    credentialsKey: text("credentials_key"),
    /** The granted scopes. */
    scopes: json("scopes").$type<readonly string[]>(),
    expiresAt: instant("expires_at"),
    /** When the grant finally expires, renewals included; null if unknown. */
    reconnectBy: instant("reconnect_by"),
    /** When the account owner was notified of the coming expiry. */
    expiryNotifiedAt: instant("expiry_notified_at"),
    /**
     * The app and user of the login, `app:person`: revoking one of the user's grants at the platform revokes
     * all. Null if unknown.
     */
    login: text("login"),
    /** When the person logged in; a renewal leaves it. */
    loggedInAt: instant("logged_in_at").notNull().default(0),
    /** When the minute sweep should renew; null if the grant cannot be renewed. */
    refreshDueAt: instant("refresh_due_at"),
    /** One renewal at a time: X's refresh tokens work once. */
    refreshLeaseUntil: instant("refresh_lease_until"),
    refreshAttempts: integer("refresh_attempts").notNull().default(0),
    /** Increases by one with all stored credentials; a platform's refusal refers to it. */
    version: integer("version").notNull(),
    /** When this version was stored, and by what. */
    storedAt: instant("stored_at").notNull(),
    storedBy: text("stored_by").$type<"login" | "renewal">().notNull(),
    health: text("health").$type<ChannelHealth>().notNull(),
    healthReason: text("health_reason"),
    /** Capabilities that lack a permission, with the reason; a login clears them. */
    stopped: json("stopped").$type<Stopped>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.purpose] }),
    index("grants_by_key").on(table.credentialsKey).where(sql`credentials_key IS NOT NULL`),
    // Finds other users of a login that is to be revoked (revoke.ts), and what ends with a login (logins.ts).
    index("grants_by_login").on(table.login).where(sql`login IS NOT NULL`),
    index("grants_of_unknown_login").on(table.channelId).where(sql`login IS NULL AND credentials IS NOT NULL`),
  ],
);

/** Rate limits that were reached (rate-limits.ts), so that other calls wait without calling the platform. */
export const rateLimitsTable = sqliteTable(
  "rate_limits",
  {
    platform: text("platform").$type<PlatformName>().notNull(),
    /** The account, in every project; empty: the limit of our app, for all accounts. */
    accountId: text("account_id").notNull(),
    /** The limit belongs to the sandbox, on which test projects act, not to the real platform. */
    isTest: integer("is_test", { mode: "boolean" }).notNull(),
    /** The limited act. */
    act: text("act").$type<Act>().notNull(),
    since: instant("since").notNull(),
    until: instant("until").notNull(),
    message: text("message").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.platform, table.accountId, table.isTest, table.act] }),
    index("rate_limits_expired").on(table.until),
  ],
);

/**
 * Which databases have, or had, a channel of an account: in the directory of a service with several
 * databases. Clustered by its key (WITHOUT ROWID).
 */
export const accountDatabasesTable = sqliteTable(
  "account_databases",
  {
    platform: text("platform").$type<PlatformName>().notNull(),
    accountId: text("account_id").notNull(),
    database: integer("database").notNull(),
  },
  (table) => [primaryKey({ columns: [table.platform, table.accountId, table.database] })],
);

/** An act as a channel that has its own rate limits. */
export type Act = Capability | "remove";

export type Stopped = Readonly<Partial<Record<Capability, string>>>;
