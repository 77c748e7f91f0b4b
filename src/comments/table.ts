import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { ofProjectUnchecked } from "../accounts/table.ts";
import type { FailureCode } from "../core/failures.ts";
import type { ChannelId, CommentActId, CommentId, PostId } from "../core/ids.ts";
import { instant } from "../db/columns.ts";
import type { ActKind, ActState } from "./acts.ts";

/** Comments under posts, the channel's own answers included, so that no comment counts as new twice. */
export const commentsTable = sqliteTable(
  "comments",
  {
    id: integer("id").$type<CommentId>().primaryKey({ autoIncrement: true }),
    projectId: ofProjectUnchecked(),
    channelId: integer("channel_id").$type<ChannelId>().notNull(),
    postId: integer("post_id").$type<PostId>().notNull(),
    /** The platform's id. */
    commentId: text("comment_id").notNull(),
    /** Null if the platform does not show the author. */
    authorId: text("author_id"),
    authorName: text("author_name"),
    /** The beginning of the text. */
    text: text("text").notNull(),
    /** Whether it answers the post itself, not another comment. */
    isTopLevel: integer("is_top_level", { mode: "boolean" }).notNull().default(true),
    createdAt: instant("created_at").notNull(),
    seenAt: instant("seen_at").notNull(),
    /** When the channel last answered it, by a person or a bot. */
    answeredAt: instant("answered_at"),
    /** When it was marked as done. */
    doneAt: instant("done_at"),
    /** The e-mail address of a member. */
    assignedTo: text("assigned_to"),
    /** For the members. */
    note: text("note"),
    /** Set once the platform has done it. */
    hiddenAt: instant("hidden_at"),
    likedAt: instant("liked_at"),
    deletedAt: instant("deleted_at"),
    /** Since when bots begin no answer, because it is to be hidden or deleted. */
    closedAt: instant("closed_at"),
    /** The order of the list (states.ts); null: the channel's own comment, which is not listed. */
    urgency: integer("urgency"),
  },
  (table) => [
    uniqueIndex("comments_by_platform_id").on(table.postId, table.commentId),
    index("comments_listed").on(table.projectId, table.urgency, table.id).where(sql`urgency IS NOT NULL`),
    index("comments_of_channel")
      .on(table.projectId, table.channelId, table.urgency, table.id)
      .where(sql`urgency IS NOT NULL`),
    index("comments_of_post")
      .on(table.projectId, table.postId, table.urgency, table.id)
      .where(sql`urgency IS NOT NULL`),
    index("comments_assigned")
      .on(table.projectId, table.assignedTo, table.urgency, table.id)
      .where(sql`assigned_to IS NOT NULL`),
    // The channel's own comments, which look-ups must not confuse.
    index("comments_own").on(table.postId, table.id).where(sql`urgency IS NULL`),
    // The same by channel, whose comments may have to be deleted (forget.ts).
    index("comments_own_of_channel").on(table.channelId, table.id).where(sql`urgency IS NULL`),
  ],
);

/** What a person or a program wants to be done with a comment: one row each, carried out by a job. */
export const commentActsTable = sqliteTable(
  "comment_acts",
  {
    id: integer("id").$type<CommentActId>().primaryKey({ autoIncrement: true }),
    projectId: ofProjectUnchecked(),
    commentId: integer("comment_id").$type<CommentId>().notNull(),
    kind: text("kind").$type<ActKind>().notNull(),
    /** Of a reply. */
    text: text("text"),
    state: text("state").$type<ActState>().notNull(),
    /** Why it failed. */
    reason: text("reason").$type<FailureCode>(),
    message: text("message").notNull(),
    /** The platform's id of the reply. */
    platformId: text("platform_id"),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [index("comment_acts_of").on(table.commentId, table.id)],
);
