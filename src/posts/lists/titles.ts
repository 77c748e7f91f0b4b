import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { PostId, ProjectId } from "../../core/ids.ts";
import type { Db } from "../../db/client.ts";
import { hasWords } from "../../db/has-words.ts";
import { isAmong } from "../../db/in-list.ts";
import type { PlatformName } from "../../platforms/names.ts";
import { channelColumn } from "../store.ts";
import { postsTable } from "../table.ts";

/** Posts by the beginning of their texts, for lists from which a person chooses. */

const columns = {
  id: postsTable.id,
  channelType: postsTable.channelType,
  channelId: postsTable.channelId,
  postType: postsTable.postType,
  caption: sql<string>`substr(${postsTable.caption}, 1, 200)`.as("beginning"),
  thread: postsTable.thread,
  publishedAt: postsTable.publishedAt,
  channel: channelColumn,
};
export type PostTitle = Awaited<ReturnType<typeof selectTitles>>[number];

/** These posts of the project, also deleted ones, for a batch. */
export function selectTitles(db: Db, projectId: ProjectId, ids: readonly PostId[]) {
  return db
    .select(columns)
    .from(postsTable)
    .where(and(eq(postsTable.projectId, projectId), isAmong(postsTable.id, ids)));
}

/** The same for the ids of a query. */
export function selectTitlesIn(db: Db, projectId: ProjectId, ids: SQL) {
  return db
    .select(columns)
    .from(postsTable)
    .where(and(eq(postsTable.projectId, projectId), sql`${postsTable.id} IN (${ids})`));
}

/** The newest live posts of each platform that are searched: the search reads their texts. */
const SEARCHED = 500;

interface Sought {
  readonly platforms: readonly PlatformName[];
  /** Words that the text has; empty for all posts. */
  readonly words: string;
  readonly limit: number;
}

/** The newest live posts of the project on these platforms whose text has the words, for a batch. */
export function selectLiveTitles(db: Db, projectId: ProjectId, { platforms, words, limit }: Sought) {
  // A UNION of all platforms would have more terms than D1 allows.
  const newest = sql`SELECT newest.id FROM posts AS newest INDEXED BY posts_by_publication
    WHERE newest.project_id = ${projectId} AND newest.channel_type = platform.value AND newest.state = 'published'
    AND newest.published_at IS NOT NULL AND newest.deleted_at IS NULL ORDER BY newest.published_at DESC LIMIT ${SEARCHED}`;
  const { id, deletedAt, caption, thread, publishedAt } = postsTable;
  return db
    .select(columns)
    .from(sql`json_each(${JSON.stringify(platforms)}) AS platform`)
    .crossJoin(postsTable)
    .where(and(sql`${id} IN (${newest})`, isNull(deletedAt), hasWords([caption, thread], words)))
    .orderBy(desc(publishedAt))
    .limit(limit);
}
