import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { ProjectId } from "../core/ids.ts";
import { type Paced, type PagedList, type PageOf, readNumbered, type Total, type Window } from "../core/page.ts";
import { type Db, readTogether } from "../db/client.ts";
import { type WalkOf, walkOf } from "../db/id-list.ts";
import { type Merged, walk } from "../db/merge.ts";
import { PLATFORM_NAMES, type PlatformName } from "../platforms/names.ts";
import { isPartlyMarked, markExpiring } from "./health-mark.ts";
import { type ChannelState, stateColumns } from "./store.ts";
import { CHANNEL_HEALTH, type ChannelHealth, channelsTable } from "./table.ts";

interface ChannelFilter {
  /** Null: the channels of all users. */
  readonly userRef: string | null;
  readonly platforms: readonly PlatformName[] | null;
  /** The health of publishing. */
  readonly health: readonly ChannelHealth[] | null;
  readonly limit: number;
}

interface Listing {
  readonly filter: ChannelFilter;
  readonly now: number;
}

/**
 * One numbered page of the project's connected channels, newest first, read from the nearer end; null for a
 * page too far from both ends. Near the start, it takes one D1 call. Totals come from counter rows.
 */
export async function listChannels(
  db: Db,
  projectId: ProjectId,
  { filter, now, page, turn }: Listing & Pick<Paced, "page" | "turn">,
): Promise<PageOf<ChannelState> | null> {
  const { limit } = filter;
  const found = await readNumbered({ page, limit, turn }, countedPages(db, projectId, { filter, now }));
  return found && { ...found, nextCursor: String(found.items.at(-1)?.id ?? "") };
}

/** The channels after an id (null: from the newest on): one D1 call. */
export async function listChannelsByCursor(
  db: Db,
  projectId: ProjectId,
  { filter, now, after }: Listing & { readonly after: number | null },
): Promise<WalkOf<ChannelState>> {
  const { limit } = filter;
  const since = after === null ? null : { at: 0, id: after };
  const ids = walk(streamsOf(projectId, { filter, now }), { since, skip: 0, take: limit + 1 });
  const { rows } = await readTogether(db, {
    marked: marking(db, projectId, { filter, now }),
    rows: selectChannels(db, ids),
  });
  return walkOf(rows, limit);
}

type Newest = Pick<Listing, "now"> & Pick<ChannelFilter, "limit">;

/** The newest connected channels, for a batch. */
export function selectNewestChannels(db: Db, projectId: ProjectId, { now, limit }: Newest) {
  const filter = { userRef: null, platforms: null, health: null, limit };
  return selectChannels(db, walk(streamsOf(projectId, { filter, now }), { since: null, skip: 0, take: limit }));
}

/** First updates the marks of channels that have begun to expire, in the same call. */
function marking(db: Db, projectId: ProjectId, { filter: { health }, now }: Listing) {
  const isOfTime = health?.some((one) => one !== "reconnect_needed") ?? false;
  return isOfTime ? markExpiring(db, projectId, now) : null;
}

function streamsOf(projectId: ProjectId, { filter: { userRef, platforms, health }, now }: Listing): Merged {
  const marks = health ?? CHANNEL_HEALTH;
  const named = (platforms ?? PLATFORM_NAMES).flatMap((name) => marks.map((mark) => `('${name}', '${mark}')`));
  const isStill = sql`(b <> 'connected' OR q.expiring_at IS NULL OR q.expiring_at > ${now})`;
  const isOf = sql`q.project_id = ${projectId} AND q.platform = a AND q.marked_health = b AND q.disconnected_at IS NULL`;
  const isMarked = health === null ? isOf : sql`${isOf} AND ${isStill}`;
  return {
    table: "channels",
    index: userRef === null ? "channels_by_platform" : "channels_of_user",
    named: sql`VALUES ${sql.raw(named.join(", "))}`,
    isOf: userRef === null ? isMarked : sql`${isMarked} AND q.user_ref = ${userRef}`,
    at: null,
    id: "q.id",
    span: { from: null, to: null },
  };
}

/**
 * The channels of a query of `id`, newest first. The query is joined, because SQLite would copy all skipped
 * rows of an `IN` query and read them again.
 */
function selectChannels(db: Db, ids: SQL) {
  return db
    .select(stateColumns)
    .from(sql`(${ids}) AS walked`)
    .crossJoin(channelsTable)
    .where(sql`${channelsTable.id} = walked.id`)
    .orderBy(sql`walked.id DESC`);
}

const Counts = z.record(z.string(), z.number());

function countedPages(db: Db, projectId: ProjectId, listing: Listing): PagedList<ChannelState> {
  const { userRef, platforms, health } = listing.filter;
  const streams = streamsOf(projectId, listing);
  const own = sql`project_id = ${projectId} AND user_ref = ${userRef ?? ""}`;
  const counting = () => ({
    marked: marking(db, projectId, listing),
    counter: db.select({ counts: sql<string>`counts` }).from(sql`channel_counts`).where(own),
  });
  const toTotal = ({ marked, counter: [row] }: Counted): Total => {
    const counts = Counts.parse(JSON.parse(row?.counts ?? "{}"));
    const names = (platforms ?? PLATFORM_NAMES).flatMap((name) => health?.map((mark) => `${name}.${mark}`) ?? [name]);
    return {
      total: names.reduce((sum, name) => sum + (counts[name] ?? 0), 0),
      isCapped: marked !== null && isPartlyMarked(marked),
    };
  };
  const rows = ({ skip, take, isFromEnd }: Window) =>
    selectChannels(db, walk(streams, { since: null, skip, take, isAscending: isFromEnd }));
  return {
    async together(window: Window) {
      const { items, ...counted } = await readTogether(db, { ...counting(), items: rows(window) });
      return { items, ...toTotal(counted) };
    },
    total: async () => toTotal(await readTogether(db, counting())),
    rows,
  };
}

interface Counted {
  readonly marked: readonly unknown[] | null;
  readonly counter: readonly { readonly counts: string }[];
}
