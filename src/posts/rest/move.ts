import { type SQL, sql } from "drizzle-orm";
import { isReserved, type Page, reservePage, usePage, writeObject } from "../../archive/pages.ts";
import type { PostId, ProjectId } from "../../core/ids.ts";
import { DAY } from "../../core/time.ts";
import { type Db, runBatch, type Statement } from "../../db/client.ts";
import { isAmong } from "../../db/in-list.ts";
import { NEVER } from "../../jobs/reschedule.ts";
import { PLATFORM_NAMES } from "../../platforms/names.ts";
import { numberOf } from "../../platforms/numbers.ts";
import type { Deps } from "../../service/deps.ts";
import { postsAtRestTable, postsTable, publicationsTable } from "../table.ts";
import { isQuiet, type Occupies } from "./is-quiet.ts";
import { markOf } from "./mark.ts";
import { noteUntil, type OldPosts, type SomePosts } from "./old-posts.ts";
import { type RestingEntry, storedRow, toRow } from "./rows.ts";

/**
 * Moves posts that were published 60 days ago, and with which nothing happens any more, to the archive: a
 * page for up to a thousand posts of one project (docs/decisions/0074). A row of `posts_at_rest` stays of
 * each. What changes such a post takes it back first (take-back.ts).
 *
 * A part of the sweep (old-posts.ts). It may be late, die anywhere and overlap with itself and with
 * everything that changes posts: exactly the rows that were read are moved, in one transaction.
 */
const AGE_MS = 60 * DAY;
/** Posts that could not be moved are looked at again, those of a thirtieth of the projects a day. */
const AGAIN_DAYS = 30;
/** Of the rows of one page as a parameter of the transaction, which may have two megabytes. */
const MAX_BYTES = 1_500_000;

/** `occupations`: what other features do with posts. */
export const restingPosts = (occupations: readonly Occupies[]): OldPosts => ({
  note: "resting",
  until: "restedUntil",
  from: (now) =>
    sql`(CASE WHEN (project_id + ${Math.floor(now / DAY)}) % ${AGAIN_DAYS} = 0 THEN 0 ELSE rested_until END)`,
  before: (_projectId, now) => sql`${now - AGE_MS}`,
  isLeft: sql`1`,
  move: (deps, projectId, posts, now) =>
    movePosts(deps, projectId, { ...posts, isQuiet: isQuiet(now - AGE_MS, occupations) }, now),
});

interface Wanted extends SomePosts {
  /** A condition on a row of `posts`. */
  readonly isQuiet: SQL;
}

/** A post as it was read. */
interface Read {
  readonly id: PostId;
  readonly at: number;
  readonly row: string;
  /** Its live item in `publications`, as JSON; null unless it has exactly one. */
  readonly item: string | null;
}

async function movePosts(deps: Deps, projectId: ProjectId, wanted: Wanted, now: number): Promise<number> {
  const { db, files } = deps;
  const { posts, isCut } = cutToSize(await readQuiet(db, wanted));
  const reached = isCut ? (posts.at(-1)?.at ?? wanted.until) : wanted.until;
  const noted = noteUntil(db, "restedUntil", projectId, reached);
  const page = posts.length === 0 ? null : await reservePage(db, projectId, now);
  if (page === null) {
    await runBatch(db, [noted]);
    return reached;
  }
  const entries = posts.map((post): [PostId, RestingEntry] => [post.id, entryOf(post)]);
  await writeObject(files, page.name, Object.fromEntries(entries));
  const marks = await Promise.all(entries.map(([, { item }]) => markOfItem(item)));
  await runBatch(db, [...moving(db, page, { posts, marks, isQuiet: wanted.isQuiet }, now), noted]);
  return reached;
}

