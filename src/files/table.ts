import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { projectsTable } from "../accounts/table.ts";
import type { FileId, GenerationId, PostId, ProjectId } from "../core/ids.ts";
import { instant, parsedJson } from "../db/columns.ts";
import { StoredMedia } from "./stored.ts";

/**
 * A file that a project has uploaded, or is uploading, that a generation has made, or that we copied for a
 * post. Its bytes are in the bucket under `name`.
 */
export const filesTable = sqliteTable(
  "files",
  {
    id: integer("id").$type<FileId>().primaryKey({ autoIncrement: true }),
    projectId: integer("project_id")
      .$type<ProjectId>()
      .notNull()
      .references(() => projectsTable.id),
    /** Unguessable: whoever knows it may read the file. Also names the upload while it lasts. */
    name: text("name").notNull(),
    /** As announced, and then as it is. */
    bytes: integer("bytes").notNull(),
    /**
     * The bucket's name of an upload in parts; null where the file came in one request, and once it is whole.
     */
    uploadId: text("upload_id"),
    /** What it is, once it is there; null while it is on its way. */
    media: parsedJson("media", StoredMedia),
    /**
     * Made by us, for a platform that fetches from our address only: no part of what the project has stored.
     */
    isCopy: integer("is_copy", { mode: "boolean" }).notNull().default(false),
    /** Which generation made it, and keeps it; null for all others, and when that is deleted. */
    generationId: integer("generation_id").$type<GenerationId>(),
    /**
     * The name of the file that this is another form of: a post that uses that one uses this one where the
     * platform does not take that form. Null for all others.
     */
    renditionOf: text("rendition_of"),
    createdAt: instant("created_at").notNull(),
    /** When it goes; null while a post or a generation keeps it, 0 once it is being deleted. */
    forgetAt: instant("forget_at"),
  },
  (table) => [
    uniqueIndex("files_by_name").on(table.name),
    // Each project's own: what one leaves does not keep the sweep from the others.
    index("files_to_forget").on(table.projectId, table.forgetAt).where(sql`forget_at IS NOT NULL`),
    // What a project is uploading: counted by each upload that begins.
    index("files_under_way").on(table.projectId).where(sql`media IS NULL AND is_copy = 0 AND bytes > 0`),
    index("files_of_generation").on(table.generationId).where(sql`generation_id IS NOT NULL`),
    uniqueIndex("files_by_original").on(table.renditionOf).where(sql`rendition_of IS NOT NULL`),
  ],
);

/** The parts of an upload that have arrived: the bucket wants them named when it is completed. */
export const filePartsTable = sqliteTable(
  "file_parts",
  {
    fileId: integer("file_id").$type<FileId>().notNull(),
    number: integer("number").notNull(),
    etag: text("etag").notNull(),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.number] })],
);

/** Which posts need a file: it stays until the last of them has gone out, failed or was deleted. */
export const fileUsesTable = sqliteTable(
  "file_uses",
  {
    fileId: integer("file_id").$type<FileId>().notNull(),
    postId: integer("post_id").$type<PostId>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.postId, table.fileId] }), index("file_uses_by_file").on(table.fileId)],
);

/**
 * How many bytes a project has uploaded, kept by triggers on `files`: what is announced counts from the
 * beginning.
 */
export const fileBytesTable = sqliteTable("file_bytes", {
  projectId: integer("project_id").$type<ProjectId>().primaryKey(),
  bytes: integer("bytes").notNull(),
});
