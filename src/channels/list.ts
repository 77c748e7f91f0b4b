import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { ProjectId } from "../core/ids.ts";
import { type PageOf, readNumbered, type Total, type Window } from "../core/page.ts";
import type { Db } from "../db/client.ts";
import type { WalkOf } from "../db/id-list.ts";
import { type Merged, walk } from "../db/merge.ts";
import { PLATFORM_NAMES, type PlatformName } from "../platforms/names.ts";
import { healthOf } from "./health.ts";
import { type ChannelState, stateColumns } from "./store.ts";
import { type ChannelHealth, channelsTable } from "./table.ts";

export interface ChannelFilter {
  /** Null: every user's. */
  readonly userRef: string | null;
  readonly platforms: readonly PlatformName[] | null;
  /** That of publishing. */
  readonly health: readonly ChannelHealth[] | null;
  readonly limit: number;
}

interface Listing {
  readonly filter: ChannelFilter;
  readonly now: number;
}

/**
 * One numbered page of the project's connected channels, newest first; null for a page too far from both ends. Near the start it
 * is one D1 call. Totals come from counter rows; with `health`, which hangs on the time, the newest channels are checked.
 */
export async function listChannels(
  db: Db,
  projectId: ProjectId,
  { filter, now, page }: Listing & { readonly page: number },
): Promise<PageOf<ChannelState> | null> {
  const { limit, health } = filter;
  const streams = streamsOf(projectId, filter);
  const found =
    health === null
      ? await readNumbered({ page, limit }, countedPages(db, projectId, filter))
      : await readChecked(db, streams, { filter, now, page });
  return found && { ...found, nextCursor: String(found.items.at(-1)?.id ?? "") };
}

/** What comes after an id (null: from the newest on): one D1 call. With `health`, a page may be short before the end. */
export async function walkChannels(
  db: Db,
  projectId: ProjectId,
  { filter, now, after }: Listing & { readonly after: number | null },
): Promise<WalkOf<ChannelState>> {
  const { limit, health } = filter;
  const since = after === null ? null : { at: 0, id: after };
  const take = health === null ? limit + 1 : checkedAtOnce(limit);
  const rows = await selectChannels(db, walk(streamsOf(projectId, filter), { since, skip: 0, take }));
  const fitting = rows.filter((row) => isHealthy(row, health, now));
  const items = fitting.slice(0, limit);
  const last = fitting.length > limit ? items.at(-1) : rows[take - 1];
  return { items, next: last?.id ?? null };
}

/** With `health`, page 1 and a cursor check so many channels, at seven rows each: 12 × `limit` + 100 rows are read at most. */
const checkedAtOnce = (limit: number) => Math.floor(1.6 * limit) + 8;
/** And the other pages so many. */
const MOST_CHECKED = 2_000;

function isHealthy(channel: ChannelState, health: readonly ChannelHealth[] | null, now: number): boolean {
  return health === null || health.includes(healthOf(channel, channel.grants, "publish", now).health);
}

function streamsOf(projectId: ProjectId, { userRef, platforms }: ChannelFilter): Merged {
  const named = sql.raw((platforms ?? PLATFORM_NAMES).map((name) => `('${name}', 0)`).join(", "));
  const isOf = sql`q.project_id = ${projectId} AND q.platform = a AND q.disconnected_at IS NULL`;
  return {
    table: "channels",
    index: userRef === null ? "channels_by_platform" : "channels_of_user",
    named: sql`VALUES ${named}`,
    isOf: userRef === null ? isOf : sql`${isOf} AND q.user_ref = ${userRef}`,
    at: null,
    id: "q.id",
    span: { from: null, to: null },
  };
}

/** The channels of a query of `id`, newest first. */
function selectChannels(db: Db, ids: SQL) {
  return db
    .select(stateColumns)
    .from(channelsTable)
    .where(sql`${channelsTable.id} IN (SELECT id FROM (${ids}))`)
    .orderBy(sql`${channelsTable.id} DESC`);
}

const Counts = z.record(z.string(), z.number());

function countedPages(db: Db, projectId: ProjectId, filter: ChannelFilter) {
  const { userRef, platforms } = filter;
  const streams = streamsOf(projectId, filter);
  const own = sql`project_id = ${projectId} AND user_ref = ${userRef ?? ""}`;
  const counter = () => db.select({ counts: sql<string>`counts` }).from(sql`channel_counts`).where(own);
  const toTotal = ([row]: readonly { readonly counts: string }[]): Total => {
    const counts = Counts.parse(JSON.parse(row?.counts ?? "{}"));
    const total = (platforms ?? PLATFORM_NAMES).reduce((sum, name) => sum + (counts[name] ?? 0), 0);
    return { total, isCapped: false };
  };
  const rows = ({ skip, take, isFromEnd }: Window) =>
    selectChannels(db, walk(streams, { since: null, skip, take, isAscending: isFromEnd }));
  return {
    async together(window: Window) {
      const [items, counts] = await db.batch([rows(window), counter()]);
      return { items, ...toTotal(counts) };
    },
    total: async () => toTotal(await counter()),
    rows,
  };
}

/** `health` hangs on the time and on the platform's rules: no index has it. */
async function readChecked(
  db: Db,
  streams: Merged,
  { filter: { limit, health }, now, page }: Listing & { readonly page: number },
): Promise<PageOf<ChannelState>> {
  const take = page === 1 ? checkedAtOnce(limit) : MOST_CHECKED;
  const rows = await selectChannels(db, walk(streams, { since: null, skip: 0, take: take + 1 }));
  const fitting = rows.slice(0, take).filter((row) => isHealthy(row, health, now));
  const items = fitting.slice((page - 1) * limit, page * limit);
  const isCapped = rows.length > take;
  return { page, limit, items, total: fitting.length, isCapped };
}
