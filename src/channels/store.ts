import { and, eq, isNull, type Placeholder, type SQL, sql } from "drizzle-orm";
import { projectsTable } from "../accounts/table.ts";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import { type Answers, type Db, readTogether, type Statement, writeTogether } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { template } from "../db/template.ts";
import type { PlatformName } from "../platforms/names.ts";
import { channelEvents } from "./events.ts";
import { forgetGrants, type Grant, type GrantState, grantStates, selectGrants } from "./grant-store.ts";
import { markHealth } from "./health-mark.ts";
import { type StoredRateLimit, selectRateLimits } from "./rate-limits.ts";
import { openRevocation } from "./revocations.ts";
import { channelsTable } from "./table.ts";

/** SQL of the connected accounts; that of their grants is in grant-store.ts. */

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
};

export type Channel = Pick<typeof channelsTable.$inferSelect, keyof typeof channelColumns>;

/** A channel and what can be told of its grants without opening them (health.ts). */
export interface ChannelState extends Channel {
  readonly grants: readonly GrantState[];
}

/** What is read of a channel with its grants. */
export const stateColumns = { ...channelColumns, grants: grantStates };

/**
 * A channel of the project that is not disconnected, for a batch; nothing for everything else, another
 * project's included.
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

/** The same by itself; null for none. */
export async function findChannel(db: Db, projectId: ProjectId, id: ChannelId): Promise<ChannelState | null> {
  const { channels } = await readTogether(db, { channels: selectChannel(db, { projectId, id }) });
  return channels[0] ?? null;
}

/** The same of several, for a batch. */
export function selectChannels(db: Db, projectId: ProjectId, ids: readonly ChannelId[]) {
  return db
    .select(stateColumns)
    .from(channelsTable)
    .where(
      and(isAmong(channelsTable.id, ids), eq(channelsTable.projectId, projectId), isNull(channelsTable.disconnectedAt)),
    );
}

/**
 * The channel's id where it is the project's, else NULL: for what hangs off a channel and is found by it
 * alone.
 */
export function ownChannelId(projectId: ProjectId | Placeholder, id: ChannelId | Placeholder): SQL<ChannelId> {
  return sql`(SELECT own.id FROM channels AS own WHERE own.id = ${id} AND own.project_id = ${projectId})`;
}

/** For jobs, which come with a row of ours in hand; disconnected channels too. */
export async function findChannelOfJob(db: Db, id: ChannelId): Promise<ChannelState | null> {
  const [channel] = await db.select(stateColumns).from(channelsTable).where(eq(channelsTable.id, id));
  return channel ?? null;
}

/**
 * What acting as a channel reads, for a batch: the channel, its project, its grants and what is used up. `id`
 * may be a query of the statement.
 */
export function selectActor(db: Db, id: ChannelId | SQL) {
  return {
    channels: db.select(channelColumns).from(channelsTable).where(sql`${channelsTable.id} = ${id}`),
    projects: db
      .select({ isTest: projectsTable.isTest })
      .from(projectsTable)
      .where(sql`${projectsTable.id} = (SELECT project_id FROM channels WHERE channels.id = ${id})`),
    grants: selectGrants(db, id),
    limits: selectRateLimits(db, id),
  };
}

/** A channel, disconnected or not, whose it is, and with what it acts. */
export interface Actor {
  readonly channel: Channel;
  readonly project: { readonly isTest: boolean };
  readonly grants: readonly Grant[];
  /** Allowances that were used up when it was read, or before. */
  readonly limits: readonly StoredRateLimit[];
}

export function toActor(read: Answers<ReturnType<typeof selectActor>>): Actor | null {
  const { grants, limits } = read;
  const [channel] = read.channels;
  const [project] = read.projects;
  return channel && project ? { channel, project, grants, limits } : null;
}

/** True inside statements while it is connected. */
export function isConnected(id: ChannelId): SQL {
  return sql`EXISTS (SELECT 1 FROM channels WHERE channels.id = ${id} AND channels.disconnected_at IS NULL)`;
}

export async function findActor(db: Db, id: ChannelId): Promise<Actor | null> {
  return toActor(await readTogether(db, selectActor(db, id)));
}

/**
 * The connected channels of an account, in every project that has it: whom a platform's message concerns. One
 * D1 call.
 */
export async function listChannelsOfAccount(
  db: Db,
  platform: PlatformName,
  accountId: string,
): Promise<Pick<Channel, "id" | "projectId">[]> {
  return db
    .select({ id: channelsTable.id, projectId: channelsTable.projectId })
    .from(channelsTable)
    .where(
      and(
        eq(channelsTable.platform, platform),
        eq(channelsTable.accountId, accountId),
        isNull(channelsTable.disconnectedAt),
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
 * The channels of these accounts, made or taken up again, by account id: an account that was connected before
 * keeps its `channel_id`. New ones have no grants yet, which are sealed with the id. One D1 call.
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
    .values({ ...account, createdAt: now, updatedAt: now })
    .onConflictDoUpdate({
      target: [channelsTable.projectId, channelsTable.platform, channelsTable.accountId],
      set: { userRef, name, username, pictureUrl, attributes, updatedAt: now },
    })
    .returning({ id: channelsTable.id, accountId: channelsTable.accountId, createdAt: channelsTable.createdAt });
}

/** Takes the channels into service. */
export function markChannelsConnected(db: Db, ids: readonly ChannelId[], now: number): Statement {
  return db.update(channelsTable).set({ disconnectedAt: null, updatedAt: now }).where(isAmong(channelsTable.id, ids));
}

export interface Disconnected extends Pick<Channel, "name" | "platform"> {
  /** Rows of the job that ends at the platform what it had granted, for `enqueueJobs`. */
  readonly revocation: unknown;
}

/**
 * Forgets all credentials, but for those that a job needs to end the grants at the platform; null when there
 * is no such connected channel in the project. One D1 call.
 */
export async function disconnectChannel(
  db: Db,
  { projectId, id, now }: { readonly projectId: ProjectId; readonly id: ChannelId; readonly now: number },
  condition: SQL,
  goesWith: (when: SQL) => readonly Statement[],
): Promise<Disconnected | null> {
  const isConnected = sql`EXISTS (SELECT 1 FROM channels WHERE id = ${id} AND project_id = ${projectId} AND disconnected_at IS NULL) AND ${condition}`;
  const event = {
    projectId,
    subjectId: id,
    type: "channel.disconnected",
    message: "The channel was disconnected.",
    detail: {},
    at: now,
  } as const;
  const [step, revocation] = openRevocation(db, { projectId, channelId: id, now }, isConnected);
  const { revoked, disconnected } = await writeTogether(db, {
    event: channelEvents.insert(db, event, isConnected),
    step,
    revoked: revocation,
    grants: forgetGrants(db, id, isConnected),
    marked: markHealth(db, [id]),
    goesWith: goesWith(isConnected),
    // The last one, for it changes what the others ask.
    disconnected: db
      .update(channelsTable)
      .set({ disconnectedAt: now, updatedAt: now })
      .where(
        and(
          eq(channelsTable.id, id),
          eq(channelsTable.projectId, projectId),
          isNull(channelsTable.disconnectedAt),
          condition,
        ),
      )
      .returning({ name: channelsTable.name, platform: channelsTable.platform }),
  });
  const [channel] = disconnected;
  return channel ? { ...channel, revocation: revoked } : null;
}
