import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { ofProjectUnchecked } from "../accounts/table.ts";
import type { FileId, GenerationId, PostId, ProjectId } from "../core/ids.ts";
import { instant, parsedJson } from "../db/columns.ts";
import { LibraryEntry, StoredMedia } from "./stored.ts";

/**
 * A file that a project uploaded or is uploading, that a generation created, or that we copied for a post or
 * made to fit a platform.
 * Its bytes are in the bucket under `name`.
 */
export const filesTable = sqliteTable(
  "files",
  {
    id: integer("id").$type<FileId>().primaryKey({ autoIncrement: true }),
    projectId: ofProjectUnchecked(),
    /**
     * Unguessable: anyone who knows the name may read the file. Also names the upload while it is in
     * progress.
     */
    name: text("name").notNull(),
    /** The announced size, then the actual size. */
    bytes: integer("bytes").notNull(),
    /**
     * The bucket's id of a multipart upload; null if the file came in one request, and once it is complete.
     */
    uploadId: text("upload_id"),
    /** The detected properties of the file; null while the upload is in progress. */
    media: parsedJson("media", StoredMedia),
    /** Made by us, for a platform that fetches from our address only: not part of the project's storage. */
    isCopy: integer("is_copy", { mode: "boolean" }).notNull().default(false),
    /** Whether a generation created it, which posts with it declare: this outlives the generation. */
    isGenerated: integer("is_generated", { mode: "boolean" }).notNull().default(false),
    /**
     * The generation that created and keeps the file; null for all other files, and after the generation was
     * deleted.
     */
    generationId: integer("generation_id").$type<GenerationId>(),
    /**
     * The name of the file that this is an alternative format of. A post that uses the original file uses
     * this one where the platform does not accept the original format. Null for all others.
     */
    renditionOf: text("rendition_of"),
    /**
     * Of a copy that fits a platform (files/fitted-copy.ts): the original, which is the name of our file, or
     * the hash of the bytes of a file elsewhere. Null for all others.
     */
    fittedFrom: text("fitted_from"),
    /** What the copy is made for. There is one copy for each original and rule. */
    fitRule: text("fit_rule"),
    /** The job that makes the copy now, and until when it may; null for nobody. */
    makerJob: text("maker_job"),
    makerUntil: instant("maker_until"),
    /** Its description in the media library, which keeps the file; null for all others. */
    library: parsedJson("library", LibraryEntry),
    /** The words of that description in lower case. */
    searchText: text("search_text"),
    createdAt: instant("created_at").notNull(),
    /** When it expires; null while a post, a generation or the library keeps it, 0 while it is deleted. */
    forgetAt: instant("forget_at"),
  },
  (table) => [
    uniqueIndex("files_by_name").on(table.name),
    // Per project, so that one project's files do not delay the sweep of the others.
    index("files_to_forget").on(table.projectId, table.forgetAt).where(sql`forget_at IS NOT NULL`),
    // A project's uploads in progress: counted by each upload that starts.
    index("files_under_way")
      .on(table.projectId)
      .where(sql`media IS NULL AND is_copy = 0 AND fitted_from IS NULL AND bytes > 0`),
    index("files_of_generation").on(table.generationId).where(sql`generation_id IS NOT NULL`),
    index("files_in_library").on(table.projectId, table.id).where(sql`library IS NOT NULL`),
    uniqueIndex("files_by_original").on(table.renditionOf).where(sql`rendition_of IS NOT NULL`),
    uniqueIndex("files_fitted")
      .on(table.fittedFrom, table.fitRule, table.projectId)
      .where(sql`fitted_from IS NOT NULL`),
  ],
);

/** The received parts of an upload: the bucket needs the list when the upload is completed. */
export const filePartsTable = sqliteTable(
  "file_parts",
  {
    fileId: integer("file_id").$type<FileId>().notNull(),
    number: integer("number").notNull(),
    etag: text("etag").notNull(),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.number] })],
);

/** The posts that need a file: it is kept until the last of them was published, failed or was deleted. */
export const fileUsesTable = sqliteTable(
  "file_uses",
  {
    fileId: integer("file_id").$type<FileId>().notNull(),
    postId: integer("post_id").$type<PostId>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.postId, table.fileId] }), index("file_uses_by_file").on(table.fileId)],
);

/**
 * The number of bytes that a project has uploaded, kept by triggers on `files`. Announced bytes count at
 * once.
 */
export const fileBytesTable = sqliteTable("file_bytes", {
  projectId: integer("project_id").$type<ProjectId>().primaryKey(),
  bytes: integer("bytes").notNull(),
});
