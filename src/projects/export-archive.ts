import { sql } from "drizzle-orm";
import { readObject } from "../archive/pages.ts";
import type { ProjectId } from "../core/ids.ts";
import { type ArchivedEvent, ArchivedEvents } from "../posts/timelines/archived-events.ts";
import type { Deps } from "../service/deps.ts";
import { EXPORT_KINDS } from "./export-kinds.ts";
import { lineOf, type RowKey, type RowPage } from "./export-rows.ts";

/** Timelines in the archive, by the lines of those in the database: one page of the archive in each call. */
export async function readArchivedTimelines(
  { db, files }: Pick<Deps, "db" | "files">,
  projectId: ProjectId,
  after: RowKey | null,
): Promise<RowPage> {
  const [page] = await db.all<{ id: number; name: string }>(sql`SELECT id, name FROM ${sql.identifier("archive_pages")}
    WHERE project_id = ${projectId} AND id > ${after?.[0] ?? 0} ORDER BY id LIMIT 1`);
  if (page === undefined) return { lines: "", next: null };
  const entries = (await readObject(files, page.name)) ?? {};
  const ids = JSON.stringify(Object.keys(entries).map(Number));
  const posts = await db.all<{ id: number }>(sql`SELECT id FROM ${sql.identifier("posts")}
    WHERE id IN (SELECT value FROM json_each(${ids})) AND timeline_page = ${page.id} AND deleted_at IS NULL ORDER BY id`);
  const lines = posts.flatMap(({ id }) => linesOf(projectId, id, ArchivedEvents.parse(entries[id] ?? [])));
  return { lines: lines.join(""), next: [page.id] };
}

const EVENTS = EXPORT_KINDS.find(({ table }) => table.name === "events");

function linesOf(projectId: ProjectId, postId: number, events: readonly ArchivedEvent[]): string[] {
  if (!EVENTS) throw new Error("An export has no timelines.");
  const kind = EVENTS;
  return events.map(({ id, type, message, detail, createdAt, outbox }) =>
    lineOf(kind, {
      ...{ id, project_id: projectId, subject: "post", subject_id: postId, type, message },
      ...{ detail: detail === null ? null : JSON.stringify(detail), created_at: createdAt, outbox },
    }),
  );
}
