import { and, eq, type SQL, sql } from "drizzle-orm";
import type { FileId, GenerationId, ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import { isInLibrary, UPLOAD_LIFE_MS } from "./store.ts";
import type { StoredMedia } from "./stored.ts";
import { filesTable, fileUsesTable } from "./table.ts";

/**
 * A file that a generation creates. It is recorded before any byte is in the bucket, and expires a day later
 * unless the generation keeps it. A kept file exists as long as the generation exists or posts use it.
 */
export interface NewGeneratedFile {
  readonly name: string;
  /** The name of the file that this is an alternative format of, or null. */
  readonly renditionOf: string | null;
}

/** Announces files; files that are already known stay unchanged. */
export function announceGenerated(
  db: Db,
  about: { readonly projectId: ProjectId; readonly generationId: GenerationId },
  files: readonly NewGeneratedFile[],
  condition: SQL,
): Statement {
  const now = Date.now();
  const values = {
    ...about,
    name: sql`json_extract(value, '$.name')`,
    renditionOf: sql`json_extract(value, '$.renditionOf')`,
    bytes: 0,
    isGenerated: true,
    createdAt: now,
    forgetAt: now + UPLOAD_LIFE_MS,
  };
  const from = sql`json_each(${JSON.stringify(files)})`;
  return insertWhere(db, filesTable, values, { from, when: condition }).onConflictDoNothing();
}

/** Marks a file as stored in the bucket, with its detected properties. */
export function markGenerated(
  db: Db,
  name: string,
  { bytes, media }: { readonly bytes: number; readonly media: StoredMedia },
  condition: SQL,
): Statement {
  return db
    .update(filesTable)
    .set({ bytes, media })
    .where(and(eq(filesTable.name, name), condition));
}

/** Keeps these files for the generation, and releases the other files that it created. */
export function keepGenerated(
  db: Db,
  id: GenerationId,
  names: readonly string[],
  condition: SQL,
): readonly Statement[] {
  const isKept = sql`media IS NOT NULL AND (${isAmong(filesTable.name, names)} OR (rendition_of IS NOT NULL AND ${isAmong(filesTable.renditionOf, names)}))`;
  const own = sql`generation_id = ${id} AND ${condition}`;
  return [
    db.update(filesTable).set({ generationId: null, forgetAt: Date.now() }).where(sql`${own} AND NOT (${isKept})`),
    db.update(filesTable).set({ forgetAt: null }).where(sql`${own} AND ${isKept}`),
  ];
}

/**
 * Releases all files of one or several generations. Files that no post uses expire at `forgetAt`; with 0, the
 * caller deletes them at once with `forgetFiles`. Files that a post uses stay like any other file. Returns
 * the rows that no post uses.
 */
export function releaseGenerated(
  db: Db,
  of: GenerationId | readonly GenerationId[],
  forgetAt: number,
  condition: SQL = sql`1`,
) {
  const isUsed = sql`EXISTS (SELECT 1 FROM ${fileUsesTable} WHERE file_uses.file_id = files.id)`;
  return db
    .update(filesTable)
    .set({ generationId: null, forgetAt: sql`CASE WHEN ${isUsed} OR ${isInLibrary} THEN NULL ELSE ${forgetAt} END` })
    .where(sql`generation_id IS NOT NULL AND ${isAmong(filesTable.generationId, [of].flat())} AND ${condition}`)
    .returning({ id: filesTable.id, name: filesTable.name, forgetAt: filesTable.forgetAt });
}

export interface Rendition {
  readonly id: FileId;
  readonly renditionOf: string | null;
  readonly name: string;
  readonly media: StoredMedia | null;
}

/** Alternative formats of our files, by the names of the original files. */
export async function listRenditions(db: Db, names: readonly string[]): Promise<Rendition[]> {
  const { id, renditionOf, name, media } = filesTable;
  const isOf = sql`rendition_of IS NOT NULL AND ${isAmong(filesTable.renditionOf, names)}`;
  return db.select({ id, renditionOf, name, media }).from(filesTable).where(isOf);
}
