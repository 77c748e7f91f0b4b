import { count, eq, type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { PageOf } from "../core/page.ts";
import type { Db } from "../db/client.ts";
import { isCounted, type PostFilter, SHOWN_STATES } from "./filter.ts";
import { channelColumn, contentColumns, type PostContent, type ShownPost, shownColumns } from "./store.ts";
import { postCountsTable, postsTable } from "./table.ts";
import { chooseStreams, type Position, readEntry, type Streams, someEntries, walk } from "./walk.ts";

/** With their content or without. */
export type ListedPost = ShownPost | PostContent;

export interface Listing {
  readonly filter: PostFilter;
  readonly limit: number;
  readonly withContent: boolean;
}

export interface PostPage extends PageOf<ListedPost> {
  /** Where a walk goes on from the end of this page; null when nothing comes after it. */
  readonly next: Position | null;
  /** Whether there are more than `total` says. */
  readonly isPartial: boolean;
}

export interface PostWalk {
  readonly items: readonly ListedPost[];
  readonly next: Position | null;
}

/** Where no counter row knows the total, numbered pages go this far; a walk goes on to the end. */
export const MAX_COUNTED = 1_000;

/** Of a filter that leaves something to be asked of rows, how many a walk looks at for each that it may show. */
const LOOKED_AT = 2;

/**
 * One numbered page of get-posts, newest first, in one D1 call (spec 4.3): a row a stream, a few an item, and three for each
 * item of the pages before it. The total comes from the project's counter row, or is counted up to `MAX_COUNTED`.
 */
export async function listPosts(
  db: Db,
  projectId: ProjectId,
  listing: Listing & { readonly page: number },
): Promise<PostPage> {
  const { filter, page, limit } = listing;
  const streams = chooseStreams(projectId, filter);
  const skip = (page - 1) * limit;
  const paged = { ...listing, streams, skip };
  const { rows, total, isPartial } = isCounted(filter)
    ? await pageOfAll(db, projectId, paged)
    : await pageOfCounted(db, paged);
  const last = rows.at(-1);
  const isEnd = !isPartial && skip + rows.length >= total;
  return {
    items: rows.flatMap(toListed),
    total,
    page,
    limit,
    isPartial,
    next: last && !isEnd ? readEntry(streams, last.entry) : null,
  };
}

type Paged = Listing & { readonly streams: Streams; readonly skip: number };

async function pageOfAll(db: Db, projectId: ProjectId, paged: Paged) {
  const { filter, limit, streams, skip } = paged;
  const [rows, [counted]] = await db.batch([
    selectWalked(db, paged, walk(streams, { since: null, skip, take: limit })),
    db.select({ counts: postCountsTable.counts }).from(postCountsTable).where(eq(postCountsTable.projectId, projectId)),
  ]);
  return { rows, total: totalOf(counted?.counts ?? {}, filter), isPartial: false };
}

async function pageOfCounted(db: Db, paged: Paged) {
  const { limit, streams, skip } = paged;
  const { rest } = streams;
  const all = { since: null, skip: 0, take: MAX_COUNTED };
  const wanted =
    rest === null
      ? walk(streams, { since: null, skip, take: Math.max(0, Math.min(limit, MAX_COUNTED - skip)) })
      : sql`SELECT walked.id, walked.entry FROM (${walk(streams, all)}) AS walked JOIN posts ON posts.id = walked.id
          WHERE ${rest} ORDER BY walked.entry DESC LIMIT ${limit} OFFSET ${skip}`;
  const counted =
    rest === null
      ? someEntries(streams, MAX_COUNTED)
      : sql`SELECT 1 FROM (${walk(streams, all)}) AS walked JOIN posts ON posts.id = walked.id WHERE ${rest}`;
  const [rows, [inReach], [there]] = await db.batch([
    selectWalked(db, paged, wanted),
    countRows(db, counted),
    countRows(db, someEntries(streams, MAX_COUNTED + 1)),
  ]);
  return { rows, total: inReach?.rows ?? 0, isPartial: (there?.rows ?? 0) > MAX_COUNTED };
}

function countRows(db: Db, query: SQL) {
  return db.select({ rows: count() }).from(sql`(${query})`);
}

/**
 * What comes after `since` (null: from the newest on), in one D1 call whose cost hangs on `limit` alone. Ends when `next` is
 * null; a page before may be short, or empty, where the filter leaves something to be asked of rows. Posts that are made
 * meanwhile are newer than all that was shown, so none is missed and none comes twice.
 */
export async function walkPosts(
  db: Db,
  projectId: ProjectId,
  listing: Listing & { readonly since: Position | null },
): Promise<PostWalk> {
  const { filter, limit, since } = listing;
  const streams = chooseStreams(projectId, filter);
  const { rest } = streams;
  const take = rest === null ? limit + 1 : LOOKED_AT * limit;
  const rows = await selectWalked(db, listing, walk(streams, { since, skip: 0, take }), rest);
  const fitting = rows.filter(({ post }) => post !== null);
  const shown = fitting.slice(0, limit);
  // What was looked at last tells where to go on, whether it fits or not.
  const last = fitting.length > limit ? shown.at(-1) : rows[take - 1];
  return { items: shown.flatMap(toListed), next: last ? readEntry(streams, last.entry) : null };
}

/** The posts of a query of `id` and `entry`, in its order; null in the place of one that does not fit. */
function selectWalked(db: Db, { withContent }: Pick<Listing, "withContent">, walked: SQL, fits: SQL | null = null) {
  const entry = sql<string>`walked.entry`.as("entry");
  const entries = sql`(${walked}) AS walked`;
  const isFitting = fits === null ? sql`posts.id = walked.id` : sql`posts.id = walked.id AND ${fits}`;
  const inOrder = sql`walked.entry DESC`;
  return withContent
    ? db
        .select({ post: contentColumns, channel: channelColumn, entry })
        .from(entries)
        .leftJoin(postsTable, isFitting)
        .orderBy(inOrder)
    : db
        .select({ post: shownColumns, channel: sql<null>`NULL`.as("channel"), entry })
        .from(entries)
        .leftJoin(postsTable, isFitting)
        .orderBy(inOrder);
}

type Row = Awaited<ReturnType<typeof selectWalked>>[number];

function toListed(row: Row): ListedPost[] {
  if (row.post === null) return [];
  return row.channel === null ? [row.post] : [{ ...row.post, channel: row.channel }];
}

function totalOf(counts: Readonly<Record<string, number>>, filter: PostFilter): number {
  let total = 0;
  for (const type of filter.channels) {
    for (const state of filter.states ?? SHOWN_STATES) total += counts[`${type}.${state}`] ?? 0;
  }
  return total;
}
