import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ofProject } from "../../accounts/table.ts";
import type { FeedId } from "../../core/ids.ts";
import { instant, json, parsedJson } from "../../db/columns.ts";
import { FeedProblem, FeedStop } from "./feed-problems.ts";

export const FEED_STATES = ["active", "paused", "stopped"] as const;
export type FeedState = (typeof FEED_STATES)[number];

/** What becomes of an entry, as `publish_mode` of create-post. */
export const FEED_MODES = ["draft", "queued", "now"] as const;
export type FeedMode = (typeof FEED_MODES)[number];

/** Fields of create-post with placeholders such as `{title}`. */
export type Template = Readonly<Record<string, unknown>>;

/** RSS and Atom feeds whose entries become posts (feed-task.ts). */
export const feedsTable = sqliteTable(
  "feeds",
  {
    id: integer("id").$type<FeedId>().primaryKey({ autoIncrement: true }),
    projectId: ofProject(),
    name: text("name").notNull(),
    url: text("url").notNull(),
    state: text("state").$type<FeedState>().notNull(),
    publishMode: text("publish_mode").$type<FeedMode>().notNull(),
    /** One for each post of an entry. */
    posts: json("posts").$type<readonly Template[]>().notNull(),
    /** Of the first reading of an address: how many of the newest entries become posts. Null after it. */
    includeExisting: integer("include_existing"),
    /**
     * The journal: hashes of the ids and links of entries that have posts, were refused, or are older than
     * the feed here. Those of the last reading come first. They stay when the address changes. Null before
     * the first reading.
     */
    seen: json("seen").$type<readonly string[]>(),
    /** Grows with every change of the journal or of the template. */
    revision: integer("revision").notNull().default(0),
    /** Of the last answer whose entries were all handled. */
    etag: text("etag"),
    lastModified: text("last_modified"),
    readAt: instant("read_at"),
    /** Why the last reading failed, and how many failed in a row. */
    problem: parsedJson("problem", FeedProblem),
    failures: integer("failures").notNull().default(0),
    /** Entries with posts, and those of which create-post refused every post: in all, and in a row. */
    posted: integer("posted").notNull().default(0),
    refused: integer("refused").notNull().default(0),
    refusals: integer("refusals").notNull().default(0),
    stopReason: parsedJson("stop_reason", FeedStop),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [index("feeds_listed").on(table.projectId, table.id)],
);
