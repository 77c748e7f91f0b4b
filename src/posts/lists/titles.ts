import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { PostId, ProjectId } from "../../core/ids.ts";
import type { Db } from "../../db/client.ts";
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

/** The newest live posts of a platform that are searched: the search reads their texts. */
const SEARCHED = 500;

interface Sought {
  readonly platforms: readonly PlatformName[];
  /** Words that the text has; empty for all posts. */
  readonly words: string;
  readonly limit: number;
}

/** The newest live posts of the project on these platforms whose text has the words, for a batch. */
export function selectLiveTitles(db: Db, projectId: ProjectId, { platforms, words, limit }: Sought) {
  const newest = platforms.map(
    (
      platform,
    ) => sql`SELECT * FROM (SELECT id FROM posts INDEXED BY posts_by_publication WHERE project_id = ${projectId}
      AND channel_type = ${platform} AND state = 'published' AND published_at IS NOT NULL AND deleted_at IS NULL
      ORDER BY published_at DESC LIMIT ${SEARCHED})`,
  );
  return db
    .select(columns)
    .from(sql`(${sql.join(newest, sql` UNION ALL `)}) AS newest`)
    .crossJoin(postsTable)
    .where(and(sql`${postsTable.id} = newest.id`, isNull(postsTable.deletedAt), hasWords(words)))
    .orderBy(desc(postsTable.publishedAt))
    .limit(limit);
}

function hasWords(words: string): SQL | undefined {
  const pattern = `%${words.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  return words === ""
    ? undefined
    : sql`(${postsTable.caption} LIKE ${pattern} ESCAPE '\\' OR ${postsTable.thread} LIKE ${pattern} ESCAPE '\\')`;
}
