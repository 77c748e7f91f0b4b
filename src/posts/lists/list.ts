import { count, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { channelLabel } from "../../channels/reference.ts";
import { idOf, type PostId, type ProjectId } from "../../core/ids.ts";
import {
  isNear,
  type Paced,
  type PagedList,
  type PageOf,
  REACH,
  readNumbered,
  type Total,
  type Window,
} from "../../core/page.ts";
import { type Db, readTogether } from "../../db/client.ts";
import { type Part, passedEntries, readEntry, scan, someEntries, walk } from "../../db/merge.ts";
import { readResting, restingColumns, type Shelf } from "../rest/read.ts";
import { picked } from "../rest/rows.ts";
import { contentColumns, type PostWithContent, type ShownPost, shownColumns } from "../store.ts";
import { postsAtRestTable, postsTable } from "../table.ts";
import { isCounted, type PostFilter, SHOWN_STATES } from "./filter.ts";
import { chooseStreams, type Position, type Streams, scannedAtOnce, toPosition } from "./list-query.ts";

/** With or without their content. */
export type ListedPost = ShownPost | PostWithContent;

export interface Listing {
  readonly filter: PostFilter;
  readonly limit: number;
  readonly withContent: boolean;
}

interface Walking extends Listing {
  readonly since: Position | null;
}

export interface PostPage extends PageOf<ListedPost> {
  /** The position after this page, where cursor pagination continues; null on the last page. */
  readonly next: Position | null;
}

export interface PostCursorPage {
  readonly items: readonly ListedPost[];
  readonly next: Position | null;
}

/**
 * For combinations of filters without a common index, numbered pages search this many of the newest posts of
 * one filter.
 */
export const MAX_SCANNED = 5_000;
/** The limit for the posts of a user, whose channels are read with them. */
export const MAX_SCANNED_OF_USER = 3_300;

/**
 * One numbered page of get-posts, newest first (spec 4.3), read from its nearer end. Null for a page too far
 * from both ends. Near the start it is one D1 call. Totals come from counter rows; a filter without one is
 * counted up to `REACH`.
 */
export async function listPosts(
  shelf: Shelf,
  projectId: ProjectId,
  listing: Listing & Paced,
): Promise<PostPage | null> {
  const { page, limit } = listing;
  let read: PostPage | null = null;
  for (const streams of chooseStreams(projectId, listing.filter, limit)) {
    const found = await readPage({ db: shelf.db, listing, streams }, projectId);
    if (!found) return null;
    const isEnd = !found.isCapped && (page - 1) * limit + found.items.length >= found.total;
    const last = isEnd ? null : (found.end ?? found.items.at(-1)?.entry);
    read = {
      ...found,
      items: await toListed(shelf, listing, found.items),
      next: last ? toPosition(streams, last) : null,
    };
    if (found.total > 0 || found.isCapped) break;
  }
  return read;
}

async function readPage(own: Listed, projectId: ProjectId): Promise<Found | null> {
  const { listing, streams } = own;
  if (isCounted(listing.filter)) return readNumbered(listing, countedPages(own, projectId));
  await listing.turn(Math.min((listing.page - 1) * listing.limit, REACH));
  return streams.rest === null ? readUncounted(own) : readScanned(own);
}

interface Found extends PageOf<Row> {
  /** The entry after which the cursor continues, if it is not the last item's. */
  readonly end?: string | null;
}

interface Listed {
  readonly db: Db;
  readonly listing: Listing & Paced;
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
      const { items, counts } = await readTogether(db, { items: page(window), counts: counter() });
      return { items, ...toTotal(counts) };
    },
    total: async () => toTotal(await counter()),
    rows: page,
  };
}

/** Counts up to `REACH`; far from the start, counts only what comes after the page's first row. */
async function readUncounted({ db, listing, streams }: Listed): Promise<PageOf<Row> | null> {
  const { page, limit } = listing;
  const skip = (page - 1) * limit;
  if (isNear(listing)) {
    const { items, counted } = await readTogether(db, {
      items: selectWalked(db, listing, walk(streams, { since: null, skip, take: limit })),
      counted: countRows(db, someEntries(streams, { since: null, max: REACH + 1 })),
    });
    return { page, limit, items, ...capped(counted[0]?.rows ?? 0) };
  }
  if (skip >= REACH) return null;
  const [first] = await db
    .select({ passed: sql<number>`passed`, entry: sql<string | null>`entry` })
    .from(sql`(${passedEntries(streams, skip)})`);
  const passed = first?.passed ?? 0;
  if (passed < skip || !first?.entry) return { page, limit, items: [], ...capped(passed) };
  const since = readEntry(first.entry);
  const { items, counted } = await readTogether(db, {
    items: selectWalked(db, listing, walk(streams, { since, skip: 0, take: limit })),
    counted: countRows(db, someEntries(streams, { since, max: REACH + 1 - skip })),
  });
  return { page, limit, items, ...capped(skip + (counted[0]?.rows ?? 0)) };
}

function capped(rows: number): Total {
  return { total: Math.min(rows, REACH), isCapped: rows > REACH };
}

