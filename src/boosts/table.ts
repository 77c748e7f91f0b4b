import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { ofProjectUnchecked } from "../accounts/table.ts";
import type { FailureCode } from "../core/failures.ts";
import type { CampaignId, ChannelId, PostId, ProjectId } from "../core/ids.ts";
import { instant, parsedJson } from "../db/columns.ts";
import type { PlatformName } from "../platforms/names.ts";
import { COMMITTED_MINOR, LIVE_DAYS, LIVE_LEFT, PEAK_DAYS, WANTED_DAYS, WANTED_LEFT } from "./committed.ts";
import { StoredGenerations, StoredObjectIds, StoredTerms } from "./stored.ts";

/** The goal of a campaign: to run, or to have nothing live any more, and why. */
export type CampaignGoal = "running" | "completed" | "failed" | "deleted";

/**
 * The state that is shown. `failed`: it could not be created; `rejected`: the platform does not show it.
 */
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

/**
 * Boost campaigns (spec 2.10): the wanted terms, the objects at the platform, the live terms, and the spend.
 * Requests write the wanted terms; the job `campaign:<id>` writes the rest (campaign-job.ts). Money is in
 * minor units of `wantedTerms.currency`.
 */
export const campaignsTable = sqliteTable(
  "campaigns",
  {
    id: integer("id").$type<CampaignId>().primaryKey({ autoIncrement: true }),
    projectId: ofProjectUnchecked(),
    postId: integer("post_id").$type<PostId>().notNull(),
    channelId: integer("channel_id").$type<ChannelId>().notNull(),
    platform: text("platform").$type<PlatformName>().notNull(),
    name: text("name").notNull(),
    /** As the request has it; null if omitted. */
    boostType: text("boost_type"),
    /** The state that is shown. */
    state: text("state").$type<CampaignState>().notNull(),
    goal: text("goal").$type<CampaignGoal>().notNull().default("running"),
    wantedTerms: parsedJson("terms", StoredTerms).notNull(),
    /** Increases with every change of `wantedTerms`. */
    revision: integer("revision").notNull().default(0),
    /** When a change of `wantedTerms` was last accepted; null if there was none since the creation. */
    changedAt: instant("changed_at"),
    /** The platform refused a change: `wantedTerms` are the earlier terms, and are being restored there. */
    isReverting: integer("is_reverting", { mode: "boolean" }).notNull().default(false),
    /** The terms that the platform confirmed; null until the creation of its objects begins. */
    liveTerms: parsedJson("applied", StoredTerms),
    /** The revision of `liveTerms`. */
    liveRevision: integer("live_revision").notNull().default(0),
    /**
     * The maximum budget that the platform may have, in total or per day, and its end; includes terms being
     * sent. Null: nothing is live.
     */
    liveTotalMinor: integer("live_total_minor"),
    liveDayMinor: integer("live_day_minor"),
    liveEndAt: instant("live_end_at"),
    /**
     * The highest daily budget of the day of the last lowering, and the time of that lowering
     * (live-terms.ts).
     */
    peakDayMinor: integer("peak_day_minor"),
    peakAt: instant("peak_at"),
    /** The lowest value of `committed` since larger terms were accepted; null: no cap applies. */
    acceptedMostMinor: integer("accepted_most_minor"),
    /** How many daily budgets the platform may spend on one day. */
    dayFactor: real("day_factor").notNull().default(1),
    /** The currency of `wantedTerms`, for the totals; it has two decimals or none. */
    currency: text("currency").notNull(),
    decimals: integer("decimals").notNull(),
    /** Part of the name of each object at the platform, with the generation's number. */
    reference: text("reference").notNull(),
    /** Increases when the objects are replaced by others. */
    generation: integer("generation").notNull().default(0),
    /** The objects are being removed for a replacement, even if the wanted terms changed since. */
    isBeingReplaced: integer("is_being_replaced", { mode: "boolean" }).notNull().default(false),
    platformObjectIds: parsedJson("made", StoredObjectIds).notNull(),
    /** When the schedule of this generation's objects starts. */
    generationStartAt: instant("generation_start_at"),
    /** Since when this generation may be active. */
    activatingAt: instant("activating_at"),
    /** When the platform confirmed the activation. */
    activatedAt: instant("activated_at"),
    /** The earlier generations, all ended, with their figures. */
    earlier: parsedJson("earlier", StoredGenerations).notNull().default([]),
    earlierSpendMinor: integer("earlier_spend_minor").notNull().default(0),
    /** Why it does not run, or the last problem, as a sentence; null if there is none. */
    reason: text("reason"),
    errorCode: text("error_code").$type<FailureCode>(),
    /** Summed over all generations. */
    reach: integer("reach").notNull().default(0),
    impressions: integer("impressions").notNull().default(0),
    spendMinor: integer("spend_minor").notNull().default(0),
    /** When the figures were read. */
    spendAt: instant("spend_at"),
    /** The committed spend and its parts, computed only here (committed.ts). */
    wantedDaysLeft: integer("wanted_days_left").generatedAlwaysAs(WANTED_DAYS, { mode: "virtual" }),
    liveDaysLeft: integer("live_days_left").generatedAlwaysAs(LIVE_DAYS, { mode: "virtual" }),
    peakDaysLeft: integer("peak_days_left").generatedAlwaysAs(PEAK_DAYS, { mode: "virtual" }),
    wantedLeftMinor: integer("wanted_left_minor").generatedAlwaysAs(WANTED_LEFT, { mode: "virtual" }),
    liveLeftMinor: integer("live_left_minor").generatedAlwaysAs(LIVE_LEFT, { mode: "virtual" }),
    committed: integer("committed").generatedAlwaysAs(COMMITTED_MINOR, { mode: "virtual" }),
    startAt: instant("start_at"),
    /** When it was first seen running. */
    liveAt: instant("live_at"),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
    deletedAt: instant("deleted_at"),
    /** When it reached its goal, with nothing live any more. */
    endedAt: instant("ended_at"),
  },
  (table) => [
    uniqueIndex("campaigns_by_reference").on(table.reference),
    index("campaigns_listed").on(table.projectId, table.id).where(sql`deleted_at IS NULL`),
    index("campaigns_refused")
      .on(table.projectId, table.updatedAt)
      .where(sql`deleted_at IS NULL AND state IN ('rejected', 'failed')`),
    index("campaigns_by_post").on(table.postId),
    index("campaigns_open").on(table.channelId).where(sql`ended_at IS NULL`),
    // Those that a deletion of the project waits for.
    index("campaigns_unended").on(table.projectId, table.id).where(sql`ended_at IS NULL`),
    index("campaigns_deleted").on(table.deletedAt).where(sql`deleted_at IS NOT NULL`),
  ],
);

export type Campaign = typeof campaignsTable.$inferSelect;

/**
 * Sums over a project's campaigns, one row per currency, kept by triggers; deleted campaigns count for
 * `committed` only.
 */
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

/**
 * The maximum cost of all campaigns of a project together, if its operator has set it; otherwise the
 * configuration's value (`MAX_SPEND`) applies.
 */
export const spendCeilingsTable = sqliteTable(
  "spend_ceilings",
  {
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    currency: text("currency").notNull(),
    mostMinor: integer("most_minor").notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.currency] })],
);

/**
 * The figures of a campaign at the end of each day (UTC) on which they were read: sums since its start.
 * Clustered by its key.
 */
export const campaignDaysTable = sqliteTable(
  "campaign_days",
  {
    campaignId: integer("campaign_id").$type<CampaignId>().notNull(),
    /** `2030-03-05`. */
    day: text("day").notNull(),
    reach: integer("reach").notNull(),
    impressions: integer("impressions").notNull(),
    spendMinor: integer("spend_minor").notNull(),
  },
  (table) => [primaryKey({ columns: [table.campaignId, table.day] })],
);

export type CampaignDay = Omit<typeof campaignDaysTable.$inferSelect, "campaignId">;
