import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { projectsTable } from "../accounts/table.ts";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import { instant, json, parsedJson } from "../db/columns.ts";
import type { AccountAttributes } from "../platforms/context.ts";
import type { Capability, GrantPurpose, PlatformName } from "../platforms/names.ts";
import { WeeklySlots } from "./weekly-slots.ts";

export const CHANNEL_HEALTH = ["connected", "expiring", "reconnect_needed"] as const;
export type ChannelHealth = (typeof CHANNEL_HEALTH)[number];

/** Channels whose mark changes with the time. */
const TURNING = sql`marked_health = 'connected' AND expiring_at IS NOT NULL AND disconnected_at IS NULL`;

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
    /** Weekly timetable, null = the default (weekly-slots.ts). */
    slots: parsedJson("slots", WeeklySlots),
    /** Zone of the timetable, null = the project's. */
    slotsZone: text("slots_zone"),
    /** Since when the queue stands still; null = it runs. */
    queuePausedAt: instant("queue_paused_at"),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
    disconnectedAt: instant("disconnected_at"),
    /**
     * Its health (health.ts), for get-channels to filter by: `markHealth` sets both columns. While
     * it is `connected`, it becomes `expiring` at `expiring_at` by the time alone (health-mark.ts).
     */
    markedHealth: text("marked_health").$type<ChannelHealth>().notNull().default("reconnect_needed"),
    expiringAt: instant("expiring_at"),
  },
  (table) => [
    // Connecting the same account again must meet the same row, even after it was disconnected.
    uniqueIndex("channels_by_account").on(table.projectId, table.platform, table.accountId),
    // get-channels merges streams of one of these two (list.ts).
    index("channels_by_platform")
      .on(table.projectId, table.platform, table.markedHealth, table.id, table.expiringAt)
      .where(sql`disconnected_at IS NULL`),
    index("channels_of_user")
      .on(table.projectId, table.userRef, table.platform, table.markedHealth, table.id, table.expiringAt)
      .where(sql`disconnected_at IS NULL`),
    // Which marks the time has made untrue: of a project, and of all.
    index("channels_turning").on(table.projectId, table.expiringAt).where(TURNING),
    index("channels_turned").on(table.expiringAt).where(TURNING),
    // Whose posts those of a user are: also those of channels that were disconnected since.
    index("channels_by_user").on(table.projectId, table.userRef),
    // What a platform tells us of an account concerns every project that has it.
    index("channels_of_account").on(table.platform, table.accountId).where(sql`disconnected_at IS NULL`),
  ],
);

/**
 * How many connected channels a user of the project has by platform, and by platform and health, kept by
 * triggers on `channels`: JSON `{"facebook": 3, "facebook.expiring": 1}`. An empty user: all channels of the
 * project.
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
 * What the platform has allowed us on an account, by purpose. Rows stay when a channel is disconnected,
 * without their credentials, so that versions go on growing.
 */
export const grantsTable = sqliteTable(
  "grants",
  {
    channelId: integer("channel_id")
      .$type<ChannelId>()
      .notNull()
      .references(() => channelsTable.id),
    purpose: text("purpose").$type<GrantPurpose>().notNull(),
    /** Sealed (core/sealing.ts) with channel and purpose as associated data; null once disconnected. */
    credentials: text("credentials"),
    /** Id of the key that they are sealed with: the sweep seals old ones anew (reseal.ts). */
    credentialsKey: text("credentials_key"),
    /** What the person allowed. */
    scopes: json("scopes").$type<readonly string[]>(),
    expiresAt: instant("expires_at"),
    /** When it is over for good, renewals included; null where none is told. */
    reconnectBy: instant("reconnect_by"),
    /** When its person was told that it ends soon. */
    expiryNotifiedAt: instant("expiry_notified_at"),
    /**
     * Whose login it is at which of our apps, `app:person`: what ends one of theirs at the platform ends them
     * all. Null where that is not known.
     */
    login: text("login"),
    /** When the minute sweep should renew; null where nothing can be renewed. */
    refreshDueAt: instant("refresh_due_at"),
    /** One refresher at a time: X's refresh tokens work once. */
    refreshLeaseUntil: instant("refresh_lease_until"),
    refreshAttempts: integer("refresh_attempts").notNull().default(0),
    /** Grows by one with all credentials that are stored: what a platform refuses is told by it. */
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
    // Who else has a login that is to be ended (revoke.ts).
    index("grants_by_login").on(table.login).where(sql`login IS NOT NULL AND credentials IS NOT NULL`),
  ],
);

/**
 * Allowances at a platform that are used up (rate-limits.ts): written when one ends, so that whatever else needs
 * it waits without asking.
 */
export const rateLimitsTable = sqliteTable(
  "rate_limits",
  {
    platform: text("platform").$type<PlatformName>().notNull(),
    /** Of this account, whatever the project; empty: of our app, which is everyone's. */
    accountId: text("account_id").notNull(),
    /** Of the sandbox, which test projects act on: never of the real platform. */
    isTest: integer("is_test", { mode: "boolean" }).notNull(),
    /** What it stands in the way of. */
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

/** Buckets of paced acts (pace.ts): one row per account, or per app, in use. */
export const rateBucketsTable = sqliteTable(
  "rate_buckets",
  {
    /** Platform, account (empty: our app), live or test, and the act. */
    key: text("key").primaryKey(),
    /** When the bucket is full again: each act moves it on by `apart_ms`. */
    fullAt: instant("full_at").notNull(),
    /** How long one act takes to come back, and how many the full bucket holds. */
    apartMs: integer("apart_ms").notNull(),
    atOnce: integer("at_once").notNull(),
  },
  (table) => [index("rate_buckets_full").on(table.fullAt)],
);

/** Acts that wait for their turn at a bucket. They hold nothing: only an act takes from the bucket. */
export const rateWaitsTable = sqliteTable(
  "rate_waits",
  {
    bucket: text("bucket").notNull(),
    /** The key of the job, or of the recurring task, that acts. */
    waiter: text("waiter").notNull(),
    /** Who takes turns: a project, or a bot. */
    party: text("party").notNull(),
    /** Parties advance together: each has one act at a place. */
    place: integer("place").notNull(),
    since: instant("since").notNull(),
    /** When there was room for it first, as the sweep found; null before. */
    grantedAt: instant("granted_at"),
  },
  (table) => [
    primaryKey({ columns: [table.bucket, table.waiter] }),
    index("rate_waits_in_turn").on(table.bucket, table.place, table.since),
    index("rate_waits_of_party").on(table.bucket, table.party, table.place),
  ],
);

/** What is done as a channel, as far as it has allowances of its own. */
export type Act = Capability | "remove";

export type Stopped = Readonly<Partial<Record<Capability, string>>>;