/** Searches the newest posts. If the list continues after them, so does its cursor. */
async function readScanned({ db, listing, streams }: Listed): Promise<Found> {
  const { page, limit } = listing;
  const skip = (page - 1) * limit;
  const take = streams.readsChannels ? MAX_SCANNED_OF_USER : MAX_SCANNED;
  const { items, fitting, end } = await selectScanned(db, listing, streams, { since: null, skip, take });
  // After the last match, the rest was not searched.
  const isLast = skip + items.length >= fitting;
  return { page, limit, items, total: fitting, isCapped: end !== null, end: isLast ? end : null };
}

const Scanned = z.tuple([z.number(), z.number(), z.string().nullable()]);

/**
 * Searches the first `take` posts. Returns the matches from `skip` on and their number; `end` is the last
 * post searched, if more may follow.
 */
async function selectScanned(
  db: Db,
  listing: Omit<Listing, "filter">,
  streams: Streams,
  { since, skip, take }: Pick<Part, "since" | "skip" | "take">,
) {
  const wanted = scan(streams, { since, skip, take, limit: listing.limit });
  const rows = await selectWalked(db, listing, wanted, sql<string>`walked.scanned`);
  const [fitting, there, at] = Scanned.parse(JSON.parse(rows[0]?.scanned ?? "[0,0,null]"));
  return { items: rows.filter(({ id }) => id !== null), fitting, end: there === take ? at : null };
}

function countRows(db: Db, query: SQL) {
  return db.select({ rows: count() }).from(sql`(${query})`);
}

/**
 * The posts after `since` (null: from the newest), in one D1 call whose cost depends only on `limit`. The
 * list is complete when `next` is null. An earlier page may be short or empty if rows must be filtered.
 * Concurrently created posts are newer than all shown ones, so no post is missed or repeated.
 */
export async function listPostsByCursor(shelf: Shelf, projectId: ProjectId, listing: Walking): Promise<PostCursorPage> {
  let found: PostCursorPage = { items: [], next: null };
  for (const streams of chooseStreams(projectId, listing.filter, listing.limit)) {
    found = await walkStreams(shelf, listing, streams);
    if (found.items.length > 0 || found.next !== null) break;
  }
  return found;
}

async function walkStreams(shelf: Shelf, listing: Walking, streams: Streams): Promise<PostCursorPage> {
  const { db } = shelf;
  const { limit, since } = listing;
  if (streams.rest !== null) {
    const part = { since, skip: 0, take: scannedAtOnce(streams, limit) };
    const { items, fitting, end } = await selectScanned(db, listing, streams, part);
    const last = fitting > limit ? items.at(-1)?.entry : end;
    return { items: await toListed(shelf, listing, items), next: last ? toPosition(streams, last) : null };
  }
  const rows = await selectWalked(db, listing, walk(streams, { since, skip: 0, take: limit + 1 }));
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { items: await toListed(shelf, listing, shown), next: last ? toPosition(streams, last.entry) : null };
}

/**
 * The posts of a query of `id` and `entry`, newest first; null for a row without an id. `scanned` is the
 * query's additional value.
 */
function selectWalked(
  db: Db,
  { withContent }: Pick<Listing, "withContent">,
  walked: SQL,
  scanned: SQL<string | null> = sql<null>`NULL`,
) {
  const beside = {
    id: sql<number | null>`walked.id`.as("walked_id"),
    entry: sql<string>`walked.entry`.as("entry"),
    scanned: scanned.as("scanned"),
    resting: restingColumns,
  };
  const entries = sql`(${walked}) AS walked`;
  const isWalked = sql`posts.id = walked.id`;
  const rests = sql`posts_at_rest.id = walked.id`;
  const inOrder = sql`walked.entry DESC`;
  return withContent
    ? db
        .select({ post: contentColumns, channel: channelOfEither, ...beside })
        .from(entries)
        .leftJoin(postsTable, isWalked)
        .leftJoin(postsAtRestTable, rests)
        .orderBy(inOrder)
    : db
        .select({ post: shownColumns, channel: sql<null>`NULL`.as("channel"), ...beside })
        .from(entries)
        .leftJoin(postsTable, isWalked)
        .leftJoin(postsAtRestTable, rests)
        .orderBy(inOrder);
}

const channelOfEither = channelLabel(sql`coalesce(posts.channel_id, posts_at_rest.channel_id)`);

type Row = Awaited<ReturnType<typeof selectWalked>>[number];

/** The posts of the rows; those at rest from the archive: one read of the bucket for each of its pages. */
async function toListed(
  shelf: Shelf,
  { withContent }: Pick<Listing, "withContent">,
  rows: readonly Row[],
): Promise<ListedPost[]> {
  const kept = await readResting(
    shelf,
    rows.flatMap(({ id, post, resting }) => (id === null || post !== null ? [] : resting)),
  );
  return rows.flatMap(({ id, post, channel }): ListedPost[] => {
    const resting = id === null ? undefined : kept.get(idOf<PostId>(id));
    const columns = withContent ? contentColumns : shownColumns;
    const shown = post ?? (resting && picked(resting, columns));
    if (!shown) return [];
    return [channel === null ? shown : { ...shown, channel }];
  });
}
