import { desc, eq, type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { PageOf } from "../core/page.ts";
import type { Db } from "../db/client.ts";
import { PLATFORM_NAMES, type PlatformName } from "../platforms/names.ts";
import { type ShownPost, shownColumns } from "./store.ts";
import { POST_STATES, type PostState, postCountsTable, postsTable } from "./table.ts";

export interface PostFilter {
  readonly channels: readonly PlatformName[];
  /** Null: every state that is shown. */
  readonly states: readonly PostState[] | null;
  readonly page: number;
  readonly limit: number;
}

/** D1 takes at most this many terms in one compound SELECT. */
const MAX_TERMS = 5;

/**
 * One page of get-posts, newest first, in one D1 call (spec 4.3). Every (type, state) is a stream that an index keeps in
 * order; SQLite merges up to five of them lazily, so a page costs a few rows per stream and `limit` rows, however large
 * the table. The total comes from the project's counter row.
 */
export async function listPosts(db: Db, projectId: ProjectId, filter: PostFilter): Promise<PageOf<ShownPost>> {
  const wanted = filter.page * filter.limit;
  const ids = merged(streamsOf(projectId, filter), wanted);
  const offset = (filter.page - 1) * filter.limit;
  const page = sql`(SELECT id FROM (${ids}) ORDER BY id DESC LIMIT ${filter.limit} OFFSET ${offset})`;
  const [items, counts] = await db.batch([
    db.select(shownColumns).from(postsTable).where(sql`${postsTable.id} IN ${page}`).orderBy(desc(postsTable.id)),
    db.select({ counts: postCountsTable.counts }).from(postCountsTable).where(eq(postCountsTable.projectId, projectId)),
  ]);
  return { items, total: totalOf(counts[0]?.counts ?? {}, filter), page: filter.page, limit: filter.limit };
}

function streamsOf(projectId: ProjectId, { channels, states }: PostFilter): SQL[] {
  const stream = (rest: string): SQL => sql`SELECT id FROM posts WHERE project_id = ${projectId} AND ${sql.raw(rest)}`;
  if (states === null) return channels.map((type) => stream(`channel_type = '${type}' AND deleted_at IS NULL`));
  if (isEveryListed(channels)) return states.map((state) => stream(`channel_type <> 'threads' AND state = '${state}'`));
  // Names of our own lists, so they may stand as literals: thirty streams of parameters are more than D1 takes.
  return channels.flatMap((type) => states.map((state) => stream(`channel_type = '${type}' AND state = '${state}'`)));
}

/** get-posts cannot list threads (spec 2.2): all the others are "every channel". */
function isEveryListed(channels: readonly PlatformName[]): boolean {
  return PLATFORM_NAMES.every((name) => name === "threads" || channels.includes(name));
}

/** The streams as one, in groups that the compound limit allows. */
function merged(streams: readonly SQL[], wanted: number): SQL {
  let level = [...streams];
  while (level.length > 1) {
    const groups: SQL[] = [];
    for (let start = 0; start < level.length; start += MAX_TERMS) {
      const terms = sql.join(level.slice(start, start + MAX_TERMS), sql` UNION ALL `);
      groups.push(sql`SELECT id FROM (${terms} ORDER BY id DESC LIMIT ${wanted})`);
    }
    level = groups;
  }
  const [only] = level;
  return streams.length > 1 ? sql`${only}` : sql`${only} ORDER BY id DESC LIMIT ${wanted}`;
}

function totalOf(counts: Readonly<Record<string, number>>, filter: PostFilter): number {
  let total = 0;
  for (const type of filter.channels) {
    for (const state of filter.states ?? POST_STATES) total += counts[`${type}.${state}`] ?? 0;
  }
  return total;
}
