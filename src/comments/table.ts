import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PostId } from "../core/ids.ts";
import { instant } from "../db/columns.ts";

/** Comments under posts, the channel's own answers included, so that no comment counts as new twice. */
export const commentsTable = sqliteTable(
  "comments",
  {
    postId: integer("post_id").$type<PostId>().notNull(),
    /** The platform's id. */
    commentId: text("comment_id").notNull(),
    /** Null if the platform does not show the author. */
    authorId: text("author_id"),
    authorName: text("author_name"),
    /** The beginning of the text. */
    text: text("text").notNull(),
    createdAt: instant("created_at").notNull(),
    seenAt: instant("seen_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.postId, table.commentId] }), index("comments_seen").on(table.seenAt)],
);
