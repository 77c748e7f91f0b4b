import { and, eq, isNull, type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { isServedBy } from "../accounts/moving.ts";
import { type Project, selectProjectKind } from "../accounts/store.ts";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import { type Answers, type Db, readTogether, type Statement, writeTogether } from "../db/client.ts";
import { isAmong, isOwnAmong } from "../db/in-list.ts";
import { template } from "../db/template.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { Deps } from "../service/deps.ts";
import { type Grant, type GrantState, grantStates, selectGrants } from "./grant-store.ts";
import { type StoredRateLimit, selectRateLimits } from "./rate-limits.ts";
import { channelsTable } from "./table.ts";

/** SQL of the connected accounts; the SQL of their grants is in grant-store.ts. */

const channelColumns = {
  id: channelsTable.id,
  projectId: channelsTable.projectId,
  userRef: channelsTable.userRef,
  platform: channelsTable.platform,
  accountId: channelsTable.accountId,
  name: channelsTable.name,
  username: channelsTable.username,
  pictureUrl: channelsTable.pictureUrl,
  attributes: channelsTable.attributes,
  slots: channelsTable.slots,
  slotsZone: channelsTable.slotsZone,
  queuePausedAt: channelsTable.queuePausedAt,
  createdAt: channelsTable.createdAt,
  updatedAt: channelsTable.updatedAt,
  disconnectedAt: channelsTable.disconnectedAt,
  paidInsightsAt: channelsTable.paidInsightsAt,
  collectsCommentsAt: channelsTable.collectsCommentsAt,
  messagesSince: channelsTable.messagesSince,
  databases: channelsTable.databases,
  pageSizes: channelsTable.pageSizes,
};

export type Channel = Pick<typeof channelsTable.$inferSelect, keyof typeof channelColumns>;

/** A channel with the state of its grants, without decrypted credentials (health.ts). */
export interface ChannelState extends Channel {
  readonly grants: readonly GrantState[];
}

/** The columns of a channel with its grants. */
export const stateColumns = { ...channelColumns, grants: grantStates };

/**
 * A connected channel of the project, for a batch; empty for a disconnected, unknown or another project's
 * channel.
 */
export const selectChannel = template<{ readonly projectId: ProjectId; readonly id: ChannelId }>()((db, place) =>
  db
    .select(stateColumns)
    .from(channelsTable)
    .where(
      and(
        eq(channelsTable.id, place("id")),
        eq(channelsTable.projectId, place("projectId")),
        isNull(channelsTable.disconnectedAt),
      ),
    ),
);

export async function findChannel(db: Db, projectId: ProjectId, id: ChannelId): Promise<ChannelState | null> {
  const { channels } = await readTogether(db, { channels: selectChannel(db, { projectId, id }) });
  return channels[0] ?? null;
}

/** The same for several channels, for a batch. */
export function selectChannels(db: Db, projectId: ProjectId, ids: readonly ChannelId[]) {
  return db
    .select(stateColumns)
    .from(channelsTable)
    .where(and(isOwnAmong(channelsTable, projectId, ids), isNull(channelsTable.disconnectedAt)));
}

/** The channel's id if it belongs to the project, else NULL: for rows that are found by the channel alone. */
export function ownChannelId(projectId: ProjectId | Placeholder, id: ChannelId | Placeholder): SQL<ChannelId> {
  return sql`(SELECT own.id FROM channels AS own WHERE own.id = ${id} AND own.project_id = ${projectId})`;
}

/** For jobs; includes disconnected channels. */
export async function findChannelOfJob(db: Db, id: ChannelId): Promise<ChannelState | null> {
  const [channel] = await db.select(stateColumns).from(channelsTable).where(eq(channelsTable.id, id));
  return channel ?? null;
}

/**
 * The data for acting as a channel, for a batch: the channel, its project, its grants and its rate limits.
 * `id` may be a subquery.
 */
export function selectActor(db: Db, id: ChannelId | SQL) {
  return {
    channels: db.select(channelColumns).from(channelsTable).where(sql`${channelsTable.id} = ${id}`),
    projects: selectProjectKind(db, sql`(SELECT project_id FROM channels WHERE channels.id = ${id})`),
    grants: selectGrants(db, id),
    limits: selectRateLimits(db, id),
  };
}

/** A channel, connected or not, with its project and the data for acting as it. */
export interface Actor {
  readonly channel: Channel;
  readonly project: Pick<Project, "isTest" | "database" | "movingAt">;
  readonly grants: readonly Grant[];
  /** Current and recent rate limits at the time of the read. */
  readonly limits: readonly StoredRateLimit[];
}

export function toActor(read: Answers<ReturnType<typeof selectActor>>): Actor | null {
  const { grants, limits } = read;
  const [channel] = read.channels;
  const [project] = read.projects;
  return channel && project ? { channel, project, grants, limits } : null;
}

/** A condition: the channel is connected. */
export function isConnected(id: ChannelId | SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM channels WHERE channels.id = ${id} AND channels.disconnected_at IS NULL)`;
}

/** A condition: the channel is connected and collects its direct messages. */
export function collectsMessages(id: ChannelId | SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM channels WHERE channels.id = ${id} AND channels.disconnected_at IS NULL
    AND channels.messages_since IS NOT NULL)`;
}

