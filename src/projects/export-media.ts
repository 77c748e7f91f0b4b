import { sql } from "drizzle-orm";
import { z } from "zod";
import { type FileId, idOf, type ProjectId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";
import { fileEnding } from "../media/own-address.ts";
import { EXPORT_KINDS } from "./export-kinds.ts";
import { isAfter, selectWindowEnd, windowOf } from "./pieces.ts";

/** A file of the bucket in the archive. */
export interface MediaEntry {
  readonly id: FileId;
  /** In the bucket. */
  readonly name: string;
  /** In the archive: posts name it by the same end of its address. */
  readonly path: string;
}

const PAGE = 500;
const Media = z.object({ mime: z.string() });

export interface MediaPage {
  readonly files: readonly MediaEntry[];
  /** The id to continue after; null if no file follows. */
  readonly next: number | null;
}

/** The complete files of the project after this one, by id: those of a window of the table. */
export async function listMedia(db: Db, projectId: ProjectId, after: number): Promise<MediaPage> {
  const kind = EXPORT_KINDS.find(({ table }) => table.name === "files");
  if (!kind) throw new Error("Files are not exported.");
  const window = windowOf(kind.table, isAfter(kind.table, [after]));
  const rows = await db.all<{ id: number; name: string; media: string }>(
    sql`SELECT id, name, media FROM ${window} WHERE (${kind.where(projectId)}) AND media IS NOT NULL ORDER BY id LIMIT ${PAGE}`,
  );
  const files = rows.map(({ id, name, media }) => {
    const { mime = "" } = Media.safeParse(JSON.parse(media)).data ?? {};
    return { id: idOf<FileId>(id), name, path: `media/${name}${fileEnding(mime)}` };
  });
  const last = rows.length === PAGE ? rows.at(-1)?.id : undefined;
  const next = last ?? (await selectWindowEnd(db, kind.table, [after]))?.[0];
  return { files, next: next === undefined ? null : Number(next) };
}
