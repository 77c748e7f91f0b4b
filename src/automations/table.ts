import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { ofProjectUnchecked } from "../accounts/table.ts";
import type { AutomationId, ChannelId, PostId, ProjectId, ReplyId } from "../core/ids.ts";
import { instant, json, parsedJson } from "../db/columns.ts";
import { AiSettings } from "./ai-settings.ts";
import { ReplyPart, type ReplyReason } from "./stored.ts";

/** Spec 2.7 and 4.8. */
export const TARGET_TYPES = ["all", "posts", "campaigns"] as const;
export const TRIGGER_TYPES = ["any", "keywords"] as const;
export const RESPONSE_TYPES = ["comment", "direct_message", "both"] as const;
export const RESPONSE_TIMES = ["instant", "delayed"] as const;
export const FREQUENCIES = ["everytime", "once", "randomly"] as const;
export const AUTOMATION_STATES = ["active", "stopped"] as const;

/** Comment automations; the specification also calls them bots. */
export const automationsTable = sqliteTable(
  "automations",
  {
    id: integer("id").$type<AutomationId>().primaryKey({ autoIncrement: true }),
    projectId: ofProjectUnchecked(),
    name: text("name").notNull(),
    state: text("state").$type<(typeof AUTOMATION_STATES)[number]>().notNull(),
    channelIds: json("channel_ids").$type<readonly ChannelId[]>().notNull(),
    targetType: text("target_type").$type<(typeof TARGET_TYPES)[number]>().notNull(),
    /** Null unless it covers chosen posts. */
    postIds: json("post_ids").$type<readonly PostId[]>(),
    /** Null unless it covers the posts of chosen campaigns. */
    campaignIds: json("campaign_ids").$type<readonly number[]>(),
    triggerType: text("trigger_type").$type<(typeof TRIGGER_TYPES)[number]>().notNull(),
    keywords: json("keywords").$type<readonly string[]>(),
    responseType: text("response_type").$type<(typeof RESPONSE_TYPES)[number]>().notNull(),
    commentReply: text("comment_reply"),
    directMessage: text("direct_message"),
    responseTime: text("response_time").$type<(typeof RESPONSE_TIMES)[number]>().notNull(),
    delaySeconds: integer("delay_seconds").notNull(),
    frequency: text("frequency").$type<(typeof FREQUENCIES)[number]>().notNull(),
    usesAi: integer("uses_ai", { mode: "boolean" }).notNull(),
    aiSettings: parsedJson("ai_settings", AiSettings),
    /** When it was created or last started: earlier comments are not answered. */
    activeSince: instant("active_since").notNull(),
    /** Grows with every change: an update is written only on the revision that it has read. */
    revision: integer("revision").notNull().default(0),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
    deletedAt: instant("deleted_at"),
  },
  (table) => [
    index("automations_listed").on(table.projectId, table.id).where(sql`deleted_at IS NULL`),
    index("automations_deleted").on(table.deletedAt).where(sql`deleted_at IS NOT NULL`),
  ],
);

export type Automation = typeof automationsTable.$inferSelect;

/** The columns that requests set. */
export type Settings = Pick<
  Automation,
  | "name"
  | "channelIds"
  | "targetType"
  | "postIds"
  | "campaignIds"
  | "triggerType"
  | "keywords"
  | "responseType"
  | "commentReply"
  | "directMessage"
  | "responseTime"
  | "delaySeconds"
  | "frequency"
  | "usesAi"
  | "aiSettings"
>;

/** The number of automations of a project, one row each, counted by triggers. */
export const automationCountsTable = sqliteTable("automation_counts", {
  projectId: integer("project_id").$type<ProjectId>().primaryKey(),
  automations: integer("automations").notNull(),
});

/** The posts that an automation covers, found by channel and post. Rows are deleted with their automation. */
export const automationTargetsTable = sqliteTable(
  "automation_targets",
  {
    channelId: integer("channel_id").$type<ChannelId>().notNull(),
    /** 0: all posts of the channel. */
    postId: integer("post_id").$type<PostId>().notNull(),
    automationId: integer("automation_id").$type<AutomationId>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.postId, table.automationId] }),
    index("automation_targets_of").on(table.automationId),
  ],
);

/** The decision of an automation on a comment: one row each, whether it answered or not. */
export const repliesTable = sqliteTable(
  "replies",
  {
    id: integer("id").$type<ReplyId>().primaryKey({ autoIncrement: true }),
    automationId: integer("automation_id").$type<AutomationId>().notNull(),
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    postId: integer("post_id").$type<PostId>().notNull(),
    commentId: text("comment_id").notNull(),
    /** `waiting` has a job; all others are final. */
    outcome: text("outcome").$type<ReplyOutcome>().notNull(),
    /** Why it was not answered, or only partly; null if nothing is wrong. */
    reason: text("reason").$type<ReplyReason>(),
    message: text("message").notNull(),
    /** The keyword that matched, as the caller wrote it; null if none is needed or none matched. */
    keyword: text("keyword"),
    /** The public answer and the direct message: null for one that is not sent. */
    commentPart: parsedJson("comment_part", ReplyPart),
    messagePart: parsedJson("message_part", ReplyPart),
    dueAt: instant("due_at").notNull(),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [
    uniqueIndex("replies_by_comment").on(table.postId, table.commentId, table.automationId),
    index("replies_listed").on(table.automationId, table.id),
    // Finds what ends with its automation.
    index("replies_waiting").on(table.automationId).where(sql`outcome = 'waiting'`),
  ],
);
export const REPLY_OUTCOMES = ["waiting", "replied", "partly_replied", "skipped", "failed"] as const;
export type ReplyOutcome = (typeof REPLY_OUTCOMES)[number];

/** The authors whom an automation with frequency `once` has answered, or is about to. */
export const repliedAuthorsTable = sqliteTable(
  "replied_authors",
  {
    automationId: integer("automation_id").$type<AutomationId>().notNull(),
    /** `platform:id`. */
    authorId: text("author_id").notNull(),
    postId: integer("post_id").$type<PostId>().notNull(),
    commentId: text("comment_id").notNull(),
    /** When the answer was decided. */
    answeredAt: instant("answered_at").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.automationId, table.authorId] }),
    index("replied_authors_answered").on(table.answeredAt),
  ],
);