/** A condition: the project has a channel, connected or not. */
export const hasChannels = (projectId: SQLWrapper): SQL =>
  sql`EXISTS (SELECT 1 FROM channels WHERE channels.project_id = ${projectId})`;

/** A condition: the channel is connected, and comments under its posts are read without a bot. */
export const collectsComments = (id: ChannelId | SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM channels WHERE channels.id = ${id} AND channels.collects_comments_at IS NOT NULL
    AND channels.disconnected_at IS NULL)`;

export const projectOfChannel = (id: SQL | ChannelId): SQL =>
  sql`(SELECT project_id FROM channels WHERE channels.id = ${id})`;

export const platformOfChannel = (id: SQL): SQL => sql`(SELECT platform FROM channels WHERE channels.id = ${id})`;

export const accountOf = (id: SQL): SQL => sql`(SELECT account_id FROM channels WHERE channels.id = ${id})`;

export async function findActor(db: Db, id: ChannelId): Promise<Actor | null> {
  return toActor(await readTogether(db, selectActor(db, id)));
}

/** The connected channels of an account in all projects: a webhook's receivers. One D1 call. */
export async function listChannelsOfAccount(
  { db, database, databases }: Pick<Deps, "db" | "database" | "databases">,
  platform: PlatformName,
  accountId: string,
): Promise<Pick<Channel, "id" | "projectId" | "platform" | "messagesSince">[]> {
  return db
    .select({
      id: channelsTable.id,
      projectId: channelsTable.projectId,
      platform: channelsTable.platform,
      messagesSince: channelsTable.messagesSince,
    })
    .from(channelsTable)
    .where(
      and(
        eq(channelsTable.platform, platform),
        eq(channelsTable.accountId, accountId),
        isNull(channelsTable.disconnectedAt),
        databases === 1 ? undefined : isServedBy(channelsTable.projectId, database),
      ),
    );
}

export interface ConnectedAccount {
  readonly projectId: ProjectId;
  readonly userRef: string;
  readonly platform: Channel["platform"];
  readonly accountId: string;
  readonly name: string;
  readonly username: string | null;
  readonly pictureUrl: string | null;
  readonly attributes: Channel["attributes"];
}

/**
 * Creates or reconnects the channels of these accounts, by account id: a known account keeps its
 * `channel_id`. New channels have no grants yet, because these are encrypted with the channel's id. They
 * count as disconnected until `markChannelsConnected`: a login that dies in between connects nothing. One D1
 * call.
 */
export async function upsertChannels(
  db: Db,
  accounts: readonly ConnectedAccount[],
  now: number,
): Promise<ReadonlyMap<string, { readonly id: ChannelId; readonly isNew: boolean }>> {
  const { upserted } = await writeTogether(db, {
    upserted: accounts.map((account) => upsertChannel(db, account, now)),
  });
  return new Map(upserted.flat().map(({ accountId, id, createdAt }) => [accountId, { id, isNew: createdAt === now }]));
}

function upsertChannel(db: Db, account: ConnectedAccount, now: number) {
  const { userRef, name, username, pictureUrl, attributes } = account;
  return db
    .insert(channelsTable)
    .values({ ...account, disconnectedAt: now, createdAt: now, updatedAt: now })
    .onConflictDoUpdate({
      target: [channelsTable.projectId, channelsTable.platform, channelsTable.accountId],
      set: { userRef, name, username, pictureUrl, attributes, updatedAt: now },
    })
    .returning({ id: channelsTable.id, accountId: channelsTable.accountId, createdAt: channelsTable.createdAt });
}

/** Marks the channels as connected. */
export function markChannelsConnected(db: Db, ids: readonly ChannelId[], now: number): Statement {
  return db.update(channelsTable).set({ disconnectedAt: null, updatedAt: now }).where(isAmong(channelsTable.id, ids));
}

/** Since when paid insights are read; null: they are not. */
export function setPaidInsights(
  db: Db,
  { projectId, id, at }: { readonly projectId: ProjectId; readonly id: ChannelId; readonly at: number | null },
): Statement {
  return db
    .update(channelsTable)
    .set({ paidInsightsAt: at })
    .where(and(eq(channelsTable.id, id), eq(channelsTable.projectId, projectId)));
}

/** A condition: the channel has asked before that time for insights that its platform charges for. */
export const paysForInsights = (id: SQL, before: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM channels WHERE channels.id = ${id} AND channels.paid_insights_at < ${before})`;

/** Since when comments are read without a bot; null: they are not. */
export function setCollectsComments(
  db: Db,
  { projectId, id, at }: { readonly projectId: ProjectId; readonly id: ChannelId; readonly at: number | null },
): Statement {
  return db
    .update(channelsTable)
    .set({ collectsCommentsAt: at })
    .where(and(eq(channelsTable.id, id), eq(channelsTable.projectId, projectId)));
}

/** Since when direct messages are collected; null: they are not. `condition`: while it holds. */
export function setMessagesSince(db: Db, id: ChannelId, at: number | null, condition: SQL = sql`1`): Statement {
  return db
    .update(channelsTable)
    .set({ messagesSince: at })
    .where(and(eq(channelsTable.id, id), condition));
}
