import { and, eq, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { isOpenProject } from "../accounts/store.ts";
import type { ProjectId } from "../core/ids.ts";
import { DAY } from "../core/time.ts";
import { randomBase62 } from "../core/tokens.ts";
import type { Db, Statement } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import { archivePagesTable } from "./table.ts";

/**
 * Pages of old rows in the bucket (docs/decisions/0071). A page is one object of compressed JSON with the
 * entries of many rows of one project, by the ids of those rows; the rows keep the page's id.
 *
 *   reserved ▶ written ▶ in use ▶ deleted
 *
 * A page is reserved in the database before its object is written. The transaction that deletes the rows puts
 * it in use. After a death between the two, nothing refers to the page, and the sweep deletes it (tidy.ts).
 */
export interface Page {
  readonly id: number;
  readonly name: string;
}

/** Longer than any invocation lives, and than what a restored database lacks (docs/operate.md). */
export const UNUSED_LIFE_MS = 2 * DAY;

/** The keys of all pages of a project, those of dead deliveries too. */
export const pagePrefix = (projectId: ProjectId): string => `pages/${projectId}/`;

/** Reserves a page; null if the project is being deleted. */
export async function reservePage(db: Db, projectId: ProjectId, now: number): Promise<Page | null> {
  const name = `${pagePrefix(projectId)}${randomBase62(32)}`;
  const row = { id: sql`NULL`, projectId, name, deleteAt: now + UNUSED_LIFE_MS };
  const [reserved] = await insertWhere(db, archivePagesTable, row, isOpenProject(projectId)).returning({
    id: archivePagesTable.id,
  });
  return reserved ? { id: reserved.id, name } : null;
}

/** A condition: the sweep has not given the reserved page up. */
export function isReserved({ id, name }: Page, now: number): SQL {
  return sql`EXISTS (SELECT 1 FROM archive_pages WHERE archive_pages.id = ${id} AND archive_pages.name = ${name}
    AND archive_pages.delete_at > ${now})`;
}

interface Use {
  /** When its last entry has expired. */
  readonly deleteAt: number;
  /** The number of its entries whose rows name it, counted in the same transaction. */
  readonly named: SQL;
  readonly entries: number;
  /** Of its events that a replay may name. */
  readonly replay: { readonly from: number; readonly to: number } | null;
}

/**
 * Puts a reserved page in use, in the transaction whose rows name it. If an overlapping run has moved some of
 * the rows, the page is rewritten without them; if it has moved all, this page stays unused.
 */
export function usePage(db: Db, { id, name }: Page, { deleteAt, named, entries, replay }: Use, now: number): Statement {
  const { id: pageId, name: pageName } = archivePagesTable;
  const staleAt = sql`CASE WHEN (${named}) < ${entries} THEN ${now} END`;
  return db
    .update(archivePagesTable)
    .set({ deleteAt, staleAt, replayFrom: replay?.from ?? null, replayTo: replay?.to ?? null })
    .where(and(eq(pageId, id), eq(pageName, name), sql`(${named}) > 0`));
}

/** The pages of a project with events of a time range that a replay may name, the oldest first. */
export function listReplayed(
  db: Db,
  projectId: ProjectId,
  { from, to }: { readonly from: number; readonly to: number },
) {
  const { id, name, replayFrom } = archivePagesTable;
  return db
    .select({ id, name, replayFrom: sql<number>`${replayFrom}`.as("first") })
    .from(archivePagesTable)
    .where(sql`project_id = ${projectId} AND replay_from IS NOT NULL AND replay_from < ${to} AND replay_to >= ${from}`)
    .orderBy(replayFrom, id)
    .limit(1);
}

/** Takes a page out of use whose rows no longer name it (a condition). */
export function dropPage(db: Db, { id, name }: Page, isUnnamed: SQL, now: number): Statement {
  const { id: pageId, name: pageName } = archivePagesTable;
  return db
    .update(archivePagesTable)
    .set({ deleteAt: now + UNUSED_LIFE_MS, staleAt: null, replayFrom: null, replayTo: null })
    .where(and(eq(pageId, id), eq(pageName, name), isUnnamed));
}

/** The name of the object of a page, for a query of the rows that name it. Null once the page is deleted. */
export const nameOfPage = (id: SQL): SQL<string | null> =>
  sql<string | null>`(SELECT name FROM archive_pages WHERE archive_pages.id = ${id})`;

/**
 * Marks pages that lose entries: rows that name them are purged by the same transaction. Each mark is later
 * than the one before. `ids`: a query.
 */
export function markStale(db: Db, ids: SQL, now: number): Statement {
  return db
    .update(archivePagesTable)
    .set({ staleAt: sql`max(${now}, coalesce(stale_at, 0) + 1)` })
    .where(sql`id IN (${ids})`);
}

/** Entries by the id of their row. */
export type Entries = Readonly<Record<string, unknown>>;

const Content = z.object({ version: z.literal(1), entries: z.record(z.string(), z.unknown()) });

export async function writeObject(files: R2Bucket, name: string, entries: Entries): Promise<void> {
  const json = JSON.stringify({ version: 1, entries } satisfies z.input<typeof Content>);
  const stream = new Blob([json]).stream().pipeThrough(new CompressionStream("gzip"));
  await files.put(name, await new Response(stream).arrayBuffer());
}

/** The entries of a page; null if its object does not exist. One call of the bucket. */
export async function readObject(files: R2Bucket, name: string): Promise<Entries | null> {
  const object = await files.get(name);
  if (object === null) return null;
  const json: unknown = await new Response(object.body.pipeThrough(new DecompressionStream("gzip"))).json();
  return Content.parse(json).entries;
}
