import { type SQL, sql } from "drizzle-orm";
import { markStale } from "../../archive/pages.ts";
import type { PostId, ProjectId } from "../../core/ids.ts";
import { type Db, runBatch, type Statement } from "../../db/client.ts";
import { isAmong, isOwnAmong } from "../../db/in-list.ts";
import { postsAtRestTable, postsTable, publicationsTable } from "../table.ts";
import { entryOf, type PageEntries, readPageOf, restingColumns, type Shelf } from "./read.ts";
import { COLUMN_NAMES, type RestingEntry } from "./rows.ts";

/**
 * Takes posts back from the archive (move.ts), before something is done with them. Each page is one read of
 * the bucket, and each transaction takes the posts that are still in it. Repeatable.
 */

/** Of rows as a parameter of one transaction, which may have two megabytes. */
const MAX_BYTES = 1_500_000;

interface Kept {
  readonly id: PostId;
  readonly page: number;
  readonly object: string | null;
}

/** For a batch: which of these posts of the project are at rest. */
export function selectAtRest(db: Db, projectId: ProjectId, ids: readonly PostId[]) {
  return selectKept(db, isOwnAmong(postsAtRestTable, projectId, ids));
}

/** For a batch: the newest posts at rest of a condition, at most so many. */
export function selectKept(db: Db, where: SQL, most = -1) {
  return db
    .select({ ...restingColumns, page: postsAtRestTable.page })
    .from(postsAtRestTable)
    .where(where)
    .limit(most);
}

/** For a batch: posts at rest with one of these marks. */
export const selectMarked = (db: Db, marks: readonly number[], when: SQL = sql`1`) =>
  selectKept(db, sql`mark IS NOT NULL AND ${isAmong(postsAtRestTable.mark, marks)} AND ${when}`);

/** Takes these posts back, as they were; those that another call took back meanwhile stay as they are. */
export async function takeBackPosts({ db, files }: Shelf, kept: readonly Kept[]): Promise<void> {
  for (const [page, posts] of Map.groupBy(kept, ({ page }) => page)) {
    const entries = await readPageOf(files, posts[0]?.object ?? null);
    for (const chunk of chunksOf(entries, posts)) await runBatch(db, returning(db, page, chunk));
  }
}

/** Takes some posts of the project back; their ids, none if no post of it is at rest. */
export async function takeBackSome(shelf: Shelf, projectId: ProjectId, most: number): Promise<readonly PostId[]> {
  const kept = await selectKept(shelf.db, sql`project_id = ${projectId}`, most);
  await takeBackPosts(shelf, kept);
  return kept.map(({ id }) => id);
}

function chunksOf(entries: PageEntries, posts: readonly Kept[]): RestingEntry[][] {
  const chunks: RestingEntry[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const { id } of posts) {
    const entry = entryOf(entries, id);
    const size = new TextEncoder().encode(JSON.stringify(entry)).length;
    if (bytes + size > MAX_BYTES) {
      chunks.push([]);
      bytes = 0;
    }
    bytes += size;
    chunks.at(-1)?.push(entry);
  }
  return chunks;
}

/** The triggers that count posts do not count one that is at rest: so its row there is deleted last. */
function returning(db: Db, page: number, entries: readonly RestingEntry[]): Statement[] {
  const list = JSON.stringify(entries);
  const ids = entries.map(({ row }) => Number(row.id));
  const isKept = sql`rest.page = ${page}`;
  const from = sql`json_each(${list}) AS one CROSS JOIN posts_at_rest AS rest ON rest.id = (one.value ->> '$.row.id')`;
  const values = COLUMN_NAMES.map((name) =>
    // A replay may have taken its timeline back meanwhile.
    name === "timeline_page" ? sql`rest.timeline_page` : sql.raw(`(one.value ->> '$.row.${name}')`),
  );
  const item = ["item", "platform", "account_id", "platform_id", "fingerprint", "begun_at"].map((name) =>
    sql.raw(`(one.value ->> '$.item.${name}')`),
  );
  return [
    db.insert(postsTable).select(sql`SELECT ${sql.join(values, sql`, `)} FROM ${from} WHERE ${isKept}`),
    db
      .insert(publicationsTable)
      .select(
        sql`SELECT rest.id, ${sql.join(item, sql`, `)} FROM ${from} WHERE ${isKept} AND (one.value ->> '$.item.item') IS NOT NULL`,
      )
      .onConflictDoNothing(),
    markStale(
      db,
      sql`SELECT page FROM posts_at_rest AS rest WHERE ${isAmong(sql`rest.id`, ids)} AND ${isKept}`,
      Date.now(),
    ),
    db.delete(postsAtRestTable).where(sql`${isAmong(postsAtRestTable.id, ids)} AND page = ${page}`),
  ];
}
