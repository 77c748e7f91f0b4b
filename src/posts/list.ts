import { count, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { ProjectId } from "../core/ids.ts";
import { isNear, type PagedList, type PageOf, REACH, readNumbered, type Total, type Window } from "../core/page.ts";
import type { Db } from "../db/client.ts";
import { passedEntries, readEntry, someEntries, walk } from "../db/merge.ts";
import { isCounted, type PostFilter, SHOWN_STATES } from "./filter.ts";
import { channelColumn, contentColumns, type PostContent, type ShownPost, shownColumns } from "./store.ts";
import { postsTable } from "./table.ts";
import { chooseStreams, type Position, type Streams, toPosition } from "./walk.ts";

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
}

export interface PostWalk {
  readonly items: readonly ListedPost[];
  readonly next: Position | null;
}

/** Of a filter that leaves a condition to check on rows, numbered pages check so many; a walk goes on to the end. */
export const MAX_SCANNED = 2_500;

/** Of such a filter, how many rows a walk checks for each that it may show. */
const LOOKED_AT = 2;

/**
 * One numbered page of get-posts, newest first (spec 4.3), read from its nearer end; null for a page too far from both. Near the
 * start it is one D1 call. Totals come from counter rows; a filter without one is counted to `REACH`.
 */
export async function listPosts(
  db: Db,
  projectId: ProjectId,
  listing: Listing & { readonly page: number },
): Promise<PostPage | null> {
  const { filter, page, limit } = listing;
  const streams = chooseStreams(projectId, filter);
  const listed = { db, listing, streams };
  const found = isCounted(filter)
    ? await readNumbered(listing, countedPages(listed, projectId))
    : streams.rest === null
      ? await readUncounted(listed)
      : await readScanned(listed, streams.rest);
  if (!found) return null;
  const last = found.items.at(-1);
  const isEnd = !found.isCapped && (page - 1) * limit + found.items.length >= found.total;
  return {
    ...found,
    items: found.items.flatMap(toListed),
    next: last && !isEnd ? toPosition(streams, last.entry) : null,
  };
}

interface Listed {
  readonly db: Db;
  readonly listing: Listing & { readonly page: number };
  readonly streams: Streams;
}

const Counts = z.record(z.string(), z.number());

function countedPages({ db, listing, streams }: Listed, projectId: ProjectId): PagedList<Row> {
  const { channels, states } = listing.filter;
  const own = sql`project_id = ${projectId}`;
  const counter = () => db.select({ counts: sql<string>`counts` }).from(sql`post_counts`).where(own);
  const toTotal = ([row]: Awaited<ReturnType<typeof counter>>): Total => {
    const counts = Counts.parse(JSON.parse(row?.counts ?? "{}"));
    const names = channels.flatMap((type) => (states ?? SHOWN_STATES).map((state) => `${type}.${state}`));
    return { total: names.reduce((sum, name) => sum + (counts[name] ?? 0), 0), isCapped: false };
  };
  const page = ({ skip, take, isFromEnd }: Window) =>
    selectWalked(db, listing, walk(streams, { since: null, skip, take, isAscending: isFromEnd }));
  return {
    async together(window) {
      const [items, found] = await db.batch([page(window), counter()]);
      return { items, ...toTotal(found) };
    },
    total: async () => toTotal(await counter()),
    rows: page,
  };
}

/** Counts what there is up to `REACH`; far from the start, only what comes after the page's first row. */
async function readUncounted({ db, listing, streams }: Listed): Promise<PageOf<Row> | null> {
  const { page, limit } = listing;
  const skip = (page - 1) * limit;
  if (isNear(listing)) {
    const [items, [counted]] = await db.batch([
      selectWalked(db, listing, walk(streams, { since: null, skip, take: limit })),
      countRows(db, someEntries(streams, { since: null, max: REACH + 1 })),
    ]);
    return { page, limit, items, ...capped(counted?.rows ?? 0) };
  }
  if (skip >= REACH) return null;
  const [first] = await db
    .select({ passed: sql<number>`passed`, entry: sql<string | null>`entry` })
    .from(sql`(${passedEntries(streams, skip)})`);
  const passed = first?.passed ?? 0;
  if (passed < skip || !first?.entry) return { page, limit, items: [], ...capped(passed) };
  const since = readEntry(first.entry);
  const [items, [counted]] = await db.batch([
    selectWalked(db, listing, walk(streams, { since, skip: 0, take: limit })),
    countRows(db, someEntries(streams, { since, max: REACH + 1 - skip })),
  ]);
  return { page, limit, items, ...capped(skip + (counted?.rows ?? 0)) };
}

function capped(rows: number): Total {
  return { total: Math.min(rows, REACH), isCapped: rows > REACH };
}

/** Checks the newest `MAX_SCANNED` rows. */
async function readScanned({ db, listing, streams }: Listed, rest: SQL): Promise<PageOf<Row>> {
  const { page, limit } = listing;
  const skip = (page - 1) * limit;
  const scanned = sql`(${walk(streams, { since: null, skip: 0, take: MAX_SCANNED })}) AS walked
    JOIN posts ON posts.id = walked.id WHERE ${rest}`;
  const wanted = sql`SELECT walked.id, walked.entry FROM ${scanned} ORDER BY walked.entry DESC LIMIT ${limit} OFFSET ${skip}`;
  const [items, [matching], [there]] = await db.batch([
    selectWalked(db, listing, wanted),
    countRows(db, sql`SELECT 1 FROM ${scanned}`),
    countRows(db, someEntries(streams, { since: null, max: MAX_SCANNED + 1 })),
  ]);
  const isCapped = (there?.rows ?? 0) > MAX_SCANNED;
  return { page, limit, items, total: matching?.rows ?? 0, isCapped };
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
  return { items: shown.flatMap(toListed), next: last ? toPosition(streams, last.entry) : null };
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
