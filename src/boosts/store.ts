import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { selectActor, toActor } from "../channels/store.ts";
import type { CampaignId, ProjectId } from "../core/ids.ts";
import { asMinor, asUnits } from "../core/money.ts";
import type { Paced, PageOf } from "../core/page.ts";
import { type Db, readTogether, type Statement } from "../db/client.ts";
import { type IdPart, readIdPage, type WalkOf, walkIds } from "../db/id-list.ts";
import { isOwnAmong } from "../db/in-list.ts";
import { newestIdOf } from "../db/newest-id.ts";
import type { Occupies } from "../posts/rest/is-quiet.ts";
import { selectPostOfJob } from "../posts/store.ts";
import { selectDays } from "./days.ts";
import { campaignEvents } from "./events.ts";
import { type Campaign, type CampaignGoal, campaignsTable, campaignTotalsTable, spendCeilingsTable } from "./table.ts";

/** SQL of boost campaigns. */

/** The id that the last insert of the same transaction received. */
export const newestCampaignId = newestIdOf<CampaignId>("campaigns");

type NewCampaign = Pick<
  typeof campaignsTable.$inferInsert,
  | "projectId"
  | "postId"
  | "channelId"
  | "platform"
  | "name"
  | "boostType"
  | "wantedTerms"
  | "dayFactor"
  | "currency"
  | "decimals"
  | "reference"
  | "createdAt"
>;

export function insertCampaign(db: Db, campaign: NewCampaign) {
  const { createdAt } = campaign;
  return db
    .insert(campaignsTable)
    .values({ ...campaign, state: "queued", platformObjectIds: {}, updatedAt: createdAt })
    .returning();
}

const isVisible = (projectId: ProjectId, id: CampaignId) =>
  and(eq(campaignsTable.id, id), eq(campaignsTable.projectId, projectId), isNull(campaignsTable.deletedAt));

/** Null for an unknown campaign, a deleted one, and another project's. */
export async function findCampaign(db: Db, projectId: ProjectId, id: CampaignId): Promise<Campaign | null> {
  const [row] = await db.select().from(campaignsTable).where(isVisible(projectId, id));
  return row ?? null;
}

/** The campaign with its figures by day and its timeline, the oldest first: one D1 call. */
export async function readLastShown(db: Db, projectId: ProjectId, id: CampaignId, limit: number) {
  const visible = db.select().from(campaignsTable).where(isVisible(projectId, id));
  const own = sql<CampaignId>`(SELECT id FROM campaigns WHERE ${isVisible(projectId, id)})`;
  const { campaigns, days, events } = await readTogether(db, {
    campaigns: visible,
    days: selectDays(db, own),
    events: campaignEvents.select(db, own, limit),
  });
  const [campaign] = campaigns;
  return campaign ? { campaign, days, events: campaignEvents.read(events) } : null;
}

export interface Totals {
  readonly reach: number;
  readonly impressions: number;
  /** In whole units, summed over all currencies. */
  readonly spend: number;
}

/**
 * A page of campaigns with the sums over all; null if the page is too far from both ends of the list. Near
 * the start: one D1 call.
 */
export async function listCampaigns(
  db: Db,
  projectId: ProjectId,
  requested: Paced,
): Promise<{ readonly found: PageOf<Campaign>; readonly totals: Totals } | null> {
  const rows = (part: IdPart) => selectListed(db, projectId, part);
  let sums: Sums = [];
  const found = await readIdPage(requested, NEWEST_FIRST, {
    rows,
    async total() {
      sums = await selectSums(db, projectId);
      return sumOf(sums, (row) => row.campaigns);
    },
    async together(part) {
      const { items, read } = await readTogether(db, { items: rows(part), read: selectSums(db, projectId) });
      sums = read;
      return { items, total: sumOf(sums, (row) => row.campaigns) };
    },
  });
  return found && { found, totals: toTotals(sums) };
}

