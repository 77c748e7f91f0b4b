import { and, desc, isNull, or, type SQL, sql } from "drizzle-orm";
import type { PostId, ProjectId } from "../../core/ids.ts";
import type { Db } from "../../db/client.ts";
import { hasWords } from "../../db/has-words.ts";
import { isOwnAmong, isOwnIn } from "../../db/in-list.ts";
import type { PlatformName } from "../../platforms/names.ts";
import { PLATFORM_NUMBERS } from "../../platforms/numbers.ts";
import { readResting, restingChannel, restingColumns, type Shelf } from "../rest/read.ts";
import { channelColumn } from "../store.ts";
import { postsAtRestTable, postsTable } from "../table.ts";

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
    .where(isOwnAmong(postsTable, projectId, ids));
}

/** The same for the ids of a query. */
export function selectTitlesIn(db: Db, projectId: ProjectId, ids: SQL) {
  return db
    .select(columns)
    .from(postsTable)
    .where(isOwnIn(postsTable, projectId, ids));
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

/** The newest posts at rest that are searched, of all platforms together: one or two pages of the archive. */
const SEARCHED_AT_REST = 500;

/** For a batch: where `withResting` finds posts at rest, these and the newest on these platforms. */
export function selectRestingTitles(db: Db, projectId: ProjectId, ids: readonly PostId[], { platforms }: Sought) {
  const numbers = JSON.stringify(platforms.map((name) => PLATFORM_NUMBERS[name]));
  // Each platform is one stream of the index, so few rows are read.
  const newest = sql`SELECT id FROM (SELECT newest.id, newest.published_at FROM json_each(${numbers}) AS type CROSS JOIN posts_at_rest AS newest
    ON newest.id IN (SELECT one.id FROM posts_at_rest AS one INDEXED BY posts_at_rest_by_publication
      WHERE one.project_id = ${projectId} AND one.type = type.value ORDER BY one.published_at DESC LIMIT ${SEARCHED_AT_REST}))
    ORDER BY published_at DESC LIMIT ${SEARCHED_AT_REST}`;
  const { publishedAt } = postsAtRestTable;
  return db
    .select({ ...restingColumns, publishedAt, channel: restingChannel.as("rest_channel") })
    .from(postsAtRestTable)
    .where(or(isOwnAmong(postsAtRestTable, projectId, ids), isOwnIn(postsAtRestTable, projectId, newest)))
    .orderBy(desc(publishedAt));
}

interface Titles {
  /** Of `selectTitles` and `selectLiveTitles`. */
  readonly chosen: readonly PostTitle[];
  readonly found: readonly PostTitle[];
  readonly atRest: Awaited<ReturnType<typeof selectRestingTitles>>;
}

/** The titles with those of posts at rest; the bucket is read only if one of them may be among the newest. */
export async function withResting(shelf: Shelf, titles: Titles, ids: readonly PostId[], { words, limit }: Sought) {
  const { chosen, found, atRest } = titles;
  const last = found.length < limit ? 0 : (found.at(-1)?.publishedAt ?? 0);
  const wanted = atRest.filter(({ id, publishedAt }) => ids.includes(id) || publishedAt > last);
  const rows = await readResting(shelf, wanted);
  const own = wanted.flatMap(({ id, channel }) => {
    const post = rows.get(id);
    return post ? [{ ...post, channel }] : [];
  });
  const matching = own.filter(({ caption, thread }) => includesWords([caption, JSON.stringify(thread)], words));
  const newest = [...found, ...matching.map(toTitle)].toSorted((a, b) => (b.publishedAt ?? 0) - (a.publishedAt ?? 0));
  return {
    chosen: [...chosen, ...own.filter(({ id }) => ids.includes(id)).map(toTitle)],
    found: newest.slice(0, limit),
  };
}

/** As `hasWords`. */
function includesWords(texts: readonly string[], words: string): boolean {
  return texts.some((text) => lower(text).includes(lower(words)));
}

const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function toTitle({
  id,
  channelType,
  channelId,
  postType,
  caption,
  thread,
  publishedAt,
  channel,
}: PostTitle): PostTitle {
  const beginning = [...caption].slice(0, 200).join("");
  return { id, channelType, channelId, postType, caption: beginning, thread, publishedAt, channel };
}
