import { sql } from "drizzle-orm";
import { readObject } from "../archive/pages.ts";
import type { PostId, ProjectId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";
import { readRestingRows } from "../posts/rest/read.ts";
import { selectAtRest } from "../posts/rest/take-back.ts";
import { type ArchivedEvent, ArchivedEvents } from "../posts/timelines/archived-events.ts";
import type { Deps } from "../service/deps.ts";
import { EXPORT_KINDS, type ExportKind } from "./export-kinds.ts";
import { lineOf, type RowPage } from "./export-rows.ts";
import { isAfter, type Key, selectWindowEnd, windowOf } from "./pieces.ts";
import { belongsTo, type StoredTable, tableOf } from "./tables.ts";

/** How many posts of one page of rows are read at once. */
const ROWS = 500;

/** Posts in the archive, with the lines of those in the database. */
export async function readArchivedPosts(
  { db, files }: Pick<Deps, "db" | "files">,
  projectId: ProjectId,
  after: Key | null,
): Promise<RowPage> {
  const { ids, next } = await listOwn<PostId>(db, tableOf("posts_at_rest"), projectId, { after, most: ROWS });
  const posts = await selectAtRest(db, projectId, ids);
  const rows = await readRestingRows({ files }, posts);
  // One that was taken back since is among the posts of the database, or of the next archive.
  const lines = ids.flatMap((id) => {
    const row = rows.get(id);
    return row ? [lineOf(POSTS, row)] : [];
  });
  return { lines: lines.join(""), next };
}

/** Timelines in the archive, by the lines of those in the database: one page of the archive in each call. */
export async function readArchivedTimelines(
  { db, files }: Pick<Deps, "db" | "files">,
  projectId: ProjectId,
  after: Key | null,
): Promise<RowPage> {
  const { ids: own, next } = await listOwn<number>(db, tableOf("archive_pages"), projectId, { after, most: 1 });
  const [page] = await db.all<{ id: number; name: string }>(
    sql`SELECT id, name FROM ${sql.identifier("archive_pages")} WHERE id = ${own[0] ?? null}`,
  );
  if (page === undefined) return { lines: "", next };
  const entries = (await readObject(files, page.name)) ?? {};
  const ids = JSON.stringify(Object.keys(entries).map(Number));
  const posts = await db.all<{ id: number }>(sql`SELECT id FROM ${sql.identifier("posts")}
    WHERE id IN (SELECT value FROM json_each(${ids})) AND timeline_page = ${page.id} AND deleted_at IS NULL
    UNION ALL SELECT id FROM ${sql.identifier("posts_at_rest")}
    WHERE id IN (SELECT value FROM json_each(${ids})) AND timeline_page = ${page.id} ORDER BY id`);
  const lines = posts.flatMap(({ id }) => linesOf(projectId, id, ArchivedEvents.parse(entries[id] ?? [])));
  return { lines: lines.join(""), next };
}

/** The next ids of the project in a window of the table. */
async function listOwn<Id extends number>(
  db: Db,
  stored: StoredTable,
  projectId: ProjectId,
  { after, most }: { readonly after: Key | null; readonly most: number },
): Promise<{ readonly ids: readonly Id[]; readonly next: Key | null }> {
  const window = windowOf(stored, isAfter(stored, after));
  const rows = await db.all<{ id: Id }>(
    sql`SELECT id FROM ${window} WHERE ${belongsTo(stored, projectId)} ORDER BY id LIMIT ${most}`,
  );
  const ids = rows.map(({ id }) => id);
  const last = ids.length === most ? ids.at(-1) : undefined;
  return { ids, next: last === undefined ? await selectWindowEnd(db, stored, after) : [last] };
}

function kindOf(name: string): ExportKind {
  const kind = EXPORT_KINDS.find(({ table }) => table.name === name);
  if (!kind) throw new Error(`An export has no ${name}.`);
  return kind;
}
const EVENTS = kindOf("events");
const POSTS = kindOf("posts");

function linesOf(projectId: ProjectId, postId: number, events: readonly ArchivedEvent[]): string[] {
  return events.map(({ id, type, message, detail, createdAt, outbox }) =>
    lineOf(EVENTS, {
      id,
      project_id: projectId,
      subject: "post",
      subject_id: postId,
      type,
      message,
      detail: detail === null ? null : JSON.stringify(detail),
      created_at: createdAt,
      outbox,
    }),
  );
}
