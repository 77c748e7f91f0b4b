import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ofProject } from "../../accounts/table.ts";
import type { PostId, SeriesId } from "../../core/ids.ts";
import { instant, json } from "../../db/columns.ts";

export const SERIES_STATES = ["active", "paused", "ended"] as const;
export type SeriesState = (typeof SERIES_STATES)[number];

export const PAUSE_REASONS = ["post_failed", "refused", "requested"] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

type Fields = Readonly<Record<string, unknown>>;

/** Posts that repeat: each occurrence is an ordinary post (series-task.ts). */
export const seriesTable = sqliteTable(
  "series",
  {
    id: integer("id").$type<SeriesId>().primaryKey({ autoIncrement: true }),
    projectId: ofProject(),
    name: text("name").notNull(),
    state: text("state").$type<SeriesState>().notNull(),
    /** Fields of create-post, and what each variant replaces of them, in turn. */
    post: json("post").$type<Fields>().notNull(),
    variants: json("variants").$type<readonly Fields[]>().notNull().default(sql`'[]'`),
    rule: text("rule").notNull(),
    /** `YYYY-MM-DD HH:mm` in the zone. */
    startTime: text("start_time").notNull(),
    timeZone: text("time_zone").notNull(),
    /** The journal: the next occurrence that has no post. Null: there is none. */
    nextAt: instant("next_at"),
    nextLocal: text("next_local"),
    /** Occurrences that have posts, and those that were skipped because they were long past. */
    made: integer("made").notNull().default(0),
    skipped: integer("skipped").notNull().default(0),
    lastPostId: integer("last_post_id").$type<PostId>(),
    /** Grows with every change: a request that read the series before another change continues nothing. */
    revision: integer("revision").notNull().default(0),
    /** Why the next occurrence waits: a refusal of create-post that passes. Null: it waits for nothing. */
    waitReason: text("wait_reason"),
    /** Why it is paused, and the same for a person. */
    pauseCode: text("pause_code").$type<PauseReason>(),
    pauseReason: text("pause_reason"),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [index("series_listed").on(table.projectId, table.id)],
);
