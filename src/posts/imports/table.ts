import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ofProject } from "../../accounts/table.ts";
import type { Check } from "../../core/checks.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { ImportId, PostId, ProjectId } from "../../core/ids.ts";
import { instant, json } from "../../db/columns.ts";

export const IMPORT_STATES = ["checking", "checked", "importing", "done"] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** Why a row of a file is refused. */
export interface RowProblem {
  /** As a spreadsheet counts it: the names of the columns are row 1. */
  readonly row: number;
  /** Null if it is about the whole row. */
  readonly column: string | null;
  readonly code: ErrorCode;
  readonly message: string;
  /** What the message says, for other languages. */
  readonly check?: Check | undefined;
}

/** A file of posts: checked as it arrives, then imported part by part (import-task.ts). */
export const importsTable = sqliteTable(
  "imports",
  {
    id: integer("id").$type<ImportId>().primaryKey({ autoIncrement: true }),
    projectId: ofProject(),
    /** `checking` until the whole file was read; then `checked`, `importing`, `done`. */
    state: text("state").$type<ImportState>().notNull(),
    /** The rows of the file, and those that the check refused. */
    rows: integer("rows").notNull().default(0),
    refused: integer("refused").notNull().default(0),
    parts: integer("parts").notNull().default(0),
    /**
     * Of its stored parts. Triggers add them to the bytes of the project's texts, so one quota holds both.
     */
    bytes: integer("bytes").notNull().default(0),
    /** The journal of the import: parts before this one are done, in the transactions of their posts. */
    nextPart: integer("next_part").notNull().default(0),
    /** Posts that exist, and rows that were refused when they were imported. */
    created: integer("created").notNull().default(0),
    failed: integer("failed").notNull().default(0),
    /** The ids of the posts of each part, the first and the last: they are one transaction's. */
    postIds: json("post_ids").$type<readonly (readonly [PostId, PostId])[]>().notNull().default(sql`'[]'`),
    /** A checksum of the rows, once the file was read to its end: the same file is recognized by it. */
    contentHash: text("content_hash"),
    /** The encoding that the file was read as; null before its end. */
    encoding: text("encoding"),
    /** The numbers of all rows that were refused when they were imported. */
    failedRows: json("failed_rows").$type<readonly number[]>().notNull().default(sql`'[]'`),
    /** Why the next part waits: a refusal of create-post that passes. Null: it waits for nothing. */
    wait: json("wait").$type<Pick<RowProblem, "code" | "message" | "check">>(),
    /** The first ones. */
    problems: json("problems").$type<readonly RowProblem[]>().notNull().default(sql`'[]'`),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [
    index("imports_listed").on(table.projectId, table.id),
    index("imports_open").on(table.projectId).where(sql`state <> 'done'`),
    index("imports_by_content").on(table.projectId, table.contentHash).where(sql`content_hash IS NOT NULL`),
  ],
);

/** Some rows of the file, as fields of create-post: what one transaction imports. */
export const importPartsTable = sqliteTable(
  "import_parts",
  {
    importId: integer("import_id").$type<ImportId>().notNull(),
    part: integer("part").notNull(),
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    rows: json("rows").$type<readonly StoredRow[]>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.importId, table.part] }),
    index("import_parts_of_project").on(table.projectId),
  ],
);

export interface StoredRow {
  readonly row: number;
  readonly fields: Readonly<Record<string, unknown>>;
}
