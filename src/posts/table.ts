import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { ofProject, ofProjectUnchecked } from "../accounts/table.ts";
import { channelsTable } from "../channels/table.ts";
import type { FailureCode } from "../core/failures.ts";
import type { ChannelId, PostId, ProjectId } from "../core/ids.ts";
import { instant, json, parsedJson } from "../db/columns.ts";
import type { Declared } from "../platforms/declarations.ts";
import type { PlatformName, PostType } from "../platforms/names.ts";
import type { PostOptions } from "../platforms/options.ts";
import type { PostExtra } from "../platforms/publishing.ts";
import {
  type ApprovalState,
  StoredAltTexts,
  StoredApproval,
  StoredCommentResult,
  StoredPlatformPosts,
  StoredThread,
} from "./stored.ts";

/** Spec 3.1, and `deleted`, which no answer shows: a deleted post is a 404. */
export const POST_STATES = [
  "draft",
  "pending",
  // No row has it: a pending post with `processing_at` is shown so (store.ts, shownState).
  "processing",
  "scheduled",
  "queued",
  "published",
  "failed",
  "deleted",
] as const;
export type PostState = (typeof POST_STATES)[number];

/** Spec 4.4, and `draft` (extension), which waits until update-post gives it another mode. */
export const PUBLISH_MODES = ["now", "scheduled", "queued", "share_next", "draft"] as const;
export type PublishMode = (typeof PUBLISH_MODES)[number];

