import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import { ofProjectUnchecked } from "../accounts/table.ts";
import type { FailureCode } from "../core/failures.ts";
import type { GenerationId, ProjectId } from "../core/ids.ts";
import { instant, parsedJson } from "../db/columns.ts";
import { PLATFORM_NAMES } from "../platforms/names.ts";
import { StoredFiles } from "./stored.ts";

/** Spec 4.12. */
export const GENERATION_TYPES = [
  "text_only",
  "ai_image_post",
  "ai_banner_post",
  "breel",
  "talking_reel",
  "faceless_reel",
] as const;
export type GenerationType = (typeof GENERATION_TYPES)[number];

/** Spec 3.4, as lists show it. `queued` until it ends. */
export const GENERATION_STATES = ["queued", "done", "failed"] as const;
export type GenerationState = (typeof GENERATION_STATES)[number];

/** Generated posts (spec 2.9). */
export const generationsTable = sqliteTable(
  "generations",
  {
    id: integer("id").$type<GenerationId>().primaryKey({ autoIncrement: true }),
    /** The id that callers know: a UUID. */
    uuid: text("uuid").notNull(),
    projectId: ofProjectUnchecked(),
    type: text("type").$type<GenerationType>().notNull(),
    /** The topic, as the request has it. */
    input: text("input").notNull(),
    /** Those whose rules the caption must meet; null for all. */
    platforms: parsedJson("platforms", z.array(z.enum(PLATFORM_NAMES)).readonly()),
    /** Where the outcome is sent; null for nowhere. */
    webHook: text("web_hook"),
    /** The origin of the request: addresses in messages begin with it. */
    origin: text("origin").notNull(),
    state: text("state").$type<GenerationState>().notNull(),
    /** Empty until it is done. */
    caption: text("caption").notNull().default(""),
    files: parsedJson("files", StoredFiles).notNull(),
    /** One sentence; null unless it failed. */
    error: text("error"),
    errorCode: text("error_code").$type<FailureCode>(),
    createdAt: instant("created_at").notNull(),
    /** When it ended; null until then. */
    endedAt: instant("ended_at"),
    deletedAt: instant("deleted_at"),
  },
  (table) => [
    uniqueIndex("generations_by_uuid").on(table.uuid),
    index("generations_listed").on(table.projectId, table.id).where(sql`deleted_at IS NULL`),
    index("generations_ended").on(table.endedAt).where(sql`deleted_at IS NULL AND ended_at IS NOT NULL`),
    index("generations_deleted").on(table.deletedAt).where(sql`deleted_at IS NOT NULL`),
  ],
);

export type Generation = typeof generationsTable.$inferSelect;

/** The number of generations that a project has started on its latest day, deleted ones included. */
export const generationDaysTable = sqliteTable("generation_days", {
  projectId: integer("project_id").$type<ProjectId>().primaryKey(),
  /** Days since 1970, UTC. */
  day: integer("day").notNull(),
  begun: integer("begun").notNull(),
});