/** The campaigns after an id (null: from the newest on), with the sums over all: one D1 call. */
export async function listCampaignsByCursor(
  db: Db,
  projectId: ProjectId,
  requested: { readonly after: number | null; readonly limit: number },
): Promise<{ readonly found: WalkOf<Campaign>; readonly totals: Totals }> {
  let sums: Sums = [];
  const found = await walkIds(requested, NEWEST_FIRST, {
    async rows(part) {
      const of = { items: selectListed(db, projectId, part), read: selectSums(db, projectId) };
      const { items, read } = await readTogether(db, of);
      sums = read;
      return items;
    },
  });
  return { found, totals: toTotals(sums) };
}

const NEWEST_FIRST = { id: campaignsTable.id, direction: "desc" } as const;

function selectListed(db: Db, projectId: ProjectId, { where, orderBy, limit, offset }: IdPart) {
  return db
    .select()
    .from(campaignsTable)
    .where(and(eq(campaignsTable.projectId, projectId), isNull(campaignsTable.deletedAt), where))
    .orderBy(orderBy)
    .limit(limit)
    .offset(offset);
}

/** The newest campaigns that were refused since then, for a batch: rejected, or never created. */
export function selectRefused(db: Db, projectId: ProjectId, since: number, limit: number) {
  const { id, name, state, reason, errorCode, updatedAt, postId } = campaignsTable;
  const newest = sql`SELECT id FROM campaigns INDEXED BY campaigns_refused WHERE project_id = ${projectId} AND deleted_at IS NULL
    AND state IN ('rejected', 'failed') AND updated_at > ${since} ORDER BY updated_at DESC LIMIT ${limit}`;
  return db
    .select({ id, name, state, reason, errorCode, updatedAt, postId })
    .from(sql`(${newest}) AS newest`)
    .crossJoin(campaignsTable)
    .where(sql`${id} = newest.id`)
    .orderBy(desc(updatedAt));
}

/** The committed spend and the ceiling that its operator has set, by currency, for a batch. */
export function selectSpend(db: Db, projectId: ProjectId) {
  const { currency, decimals, committedMinor } = campaignTotalsTable;
  const own = sql`spend_ceilings.project_id = campaign_totals.project_id AND spend_ceilings.currency = campaign_totals.currency`;
  return db
    .select({ currency, decimals, committedMinor, mostMinor: spendCeilingsTable.mostMinor })
    .from(campaignTotalsTable)
    .leftJoin(spendCeilingsTable, own)
    .where(eq(campaignTotalsTable.projectId, projectId));
}

function selectSums(db: Db, projectId: ProjectId) {
  return db.select().from(campaignTotalsTable).where(eq(campaignTotalsTable.projectId, projectId));
}

type Sums = readonly (typeof campaignTotalsTable.$inferSelect)[];

function sumOf(sums: Sums, of: (row: Sums[number]) => number): number {
  return sums.reduce((all, row) => all + of(row), 0);
}

function toTotals(sums: Sums): Totals {
  const hundredths = sumOf(sums, ({ spendMinor, decimals }) => asMinor(asUnits(spendMinor, decimals), 2));
  return {
    reach: sumOf(sums, (row) => row.reach),
    impressions: sumOf(sums, (row) => row.impressions),
    spend: hundredths / 100,
  };
}

/** The data of a campaign's job: the campaign, also if deleted, its post and its credentials. */
export async function readForWork(db: Db, id: CampaignId) {
  const channelId = sql`(SELECT channel_id FROM campaigns WHERE campaigns.id = ${id})`;
  const postId = sql`(SELECT post_id FROM campaigns WHERE campaigns.id = ${id})`;
  const { campaigns, posts, ...actor } = await readTogether(db, {
    campaigns: db.select().from(campaignsTable).where(eq(campaignsTable.id, id)),
    posts: selectPostOfJob(db, postId),
    ...selectActor(db, channelId),
  });
  const [campaign] = campaigns;
  return campaign ? { campaign, actor: toActor(actor), post: posts[0] ?? null } : null;
}