export const postsTable = sqliteTable(
  "posts",
  {
    /** Grows: the newest post is never forgotten, so no id comes twice. */
    id: integer("id").$type<PostId>().primaryKey(),
    projectId: ofProjectUnchecked(),
    /** No foreign key: no index finds all posts of a channel, and channels go only with their project. */
    channelId: integer("channel_id").$type<ChannelId>().notNull(),
    channelType: text("channel_type").$type<PlatformName>().notNull(),
    state: text("state").$type<PostState>().notNull(),
    postType: text("post_type").$type<PostType>().notNull(),
    caption: text("caption").notNull(),
    /** Of its texts (create/repeated-caption.ts). */
    captionHash: text("caption_hash"),
    mediaUrls: json("media_urls").$type<readonly string[]>().notNull(),
    altTexts: parsedJson("alt_texts", StoredAltTexts).notNull().default(sql`'[]'`),
    hashTags: json("hash_tags").$type<readonly string[]>().notNull(),
    thread: parsedJson("thread", StoredThread).notNull(),
    extra: json("extra").$type<PostExtra>(),
    /** The declarations of the caller, and whether a file of the post says more (content/declared.ts). */
    declared: json("declared").$type<Declared>().notNull().default(sql`'{}'`),
    hasGeneratedMedia: integer("has_generated_media", { mode: "boolean" }).notNull().default(false),
    options: json("options").$type<PostOptions>().notNull().default(sql`'{}'`),
    /** The channel's own comment under the live post. */
    firstComment: text("first_comment"),
    /** Null until its job has ended (first-comment.ts). */
    firstCommentResult: parsedJson("first_comment_result", StoredCommentResult),
    publishMode: text("publish_mode").$type<PublishMode>().notNull(),
    timeZone: text("time_zone").notNull(),
    /** When the first delivery began: from then on a pending post is shown as processing. */
    processingAt: instant("processing_at"),
    /** When it is due. */
    publishAt: instant("publish_at").notNull(),
    /** The channel's slot that it holds; null outside the queue. */
    slotAt: instant("slot_at"),
    platformPosts: parsedJson("platform_posts", StoredPlatformPosts).notNull(),
    permalink: text("permalink"),
    error: text("error"),
    /** The failure's stable code. */
    errorCode: text("error_code").$type<FailureCode>(),
    /** The caller's own id of the post, and the caller's metadata. */
    externalId: text("external_id"),
    metadata: json("metadata").$type<Readonly<Record<string, string>>>(),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
    publishedAt: instant("published_at"),
    /**
     * The id again, for indexes: SQLite seeks a pair of time and id only if the id is not the key of the
     * table.
     */
    tieId: integer("tie_id").generatedAlwaysAs(sql`id`, { mode: "virtual" }),
    /**
     * Grows with every change of content or schedule: update-post writes only on the revision that it has
     * read.
     */
    revision: integer("revision").notNull().default(0),
    /** Null if approval was never requested. A post that waits for it is a draft. */
    approvalState: text("approval_state").$type<ApprovalState>(),
    approval: parsedJson("approval", StoredApproval.nullable()),
    /**
     * The progress of deleting a deleted post at its platform; `unsupported` where the platform has no such
     * call.
     */
    removal: text("removal").$type<"open" | "done" | "given_up" | "unsupported">(),
    deletedAt: instant("deleted_at"),
    /** When a person posted a failed post again, copied it to a draft, or dismissed it; null until then. */
    handledAt: instant("handled_at"),
    /** The page of the archive with the beginning of its timeline (timelines/); null while that is in D1. */
    timelinePage: integer("timeline_page"),
  },
  (table) => [
    // get-posts merges ordered streams of one of these indexes (lists/list-query.ts): no sort, no scan, from
    // any position. Each post is in as few indexes as possible. A post that is published at once enters the
    // two indexes by state at most once.
    index("posts_by_type")
      .on(table.projectId, table.channelType, table.createdAt, table.tieId)
      .where(sql`deleted_at IS NULL`),
    index("posts_by_type_state")
      .on(table.projectId, table.channelType, table.state, table.createdAt, table.tieId)
      .where(sql`state IN ('draft', 'scheduled', 'queued', 'failed', 'published')`),
    index("posts_by_channel").on(table.channelId, table.createdAt, table.tieId).where(sql`deleted_at IS NULL`),
    index("posts_unpublished")
      .on(table.channelId, table.state, table.createdAt, table.tieId)
      .where(sql`state IN ('draft', 'scheduled', 'queued', 'failed')`),
    index("posts_by_publication")
      .on(table.projectId, table.channelType, table.state, table.publishedAt, table.tieId)
      .where(sql`published_at IS NOT NULL AND deleted_at IS NULL`),
    index("posts_by_external_id")
      .on(table.projectId, table.externalId, table.createdAt, table.tieId)
      .where(sql`external_id IS NOT NULL AND deleted_at IS NULL`),
    // Posts of a channel with the same text, the newest first.
    index("posts_by_caption")
      .on(table.channelId, table.captionHash, table.createdAt)
      .where(sql`caption_hash IS NOT NULL`),
    index("posts_awaiting_approval")
      .on(table.projectId, table.id)
      .where(sql`approval_state = 'waiting' AND deleted_at IS NULL`),
    index("posts_upcoming").on(table.projectId, table.publishAt, table.id).where(sql`state IN ('scheduled', 'queued')`),
    // Two posts never share a slot: the loser of a race gets a unique violation and searches again.
    uniqueIndex("posts_slot").on(table.channelId, table.slotAt).where(sql`slot_at IS NOT NULL`),
    // A channel's queue, which a change of its timetable moves; not what has gone out of it.
    index("posts_queued").on(table.channelId, table.slotAt).where(sql`state = 'queued'`),
    // What a reconnected channel takes up again, and what the retention of deleted posts ends.
    index("posts_to_remove").on(table.channelId).where(sql`removal IN ('open', 'given_up')`),
    // Failed posts that need attention (lists/attention.ts).
    index("posts_unhandled").on(table.projectId, table.updatedAt).where(sql`state = 'failed' AND handled_at IS NULL`),
    index("posts_deleted").on(table.deletedAt).where(sql`deleted_at IS NOT NULL`),
  ],
);

export type Post = typeof postsTable.$inferSelect;

/**
 * Old published posts, whose rows are in the archive (rest/): what lists and look-ups need of them. A post is
 * here or in `posts`. No column that is not needed, because a project has far more of these than of others.
 */
