import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { projectsTable } from "../accounts/table.ts";
import type { FailureCode } from "../core/failures.ts";
import type { CampaignId, ChannelId, PostId, ProjectId } from "../core/ids.ts";
import { instant, parsedJson } from "../db/columns.ts";
import type { PlatformName } from "../platforms/names.ts";
import { StoredMade, StoredTerms } from "./stored.ts";

/** Decisions.md, Boosts. `failed`: it could not be made; `rejected`: the platform does not show it. */
export const CAMPAIGN_STATES = [
  "queued",
  "creating",
  "in_review",
  "active",
  "paused",
  "completed",
  "rejected",
  "failed",
  "deleted",
] as const;
export type CampaignState = (typeof CAMPAIGN_STATES)[number];

/** Boost campaigns (spec 2.10). Money is in minor units of `terms.currency`. */
export const campaignsTable = sqliteTable(
  "campaigns",
  {
    id: integer("id").$type<CampaignId>().primaryKey({ autoIncrement: true }),
    projectId: integer("project_id")
      .$type<ProjectId>()
      .notNull()
      .references(() => projectsTable.id),
    postId: integer("post_id").$type<PostId>().notNull(),
    channelId: integer("channel_id").$type<ChannelId>().notNull(),
    platform: text("platform").$type<PlatformName>().notNull(),
    name: text("name").notNull(),
    /** As the request has it; null without one. */
    boostType: text("boost_type"),
    state: text("state").$type<CampaignState>().notNull(),
    /** As they are wanted. */
    terms: parsedJson("terms", StoredTerms).notNull(),
    /** As the platform has them; null until it has all of the campaign. */
    applied: parsedJson("applied", StoredTerms),
    /** Of `terms.currency`, for the counters: two digits behind the point, or none. */
    currency: text("currency").notNull(),
    decimals: integer("decimals").notNull(),
    /** In the name of each object at the platform. */
    reference: text("reference").notNull(),
    made: parsedJson("made", StoredMade).notNull(),
    /** Why it does not run, or what went wrong last: a sentence; null where nothing is. */
    reason: text("reason"),
    errorCode: text("error_code").$type<FailureCode>(),
    reach: integer("reach").notNull().default(0),
    impressions: integer("impressions").notNull().default(0),
    spendMinor: integer("spend_minor").notNull().default(0),
    /** What it may cost at most, with what it has cost; only that once it is over. */
    committedMinor: integer("committed_minor").notNull(),
    /** Grows with every change of `terms`. */
    revision: integer("revision").notNull().default(0),
    startAt: instant("start_at"),
    /** When it was first seen running. */
    liveAt: instant("live_at"),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
    deletedAt: instant("deleted_at"),
  },
  (table) => [
    uniqueIndex("campaigns_by_reference").on(table.reference),
    index("campaigns_listed").on(table.projectId, table.id).where(sql`deleted_at IS NULL`),
    index("campaigns_by_post").on(table.postId),
    index("campaigns_unended").on(table.channelId).where(sql`state NOT IN ('completed', 'failed')`),
    index("campaigns_deleted").on(table.deletedAt).where(sql`deleted_at IS NOT NULL`),
  ],
);

export type Campaign = typeof campaignsTable.$inferSelect;

/** Sums over a project's campaigns, a row a currency, kept by triggers; deleted ones count for `committed` alone. */
export const campaignTotalsTable = sqliteTable(
  "campaign_totals",
  {
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    currency: text("currency").notNull(),
    decimals: integer("decimals").notNull(),
    campaigns: integer("campaigns").notNull(),
    reach: integer("reach").notNull(),
    impressions: integer("impressions").notNull(),
    spendMinor: integer("spend_minor").notNull(),
    committedMinor: integer("committed_minor").notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.currency] })],
);

/** What all campaigns of a project may cost together, where its operator has set it; else the configuration's (`MAX_SPEND`). */
export const spendCeilingsTable = sqliteTable(
  "spend_ceilings",
  {
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    currency: text("currency").notNull(),
    mostMinor: integer("most_minor").notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.currency] })],
);
