import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { ProjectId } from "../core/ids.ts";
import { type PageOf, readNumbered, type Total, type Window } from "../core/page.ts";
import type { Db } from "../db/client.ts";
import type { WalkOf } from "../db/id-list.ts";
import { type Merged, walk } from "../db/merge.ts";
import { PLATFORM_NAMES, type PlatformName } from "../platforms/names.ts";
import { capabilityRules, ENDING_MS, healthOf } from "./health.ts";
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
      : await readChecked({ db, projectId, streams }, { filter, now, page });
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
/** And the other pages so many; page 1 as well, where those do not fill it. */
const MOST_CHECKED = 2_000;
/** Among so many channels, those that need their person are all found: three rows are read for each. */
const MOST_SEARCHED = 5_000;
/** Of which so many are read. */
const MOST_UNWELL = 1_500;

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

/**
 * `health` hangs on the time and on the platform's rules: no index has it. Page 1 is filled from the newest channels if they do; else
 * all are searched, or the newest of very many.
 */
async function readChecked(
  { db, projectId, streams }: { readonly db: Db; readonly projectId: ProjectId; readonly streams: Merged },
  { filter, now, page }: Listing & { readonly page: number },
): Promise<PageOf<ChannelState>> {
  const { limit, health } = filter;
  const among = async (take: number) => {
    const rows = await selectChannels(db, walk(streams, { since: null, skip: 0, take: take + 1 }));
    return { rows: rows.slice(0, take), isCapped: rows.length > take };
  };
  const toPage = ({ rows, isCapped }: { readonly rows: readonly ChannelState[]; readonly isCapped: boolean }) => {
    const fitting = rows.filter((row) => isHealthy(row, health, now));
    const items = fitting.slice((page - 1) * limit, page * limit);
    return { page, limit, items, total: fitting.length, isCapped };
  };
  if (page === 1) {
    const first = toPage(await among(checkedAtOnce(limit)));
    if (!first.isCapped || first.items.length === limit) return first;
  }
  const { total } = await countedPages(db, projectId, filter).total();
  if (total > MOST_SEARCHED || health === null || health.includes("connected"))
    return toPage(await among(MOST_CHECKED));
  const rows = await selectChannels(db, sql`${unwell(projectId, filter, now)} LIMIT ${MOST_UNWELL + 1}`);
  return toPage({ rows: rows.slice(0, MOST_UNWELL), isCapped: rows.length > MOST_UNWELL });
}

/** A query of the `id` of all channels but those that are surely connected, out of an index and their grants alone. */
function unwell(projectId: ProjectId, { userRef, platforms }: ChannelFilter, now: number): SQL {
  const named = sql.raw((platforms ?? PLATFORM_NAMES).map((name) => `'${name}'`).join(", "));
  const index = sql.raw(userRef === null ? "channels_by_platform" : "channels_of_user");
  const isOf = userRef === null ? sql`` : sql` AND q.user_ref = ${userRef}`;
  const never = Number.MAX_SAFE_INTEGER;
  return sql`SELECT q.id AS id FROM channels AS q INDEXED BY ${index}
    LEFT JOIN grants AS g ON g.channel_id = q.id AND g.purpose = 'publish'
    WHERE q.project_id = ${projectId} AND q.platform IN (${named})${isOf} AND q.disconnected_at IS NULL
    AND NOT coalesce(g.health = 'connected' AND g.stopped ->> 'publish' IS NULL AND ${hasScopes(platforms ?? PLATFORM_NAMES)}
      AND CASE WHEN g.refresh_due_at IS NOT NULL THEN coalesce(max(g.ends_at, coalesce(g.expires_at, 0)), ${never})
        ELSE min(coalesce(g.expires_at, ${never}), coalesce(g.ends_at, ${never})) END >= ${now + ENDING_MS}, 0)
    ORDER BY q.id DESC`;
}

/** Whether a grant has the permissions of its platform to publish; false where only the account can say. */
function hasScopes(platforms: readonly PlatformName[]): SQL {
  const cases = platforms.map((platform) => {
    const rules = capabilityRules(platform, "publish");
    if (rules?.grant !== "publish" || rules.impossible !== undefined) return sql`WHEN ${platform} THEN 0`;
    const has = rules.scopes.map((scope) => sql`instr(g.scopes, ${JSON.stringify(scope)}) > 0`);
    return has.length === 0 ? sql`WHEN ${platform} THEN 1` : sql`WHEN ${platform} THEN ${sql.join(has, sql` AND `)}`;
  });
  return sql`(g.scopes IS NULL OR CASE q.platform ${sql.join(cases, sql` `)} ELSE 0 END)`;
}
