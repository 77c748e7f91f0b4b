import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ProjectId } from "../core/ids.ts";
import { instant, json } from "../db/columns.ts";

/** The steps of a deletion, in their order (deletion/delete-project.ts). */
export const DELETION_STEPS = [
  "tokens",
  "bots",
  "campaigns",
  "posts",
  "settling",
  "logins",
  "files",
  "storages",
  "rows",
  "last_rows",
  "done",
] as const;
export type DeletionStep = (typeof DELETION_STEPS)[number];

export interface DeletionOptions {
  /** Whether posts that are live are deleted at their platforms too. */
  readonly deletesPosts: boolean;
  /** Whether the logins of channels are revoked at their platforms. */
  readonly revokesLogins: boolean;
}

/**
 * The deletion of a project, its journal, and afterwards the list of what is gone. It outlives the project,
 * so it has no foreign key.
 */
export const projectDeletionsTable = sqliteTable(
  "project_deletions",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    deletedId: integer("deleted_id").$type<ProjectId>().notNull().unique(),
    name: text("name").notNull(),
    /** The e-mail address of the owner; null: the operator. */
    requestedBy: text("requested_by"),
    requestedAt: instant("requested_at").notNull(),
    options: json("options").$type<DeletionOptions>().notNull(),
    step: text("step").$type<DeletionStep>().notNull(),
    stepAt: instant("step_at").notNull(),
    /** How far the step has come: the table and the key of its last row. */
    cursor: json("cursor").$type<DeletionCursor>(),
    /** Deleted rows by table, and acts at platforms. */
    gone: json("gone").$type<Readonly<Record<string, number>>>().notNull(),
    /** What remains at platforms: the codes of sentences, with their counts. */
    left: json("remains").$type<Readonly<Record<string, number>>>().notNull(),
    completedAt: instant("completed_at"),
  },
  (table) => [
    index("project_deletions_by_person").on(table.requestedBy).where(sql`requested_by IS NOT NULL`),
    index("project_deletions_completed").on(table.completedAt).where(sql`completed_at IS NOT NULL`),
  ],
);

export interface DeletionCursor {
  readonly table: number;
  readonly after: readonly (string | number)[] | null;
}
export type Deletion = typeof projectDeletionsTable.$inferSelect;

/** The steps of a move, in their order (moving/move-project.ts); those of an undone one after them. */
export const MOVE_STEPS = [
  "freeze",
  "settle",
  "copy",
  "verify",
  "flip",
  "release",
  "drain",
  "last_rows",
  "done",
] as const;
export const UNDO_STEPS = ["undo_rows", "undo_release", "undone"] as const;
/** `clear`: the copy differs, and begins again. */
export type MoveStep = (typeof MOVE_STEPS)[number] | (typeof UNDO_STEPS)[number] | "clear";

/** The rows of a table and their checksum. */
export interface RowSum {
  readonly rows: number;
  readonly sum: string;
}

/**
 * The move of a project to another database: its journal, in the directory. One row per project; the next
 * move replaces it. It outlives the project, so it has no foreign key.
 */
export const projectMovesTable = sqliteTable(
  "project_moves",
  {
    movedId: integer("moved_id").$type<ProjectId>().primaryKey(),
    name: text("name").notNull(),
    from: integer("from_database").notNull(),
    to: integer("to_database").notNull(),
    step: text("step").$type<MoveStep>().notNull(),
    stepAt: instant("step_at").notNull(),
    /** How far the step has come: the table and the key of its last row. */
    cursor: json("cursor").$type<DeletionCursor>(),
    /** What was copied, by table. */
    copied: json("copied").$type<Readonly<Record<string, RowSum>>>().notNull(),
    /** The same of the other database, as far as it is read. */
    found: json("found").$type<Readonly<Record<string, RowSum>>>().notNull(),
    /** How often the copy was begun again, because it differed. */
    attempts: integer("attempts").notNull().default(0),
    /** Raised by every change: a run changes only what it has read. */
    revision: integer("revision").notNull().default(0),
    requestedAt: instant("requested_at").notNull(),
    completedAt: instant("completed_at"),
  },
  (table) => [index("project_moves_open").on(table.movedId).where(sql`completed_at IS NULL`)],
);

export type Move = typeof projectMovesTable.$inferSelect;