/** The posts that may be moved, the oldest first. */
function readQuiet(db: Db, { ids, isQuiet: isStillQuiet }: Wanted): Promise<Read[]> {
  const item = sql`SELECT CASE WHEN count(*) = 1 AND max(platform_id) IS NOT NULL THEN json_object('item', item,
    'platform', platform, 'account_id', account_id, 'platform_id', platform_id, 'fingerprint', fingerprint, 'begun_at', begun_at) END
    FROM publications WHERE publications.post_id = posts.id`;
  return db.all<Read>(sql`SELECT posts.id AS id, posts.published_at AS at, ${storedRow} AS row, (${item}) AS item FROM posts
    WHERE ${isAmong(postsTable.id, ids)} AND ${isStillQuiet} ORDER BY posts.published_at, posts.id`);
}

function cutToSize(posts: readonly Read[]) {
  const taken: Read[] = [];
  let bytes = 0;
  for (const post of posts) {
    // As the text in a list.
    const size = new TextEncoder().encode(JSON.stringify(post.row)).length;
    if (size > MAX_BYTES) continue;
    bytes += size;
    if (bytes > MAX_BYTES) return { posts: taken, isCut: true };
    taken.push(post);
  }
  return { posts: taken, isCut: false };
}

function entryOf({ row, item }: Read): RestingEntry {
  if (item === null) return { row: toRow(row) };
  const values: Record<string, string | number | null> = JSON.parse(item);
  const own = Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return { row: toRow(row), item: Object.fromEntries(own) };
}

function markOfItem(item: RestingEntry["item"]): Promise<number> | null {
  const { platform, platform_id: platformId } = item ?? {};
  const known = PLATFORM_NAMES.find((name) => name === platform);
  return known && typeof platformId === "string" ? markOf(known, platformId) : null;
}

interface Moved {
  readonly posts: readonly Read[];
  readonly marks: readonly (number | null)[];
  readonly isQuiet: SQL;
}

/** Of the posts that are still as they were read. */
function moving(db: Db, page: Page, moved: Moved, now: number): Statement[] {
  const { posts } = moved;
  const ids = posts.map(({ id }) => id);
  const isMoved = (id: SQL) =>
    sql`EXISTS (SELECT 1 FROM posts_at_rest AS moved WHERE moved.id = ${id} AND moved.page = ${page.id})`;
  const isOwn = sql`${isAmong(postsTable.id, ids)} AND ${isMoved(sql`posts.id`)}`;
  const hasMark = sql`(SELECT mark FROM posts_at_rest AS marked WHERE marked.id = publications.post_id) IS NOT NULL`;
  const named = sql`SELECT count(*) FROM posts_at_rest AS moved WHERE ${isAmong(sql`moved.id`, ids)} AND moved.page = ${page.id}`;
  return [
    insertResting(db, page, moved, now),
    db
      .delete(publicationsTable)
      .where(sql`${isAmong(publicationsTable.postId, ids)} AND ${isMoved(sql`publications.post_id`)} AND ${hasMark}`),
    db.delete(postsTable).where(isOwn),
    usePage(db, page, { deleteAt: NEVER, named, entries: ids.length, replay: null }, now),
  ];
}

function insertResting(db: Db, page: Page, moved: Moved, now: number): Statement {
  const { posts, marks } = moved;
  const read = JSON.stringify(posts.map(({ id, row }, at) => [id, row, marks[at] ?? null]));
  const from = sql`json_each(${read}) AS one CROSS JOIN posts ON posts.id = (one.value ->> 0)`;
  const isAsRead = sql`${storedRow} = (one.value ->> 1) AND ${moved.isQuiet} AND ${isReserved(page, now)}`;
  const { projectId, channelId, createdAt, publishedAt, timelinePage, externalId, id } = postsTable;
  return db.insert(postsAtRestTable).select(
    sql`SELECT ${id}, ${projectId}, ${channelId}, ${numberOf(sql`posts.channel_type`)}, ${createdAt}, ${publishedAt},
      ${sql`${page.id}`}, ${timelinePage}, (one.value ->> 2), ${externalId} FROM ${from} WHERE ${isAsRead}`,
  );
}