export const postsAtRestTable = sqliteTable(
  "posts_at_rest",
  {
    id: integer("id").$type<PostId>().primaryKey(),
    projectId: ofProject(),
    channelId: integer("channel_id")
      .$type<ChannelId>()
      .notNull()
      .references(() => channelsTable.id),
    /** The number of its platform (platforms/names.ts). */
    type: integer("type").notNull(),
    createdAt: instant("created_at").notNull(),
    publishedAt: instant("published_at").notNull(),
    /** The pages of the archive with its row, and with the beginning of its timeline. */
    page: integer("page").notNull(),
    timelinePage: integer("timeline_page"),
    /** Of its platform and its id there (rest/mark.ts); null if it has several (`publications`). */
    mark: integer("mark"),
    externalId: text("external_id"),
  },
  (table) => [
    // The counterparts of indexes of `posts`: get-posts merges the streams of both (lists/list-query.ts). The
    // table is clustered by its key (WITHOUT ROWID), so an index has the id once.
    index("posts_at_rest_by_type").on(table.projectId, table.type, table.createdAt, table.id),
    index("posts_at_rest_by_channel").on(table.channelId, table.createdAt, table.id),
    index("posts_at_rest_by_publication").on(table.projectId, table.type, table.publishedAt, table.id),
    index("posts_at_rest_by_external_id")
      .on(table.projectId, table.externalId, table.createdAt, table.id)
      .where(sql`external_id IS NOT NULL`),
    index("posts_at_rest_by_mark").on(table.mark).where(sql`mark IS NOT NULL`),
  ],
);

/**
 * How many posts a project has by channel type and state, kept by triggers on `posts` (see the migration):
 * one row a project, JSON `{"facebook.published": 12}`, so that a total costs one row read; and how many
 * bytes their texts take.
 */
export const postCountsTable = sqliteTable("post_counts", {
  projectId: integer("project_id").$type<ProjectId>().primaryKey(),
  counts: json("counts").$type<Readonly<Record<string, number>>>().notNull(),
  /** Of them, those that are drafts, scheduled, queued or on their way. */
  waiting: integer("waiting").notNull().default(0),
  /** What the texts of its posts take, deleted ones too until they are forgotten. */
  bytes: integer("bytes").notNull().default(0),
  /** The timelines of posts that were published before are in the archive (timelines/move.ts). */
  timelinesUntil: instant("timelines_until").notNull().default(0),
  /** The posts that were published before are in the archive, if they could be (rest/move.ts). */
  restedUntil: instant("rested_until").notNull().default(0),
});

/**
 * Every item of a post that was made public, or may have been: written with the intent of the act, and with
 * the platform's id once that is known. An id belongs to one of our posts, whatever the project: two look-ups
 * cannot adopt the same live post, and accounts that two projects share are seen as one.
 */
export const publicationsTable = sqliteTable(
  "publications",
  {
    postId: integer("post_id").$type<PostId>().notNull(),
    /** Number of the item, from 0. */
    item: integer("item").notNull(),
    platform: text("platform").$type<PlatformName>().notNull(),
    accountId: text("account_id").notNull(),
    /** The live item's id at the platform; null while it is unknown. */
    platformId: text("platform_id"),
    /** Equal for equal content on the account; null if uploaded files identify the item. */
    fingerprint: text("fingerprint"),
    begunAt: instant("begun_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.postId, table.item] }),
    uniqueIndex("publications_by_id").on(table.platform, table.platformId).where(sql`platform_id IS NOT NULL`),
    index("publications_by_account").on(table.platform, table.accountId, table.begunAt),
  ],
);

/**
 * The right to adopt a live item that a look-up found, in the directory of a service with several databases:
 * one post of all adopts it. Clustered by its key (WITHOUT ROWID).
 */
export const adoptionsTable = sqliteTable(
  "adoptions",
  {
    platform: text("platform").$type<PlatformName>().notNull(),
    platformId: text("platform_id").notNull(),
    postId: integer("post_id").$type<PostId>().notNull(),
    item: integer("item").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.platform, table.platformId] }), index("adoptions_age").on(table.createdAt)],
);
