import { and, eq, type SQL, sql } from "drizzle-orm";
import type { FileId, GenerationId, ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import { UPLOAD_LIFE_MS } from "./store.ts";
import type { StoredMedia } from "./stored.ts";
import { filesTable, fileUsesTable } from "./table.ts";

/**
 * Files that a generation makes. Known before a byte of them is in the bucket, and gone a day later unless
 * the generation keeps them; what it keeps is there as long as it is, and as long as posts use it.
 */
export interface NewGeneratedFile {
  readonly name: string;
  /** The name of the file that this is another form of, or null. */
  readonly renditionOf: string | null;
}

/** Announces files; those that are known stay as they are. */
export function announceGenerated(
  db: Db,
  about: { readonly projectId: ProjectId; readonly generationId: GenerationId },
  files: readonly NewGeneratedFile[],
  now: number,
  condition: SQL,
): Statement {
  const values = {
    ...about,
    name: sql`json_extract(value, '$.name')`,
    renditionOf: sql`json_extract(value, '$.renditionOf')`,
    bytes: 0,
    createdAt: now,
    forgetAt: now + UPLOAD_LIFE_MS,
  };
  const each = sql`json_each(${JSON.stringify(files)})`;
  return insertWhere(db, filesTable, values, condition, each).onConflictDoNothing();
}

/** Its bytes are in the bucket, and this is what they are. */
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

/** The generation keeps these, and lets the others that it made go. */
export function keepGenerated(
  db: Db,
  id: GenerationId,
  names: readonly string[],
  now: number,
  condition: SQL,
): readonly Statement[] {
  const isKept = sql`media IS NOT NULL AND (${isAmong(filesTable.name, names)} OR (rendition_of IS NOT NULL AND ${isAmong(filesTable.renditionOf, names)}))`;
  const own = sql`generation_id = ${id} AND ${condition}`;
  return [
    db.update(filesTable).set({ generationId: null, forgetAt: now }).where(sql`${own} AND NOT (${isKept})`),
    db.update(filesTable).set({ forgetAt: null }).where(sql`${own} AND ${isKept}`),
  ];
}

/**
 * The generation keeps nothing any more, or several do not. What no post uses goes at `forgetAt` (0: whoever
 * asks ends it at once, `forgetFiles`); what one uses stays as any file does. Its rows are those that no post
 * uses.
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
    .set({ generationId: null, forgetAt: sql`CASE WHEN ${isUsed} THEN NULL ELSE ${forgetAt} END` })
    .where(sql`generation_id IS NOT NULL AND ${isAmong(filesTable.generationId, [of].flat())} AND ${condition}`)
    .returning({ id: filesTable.id, name: filesTable.name, forgetAt: filesTable.forgetAt });
}

export interface Rendition {
  readonly id: FileId;
  readonly renditionOf: string | null;
  readonly name: string;
  readonly media: StoredMedia | null;
}

/** Other forms of files of ours, by the names of these. */
export async function listRenditions(db: Db, names: readonly string[]): Promise<Rendition[]> {
  const { id, renditionOf, name, media } = filesTable;
  const isOf = sql`rendition_of IS NOT NULL AND ${isAmong(filesTable.renditionOf, names)}`;
  return db.select({ id, renditionOf, name, media }).from(filesTable).where(isOf);
}
