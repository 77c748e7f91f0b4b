import { sql } from "drizzle-orm";
import { readObject } from "../archive/pages.ts";
import type { ProjectId } from "../core/ids.ts";
import { listResting, readRestingRows } from "../posts/rest/read.ts";
import { type ArchivedEvent, ArchivedEvents } from "../posts/timelines/archived-events.ts";
import type { Deps } from "../service/deps.ts";
import { EXPORT_KINDS, type ExportKind } from "./export-kinds.ts";
import { lineOf, type RowPage } from "./export-rows.ts";
import type { Key } from "./pieces.ts";

/** How many posts of one page of rows are read at once. */
const ROWS = 500;

/** Posts in the archive, with the lines of those in the database. */
export async function readArchivedPosts(
  { db, files }: Pick<Deps, "db" | "files">,
  projectId: ProjectId,
  after: Key | null,
): Promise<RowPage> {
  const posts = await listResting(db, projectId, Number(after?.[0] ?? 0), ROWS);
  const rows = await readRestingRows({ files }, posts);
  const lines = posts.map(({ id }) => lineOf(POSTS, rows.get(id) ?? {}));
  const last = posts.at(-1);
  return { lines: lines.join(""), next: last === undefined || posts.length < ROWS ? null : [last.id] };
}

/** Timelines in the archive, by the lines of those in the database: one page of the archive in each call. */
export async function readArchivedTimelines(
  { db, files }: Pick<Deps, "db" | "files">,
  projectId: ProjectId,
  after: Key | null,
): Promise<RowPage> {
  const [page] = await db.all<{ id: number; name: string }>(sql`SELECT id, name FROM ${sql.identifier("archive_pages")}
    WHERE project_id = ${projectId} AND id > ${after?.[0] ?? 0} ORDER BY id LIMIT 1`);
  if (page === undefined) return { lines: "", next: null };
  const entries = (await readObject(files, page.name)) ?? {};
  const ids = JSON.stringify(Object.keys(entries).map(Number));
  const posts = await db.all<{ id: number }>(sql`SELECT id FROM ${sql.identifier("posts")}
    WHERE id IN (SELECT value FROM json_each(${ids})) AND timeline_page = ${page.id} AND deleted_at IS NULL
    UNION ALL SELECT id FROM ${sql.identifier("posts_at_rest")}
    WHERE id IN (SELECT value FROM json_each(${ids})) AND timeline_page = ${page.id} ORDER BY id`);
  const lines = posts.flatMap(({ id }) => linesOf(projectId, id, ArchivedEvents.parse(entries[id] ?? [])));
  return { lines: lines.join(""), next: [page.id] };
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
      ...{ id, project_id: projectId, subject: "post", subject_id: postId, type, message },
      ...{ detail: detail === null ? null : JSON.stringify(detail), created_at: createdAt, outbox },
    }),
  );
}