/** A condition: the campaign is not deleted. */
export function isThere(id: CampaignId): SQL {
  return sql`EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = ${id} AND campaigns.deleted_at IS NULL)`;
}

/** A condition: the campaign has this goal. */
export function hasGoal(id: CampaignId, goal: CampaignGoal): SQL {
  return sql`EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = ${id} AND campaigns.goal = ${goal})`;
}

/** A condition: the campaign has the goal and the terms that were read. */
export function isAsRead({ id, goal, revision }: Pick<Campaign, "id" | "goal" | "revision">): SQL {
  return sql`EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = ${id} AND campaigns.goal = ${goal} AND campaigns.revision = ${revision})`;
}

type Columns = Omit<typeof campaignsTable.$inferInsert, "id" | "createdAt" | "updatedAt">;
export type Changes = { readonly [Name in keyof Columns]?: Columns[Name] | SQL };

/**
 * Returns the updated row; none if the condition does not hold. The update never raises `committed`, unless
 * `changes` set `acceptedMostMinor`.
 */
export function updateCampaign(db: Db, id: CampaignId, changes: Changes, condition: SQL) {
  return db
    .update(campaignsTable)
    .set({ acceptedMostMinor: sql`committed`, ...changes, updatedAt: Date.now() })
    .where(and(eq(campaignsTable.id, id), condition))
    .returning();
}

/** Adds the id of a created object. */
export function noteObject(
  db: Db,
  id: CampaignId,
  { object, platformId }: { readonly object: string; readonly platformId: string },
  condition: SQL,
): Statement {
  return db
    .update(campaignsTable)
    .set({ platformObjectIds: sql`json_set(made, ${`$.${object}`}, ${platformId})` })
    .where(and(eq(campaignsTable.id, id), condition));
}

type AsRead = Pick<Campaign, "id" | "revision" | "generation">;

/** A condition: the campaign takes new terms, because it runs and is unchanged since the read. */
export const takesTerms = ({ id, revision, generation }: AsRead): SQL =>
  sql`EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = ${id} AND campaigns.revision = ${revision}
    AND campaigns.generation = ${generation} AND campaigns.goal = 'running' AND campaigns.deleted_at IS NULL)`;

/** Stores new terms if the campaign is unchanged since the read; otherwise returns no rows. */
export function storeTerms(db: Db, { id, revision, generation }: AsRead, change: Changes, now: number) {
  return db
    .update(campaignsTable)
    .set({ ...change, revision: revision + 1, changedAt: now, isReverting: false, updatedAt: now })
    .where(
      and(
        eq(campaignsTable.id, id),
        eq(campaignsTable.revision, revision),
        eq(campaignsTable.generation, generation),
        eq(campaignsTable.goal, "running"),
        isNull(campaignsTable.deletedAt),
      ),
    )
    .returning();
}

/**
 * Marks the matching campaigns as deleted: none of them is wanted any more, and their objects are to be
 * removed.
 */
export function markDeleted(db: Db, which: SQL, now: number): Statement {
  return db
    .update(campaignsTable)
    .set({ deletedAt: now, state: "deleted", goal: "deleted", endedAt: null, updatedAt: now })
    .where(which);
}

/** A post that has, or had, a campaign. */
export const hasCampaign: Occupies = (postId) =>
  sql`EXISTS (SELECT 1 FROM campaigns WHERE campaigns.post_id = ${postId})`;

/** For a batch: which of these ids are campaigns of the project, and of which posts. */
export function selectNamedCampaigns(db: Db, projectId: ProjectId, ids: readonly number[]) {
  const { id, postId, channelId } = campaignsTable;
  return db
    .select({ id, postId, channelId })
    .from(campaignsTable)
    .where(and(isOwnAmong(campaignsTable, projectId, ids), isNull(campaignsTable.deletedAt)));
}

/** A query of `id` and `channel_id` of the posts of these campaigns, each once. */
export const postsOfCampaigns = (ids: readonly number[]): SQL =>
  sql`SELECT DISTINCT post_id AS id, channel_id FROM campaigns WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
