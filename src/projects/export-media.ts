import { sql } from "drizzle-orm";
import { z } from "zod";
import { type FileId, idOf, type ProjectId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";
import { fileEnding } from "../media/own-address.ts";
import { EXPORT_KINDS } from "./export-kinds.ts";

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

/** The complete files of the project after this one, by id. */
export async function listMedia(db: Db, projectId: ProjectId, after: number): Promise<readonly MediaEntry[]> {
  const kind = EXPORT_KINDS.find(({ table }) => table.name === "files");
  if (!kind) throw new Error("Files are not exported.");
  const table = sql.identifier(kind.table.name);
  const rows = await db.all<{ id: number; name: string; media: string }>(
    sql`SELECT id, name, media FROM ${table} WHERE (${kind.where(projectId)}) AND media IS NOT NULL AND id > ${after}
      ORDER BY id LIMIT ${PAGE}`,
  );
  return rows.map(({ id, name, media }) => {
    const { mime = "" } = Media.safeParse(JSON.parse(media)).data ?? {};
    return { id: idOf<FileId>(id), name, path: `media/${name}${fileEnding(mime)}` };
  });
}
