import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { projectsTable } from "../accounts/table.ts";
import type { FailureCode } from "../core/failures.ts";
import type { CampaignId, ChannelId, PostId, ProjectId } from "../core/ids.ts";
import { instant, parsedJson } from "../db/columns.ts";
import type { PlatformName } from "../platforms/names.ts";
import { COMMITTED_MINOR, LIVE_DAYS, LIVE_LEFT, PEAK_DAYS, WANTED_DAYS, WANTED_LEFT } from "./committed.ts";
import { StoredGenerations, StoredObjectIds, StoredTerms } from "./stored.ts";

/** What is wanted of a campaign: that it runs, or that nothing of it is on any more, and why. */
export type CampaignGoal = "running" | "completed" | "failed" | "deleted";

/**
 * What is shown (decisions.md, Boosts). `failed`: it could not be made; `rejected`: the platform does not
 * show it.
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
 * Boost campaigns (spec 2.10): what is wanted, what exists at the platform, what is live there, and what was
 * spent. Requests write what is wanted; the job `campaign:<id>` writes the rest (campaign-job.ts). Money is
 * in minor units of `wantedTerms.currency`.
 */
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
    /** What is shown. */
    state: text("state").$type<CampaignState>().notNull(),
    goal: text("goal").$type<CampaignGoal>().notNull().default("running"),
    wantedTerms: parsedJson("terms", StoredTerms).notNull(),
    /** Grows with every change of `wantedTerms`. */
    revision: integer("revision").notNull().default(0),
    /** When `wantedTerms` were last accepted; null for those of its creation. */
    changedAt: instant("changed_at"),
    /** The wanted terms are those from before a change that the platform refused; they are restored there. */
    isReverting: integer("is_reverting", { mode: "boolean" }).notNull().default(false),
    /** As the platform has confirmed them; null until its objects are begun. */
    liveTerms: parsedJson("applied", StoredTerms),
    /** The revision of `liveTerms`. */
    liveRevision: integer("live_revision").notNull().default(0),
    /**
     * The most that the platform may have, in all or a day, and until when: of terms on their way too. Null:
     * nothing is on.
     */
    liveTotalMinor: integer("live_total_minor"),
    liveDayMinor: integer("live_day_minor"),
    liveEndAt: instant("live_end_at"),
    /**
     * The highest daily budget of the day on which it was lowered last, and when that was (live-terms.ts).
     */
    peakDayMinor: integer("peak_day_minor"),
    peakAt: instant("peak_at"),
    /**
     * The least that `committed` has come to since larger terms were accepted; null: they count as they are.
     */
    acceptedMostMinor: integer("accepted_most_minor"),
    /** How many days' budgets the platform may spend on a day. */
    dayFactor: real("day_factor").notNull().default(1),
    /** Of `wantedTerms.currency`, for the counters: two digits behind the point, or none. */
    currency: text("currency").notNull(),
    decimals: integer("decimals").notNull(),
    /** In the name of each object at the platform, with the number of the generation. */
    reference: text("reference").notNull(),
    /** Grows when its objects are replaced by others. */
    generation: integer("generation").notNull().default(0),
    /** Its objects are being removed for others, whatever is wanted by now. */
    isBeingReplaced: integer("is_being_replaced", { mode: "boolean" }).notNull().default(false),
    platformObjectIds: parsedJson("made", StoredObjectIds).notNull(),
    /** When the objects of this generation begin to run. */
    generationStartAt: instant("generation_start_at"),
    /** Since when this generation may be on. */
    activatingAt: instant("activating_at"),
    /** When the platform has confirmed that it is on. */
    activatedAt: instant("activated_at"),
    /** The generations before, each ended, with what it has brought. */
    earlier: parsedJson("earlier", StoredGenerations).notNull().default([]),
    earlierSpendMinor: integer("earlier_spend_minor").notNull().default(0),
    /** Why it does not run, or what went wrong last: a sentence; null where nothing is. */
    reason: text("reason"),
    errorCode: text("error_code").$type<FailureCode>(),
    /** Of all generations. */
    reach: integer("reach").notNull().default(0),
    impressions: integer("impressions").notNull().default(0),
    spendMinor: integer("spend_minor").notNull().default(0),
    /** When that was read. */
    spendAt: instant("spend_at"),
    /** What it may come to at most, in the one place that says so (committed.ts). */
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
    /** When it had come to its goal with nothing on any more. */
    endedAt: instant("ended_at"),
  },
  (table) => [
    uniqueIndex("campaigns_by_reference").on(table.reference),
    index("campaigns_listed").on(table.projectId, table.id).where(sql`deleted_at IS NULL`),
    index("campaigns_by_post").on(table.postId),
    index("campaigns_open").on(table.channelId).where(sql`ended_at IS NULL`),
    index("campaigns_deleted").on(table.deletedAt).where(sql`deleted_at IS NOT NULL`),
  ],
);

export type Campaign = typeof campaignsTable.$inferSelect;

/**
 * Sums over a project's campaigns, a row a currency, kept by triggers; deleted ones count for `committed`
 * alone.
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
 * What all campaigns of a project may cost together, where its operator has set it; else the configuration's
 * (`MAX_SPEND`).
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
