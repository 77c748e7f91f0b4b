import { and, asc, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { FileId, PostId, ProjectId } from "../core/ids.ts";
import { DAY } from "../core/time.ts";
import { type Db, runBatch, type Statement, writeTogether } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { StoredMedia } from "./stored.ts";
import { fileBytesTable, filePartsTable, filesTable, fileUsesTable } from "./table.ts";

/** docs/storage.md lists the lifetimes. */
const UNUSED_LIFE_MS = 7 * DAY;
/** The lifetime of an upload since its last part, and of a copy that no post uses. */
export const UPLOAD_LIFE_MS = DAY;

export type StoredFile = typeof filesTable.$inferSelect;

interface NewFile {
  readonly projectId: ProjectId;
  readonly name: string;
  readonly bytes: number;
  readonly uploadId: string | null;
  readonly now: number;
}

/** The limits for all uploads of a project together. */
export interface UploadLimits {
  readonly bytes: number;
  /** The number of uploads in progress. */
  readonly underWay: number;
}

/**
 * Counts up to the limit only. Files that a generation announces have no bytes yet, and are not uploads;
 * neither are fitted copies.
 */
const underWay = (projectId: ProjectId, limit: number) => sql<number>`(SELECT count(*) FROM (SELECT 1 FROM files
  WHERE media IS NULL AND is_copy = 0 AND fitted_from IS NULL AND bytes > 0 AND project_id = ${projectId} LIMIT ${limit}))`;

/**
 * Announces a file: its bytes count against the project's quota from now on. Null if the project's files
 * would exceed the limits. The check and the write are one statement, so that concurrent announcements cannot
 * exceed the limits together.
 */
export async function insertFile(db: Db, file: NewFile, limits: UploadLimits): Promise<FileId | null> {
  const { projectId, name, bytes, uploadId, now } = file;
  const rows = await db.all<{ id: FileId }>(sql`
    INSERT INTO files (project_id, name, bytes, upload_id, is_copy, created_at, forget_at)
    SELECT ${projectId}, ${name}, ${bytes}, ${uploadId}, 0, ${now}, ${now + UPLOAD_LIFE_MS}
    WHERE ${usedBytes(projectId)} + ${bytes} <= ${limits.bytes}
      AND ${underWay(projectId, limits.underWay)} < ${limits.underWay}
    RETURNING id`);
  return rows[0]?.id ?? null;
}

/** The bytes of all files that the project uploaded or generated. */
export function usedBytes(projectId: ProjectId): SQL<number> {
  return sql`coalesce((SELECT bytes FROM file_bytes WHERE project_id = ${projectId}), 0)`;
}

/** Records copies that are about to be made; copies that are already known stay unchanged. */
export function insertCopies(
  db: Db,
  projectId: ProjectId,
  copies: readonly { readonly name: string; readonly bytes: number }[],
  now: number,
): Statement {
  const values = {
    projectId,
    name: sql`json_extract(value, '$.name')`,
    bytes: sql`json_extract(value, '$.bytes')`,
    isCopy: true,
    createdAt: now,
    forgetAt: now + UPLOAD_LIFE_MS,
  };
  const each = sql`json_each(${JSON.stringify(copies)})`;
  return insertWhere(db, filesTable, values, { from: each }).onConflictDoNothing();
}

/** The number of bytes of the project's files, uploads in progress included. */
export async function readFileBytes(db: Db, projectId: ProjectId): Promise<number> {
  const [row] = await selectFileBytes(db, projectId);
  return row?.bytes ?? 0;
}

/** The same for a batch; no row if there are none. */
export function selectFileBytes(db: Db, projectId: ProjectId) {
  const own = eq(fileBytesTable.projectId, projectId);
  return db.select({ bytes: fileBytesTable.bytes }).from(fileBytesTable).where(own);
}

/** The number of the project's uploads in progress; counts up to the limit only. */
export async function countUploads(db: Db, projectId: ProjectId, limit: number): Promise<number> {
  const [row] = await db.all<{ count: number }>(sql`SELECT ${underWay(projectId, limit)} AS count`);
  return row?.count ?? 0;
}

/**
 * A file of the project by its name; null for another project's file, for a file that is being deleted, and
 * for the copies that we make.
 */
export async function findFile(db: Db, projectId: ProjectId, name: string): Promise<StoredFile | null> {
  const isTheirs = and(
    eq(filesTable.projectId, projectId),
    eq(filesTable.isCopy, false),
    isNull(filesTable.fittedFrom),
  );
  const own = and(eq(filesTable.name, name), isTheirs, isNotTaken);
  const [file] = await db.select().from(filesTable).where(own);
  return file ?? null;
}
export const isNotTaken = sql`(forget_at IS NULL OR forget_at > 0)`;

/**
 * For the files of these names, of any project: whether the project may name each in a post, its origin and
 * its kind.
 */
export function selectOwners(db: Db, projectId: ProjectId, names: readonly string[]) {
  const isOwn = sql<number>`(project_id = ${projectId} AND is_copy = 0 AND ${isNotTaken})`.as("is_own");
  const { name, isGenerated, media, library } = filesTable;
  return db
    .select({ name, isOwn, isGenerated, media, library })
    .from(filesTable)
    .where(isAmong(filesTable.name, names));
}

export async function listParts(db: Db, id: FileId) {
  const { number, etag } = filePartsTable;
  return db.select({ number, etag }).from(filePartsTable).where(eq(filePartsTable.fileId, id)).orderBy(asc(number));
}

/** Records a part; a part that is sent again replaces the earlier one. Extends the lifetime of the upload. */
export async function putPart(
  db: Db,
  id: FileId,
  { number, etag }: { readonly number: number; readonly etag: string },
  now: number,
): Promise<void> {
  const isOpen = and(eq(filesTable.id, id), isNull(filesTable.media), isNotTaken);
  // An upload that was deleted meanwhile must leave no part behind.
  const isKnown = sql`EXISTS (SELECT 1 FROM files WHERE files.id = ${id})`;
  await runBatch(db, [
    insertWhere(db, filePartsTable, { fileId: id, number, etag }, isKnown).onConflictDoUpdate({
      target: [filePartsTable.fileId, filePartsTable.number],
      set: { etag },
    }),
    db
      .update(filesTable)
      .set({ forgetAt: now + UPLOAD_LIFE_MS })
      .where(isOpen),
  ]);
}

/**
 * Marks a file as stored and probed: posts may use it, for at least a week. Returns the file as it is then,
 * also if another request stored it first; null if the file is being deleted.
 */
export async function markStored(
  db: Db,
  id: FileId,
  { bytes, media }: { readonly bytes: number; readonly media: StoredMedia },
  now: number,
): Promise<StoredFile | null> {
  const change = { bytes, media, uploadId: null, forgetAt: now + UNUSED_LIFE_MS };
  const { files } = await writeTogether(db, {
    stored: db
      .update(filesTable)
      .set(change)
      .where(and(eq(filesTable.id, id), isNull(filesTable.media), isNotTaken)),
    parts: db.delete(filePartsTable).where(eq(filePartsTable.fileId, id)),
    files: db
      .select()
      .from(filesTable)
      .where(and(eq(filesTable.id, id), isNotTaken)),
  });
  return files[0] ?? null;
}

/**
 * Deletes the rows. The bytes must be deleted before: only the row knows of them. The next sweep deletes the
 * copies that were fitted from these files.
 */
export async function forgetFiles(db: Db, ids: readonly FileId[]): Promise<void> {
  await runBatch(db, [
    expireFittedOf(db, ids),
    db.delete(filePartsTable).where(isAmong(filePartsTable.fileId, ids)),
    db.delete(filesTable).where(isAmong(filesTable.id, ids)),
  ]);
}

/**
 * Keeps the files of these names, of this project only, and their other forms for the post. Names that do not
 * exist are ignored.
 */
export function useFiles(
  db: Db,
  { projectId, postId }: { readonly projectId: ProjectId; readonly postId: PostId | SQL<PostId> },
  names: readonly string[],
  condition: SQL = sql`1`,
): readonly Statement[] {
  const isMeant = sql`(${isAmong(filesTable.name, names)} OR ${isFormOf(names)})`;
  const isUsable = sql`${isMeant} AND ${filesTable.projectId} = ${projectId} AND ${isNotTaken} AND ${condition}`;
  return [
    db.insert(fileUsesTable).select(sql`SELECT files.id, ${postId} FROM files WHERE ${isUsable}`).onConflictDoNothing(),
    db.update(filesTable).set({ forgetAt: null }).where(isUsable),
  ];
}

/** An alternative format or a fitted copy of the files of these names. */
export const isFormOf = (names: readonly string[]): SQL =>
  sql`(${isAmong(filesTable.renditionOf, names)} OR ${isAmong(filesTable.fittedFrom, names)})`;

/** The file, or the one that it is another form of. */
export const isInLibrary = sql`(files.library IS NOT NULL OR EXISTS (SELECT 1 FROM files AS original
  WHERE original.name = coalesce(files.rendition_of, files.fitted_from) AND original.library IS NOT NULL))`;

/**
 * Ends the post's use of its files. Files that no other post needs are kept for another week, copies for a
 * day.
 */
export function endUses(db: Db, postId: PostId, now: number, condition: SQL = sql`1`): readonly Statement[] {
  const own = sql`SELECT file_id FROM file_uses WHERE post_id = ${postId} AND ${condition}`;
  const isShared = sql`EXISTS (SELECT 1 FROM file_uses AS other WHERE other.file_id = files.id AND other.post_id <> ${postId})`;
  const isKept = sql`(${filesTable.forgetAt} IS NOT NULL OR ${filesTable.generationId} IS NOT NULL OR ${isShared} OR ${isInLibrary})`;
  const forgetAt = sql`${now} + CASE WHEN ${filesTable.isCopy} THEN ${UPLOAD_LIFE_MS} ELSE ${UNUSED_LIFE_MS} END`;
  return [
    db.update(filesTable).set({ forgetAt }).where(sql`${filesTable.id} IN (${own}) AND NOT ${isKept}`),
    db.delete(fileUsesTable).where(and(eq(fileUsesTable.postId, postId), condition)),
  ];
}

/** Copies that were fitted from these files expire now, unless a post still needs one. */
function expireFittedOf(db: Db, ids: readonly FileId[]): Statement {
  const original = sql`SELECT name FROM files AS original WHERE ${isAmong(sql`original.id`, ids)}`;
  const isUsed = sql`EXISTS (SELECT 1 FROM file_uses WHERE file_uses.file_id = files.id)`;
  return db
    .update(filesTable)
    .set({ forgetAt: 0 })
    .where(sql`${filesTable.fittedFrom} IN (${original}) AND NOT ${isUsed}`);
}

/** Whether any file may be deleted, now or later. */
export const hasUnusedFiles = (): SQL => sql`EXISTS (SELECT 1 FROM files WHERE forget_at IS NOT NULL)`;

/**
 * The next projects after this id that have files with an expiry date, and whether one of these files has
 * expired.
 */
export async function listForgetting(db: Db, after: number, now: number, limit: number) {
  const next = (id: SQL) => sql`(SELECT project_id FROM files WHERE forget_at IS NOT NULL AND project_id > ${id}
    ORDER BY project_id LIMIT 1)`;
  const isDue = sql`EXISTS (SELECT 1 FROM files WHERE forget_at IS NOT NULL AND project_id = walk.id AND forget_at < ${now})`;
  return db.all<{ id: ProjectId; isDue: number }>(sql`WITH RECURSIVE walk(id) AS (
      SELECT ${next(sql`${after}`)} UNION ALL SELECT ${next(sql`walk.id`)} FROM walk WHERE walk.id IS NOT NULL LIMIT ${limit}
    ) SELECT id, ${isDue} AS isDue FROM walk WHERE id IS NOT NULL`);
}

/**
 * Claims expired files of these projects, the oldest of each first: posts can no longer use them. The caller
 * deletes them. Includes files that an earlier sweep claimed and did not delete.
 */
export async function takeForgettable(db: Db, projects: readonly ProjectId[], now: number, limit: number) {
  const each = Math.max(1, Math.floor(limit / projects.length));
  const old = sql`SELECT old.id FROM files AS old WHERE old.forget_at IS NOT NULL AND old.project_id = project.value
    AND old.forget_at < ${now} ORDER BY old.forget_at LIMIT ${each}`;
  const taken = sql`SELECT files.id FROM json_each(${JSON.stringify(projects)}) AS project CROSS JOIN files ON files.id IN (${old}) LIMIT ${limit}`;
  return db.update(filesTable).set({ forgetAt: 0 }).where(sql`${filesTable.id} IN (${taken})`).returning({
    id: filesTable.id,
    projectId: filesTable.projectId,
    name: filesTable.name,
    uploadId: filesTable.uploadId,
  });
}

/** A condition: a file is kept for the post. */
export const hasFiles = (postId: SQL): SQL => sql`EXISTS (SELECT 1 FROM file_uses WHERE file_uses.post_id = ${postId})`;
