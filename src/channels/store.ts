import { and, asc, count, desc, eq, isNotNull, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { projectsTable } from "../accounts/table.ts";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import type { PageOf } from "../core/page.ts";
import { keyIdOf } from "../core/sealing.ts";
import { type Db, runBatch, type Statement } from "../db/client.ts";
import { insertEvent } from "../events/store.ts";
import { type ChannelHealth, channelsTable } from "./table.ts";

export type Channel = typeof channelsTable.$inferSelect;

/** A channel of the project that is not disconnected; null for everything else, another project's included. */
export function selectChannel(db: Db, projectId: ProjectId, id: ChannelId) {
  return db
    .select()
    .from(channelsTable)
    .where(and(eq(channelsTable.id, id), eq(channelsTable.projectId, projectId), isNull(channelsTable.disconnectedAt)));
}

/** For jobs, which come with a row of ours in hand; disconnected channels too. */
export async function findChannelOfJob(db: Db, id: ChannelId): Promise<Channel | null> {
  const [channel] = await db.select().from(channelsTable).where(eq(channelsTable.id, id));
  return channel ?? null;
}

/** What acting as a channel reads, for a batch: the channel and its project. `id` may be a query of the statement. */
export function selectActor(db: Db, id: ChannelId | SQL) {
  return [
    db.select().from(channelsTable).where(sql`${channelsTable.id} = ${id}`),
    db
      .select({ isTest: projectsTable.isTest })
      .from(projectsTable)
      .where(sql`${projectsTable.id} = (SELECT project_id FROM channels WHERE channels.id = ${id})`),
  ] as const;
}

/** A channel, disconnected or not, and whose it is. */
export interface Actor {
  readonly channel: Channel;
  readonly project: { readonly isTest: boolean };
}

export function toActor(channels: readonly Channel[], projects: readonly Actor["project"][]): Actor | null {
  const [[channel], [project]] = [channels, projects];
  return channel && project ? { channel, project } : null;
}

export async function findActor(db: Db, id: ChannelId): Promise<Actor | null> {
  return toActor(...(await db.batch(selectActor(db, id))));
}

/** The project's channels, newest first; `userRef` null = every user's. One D1 call. */
export async function listChannels(
  db: Db,
  projectId: ProjectId,
  { userRef, page, limit }: { readonly userRef: string | null; readonly page: number; readonly limit: number },
): Promise<PageOf<Channel>> {
  const connected = and(
    eq(channelsTable.projectId, projectId),
    isNull(channelsTable.disconnectedAt),
    userRef === null ? undefined : eq(channelsTable.userRef, userRef),
  );
  const [items, counts] = await db.batch([
    db
      .select()
      .from(channelsTable)
      .where(connected)
      .orderBy(desc(channelsTable.id))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ total: count() }).from(channelsTable).where(connected),
  ]);
  return { items, total: counts[0]?.total ?? 0, page, limit };
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
 * The channels of these accounts, made or taken up again, by account id: an account that was connected before keeps its
 * `channel_id`. New ones have no credentials yet; `storeCredentials` seals them with the id. One D1 call.
 */
export async function upsertChannels(
  db: Db,
  accounts: readonly ConnectedAccount[],
  now: number,
): Promise<ReadonlyMap<string, { readonly id: ChannelId; readonly isNew: boolean }>> {
  const [first, ...rest] = accounts.map((account) => upsertChannel(db, account, now));
  if (!first) return new Map();
  const results = await db.batch([first, ...rest]);
  return new Map(results.flat().map(({ accountId, id, createdAt }) => [accountId, { id, isNew: createdAt === now }]));
}

function upsertChannel(db: Db, account: ConnectedAccount, now: number) {
  const { userRef, name, username, pictureUrl, attributes } = account;
  const unfinished = { health: "reconnect_needed", healthReason: "The connection was not finished." } as const;
  return db
    .insert(channelsTable)
    .values({ ...account, ...unfinished, createdAt: now, updatedAt: now })
    .onConflictDoUpdate({
      target: [channelsTable.projectId, channelsTable.platform, channelsTable.accountId],
      set: { userRef, name, username, pictureUrl, attributes, updatedAt: now },
    })
    .returning({ id: channelsTable.id, accountId: channelsTable.accountId, createdAt: channelsTable.createdAt });
}

export interface StoredCredentials {
  readonly sealed: string;
  readonly expireAt: number | null;
  readonly refreshDueAt: number | null;
}

/** Stores new credentials and takes the channel into service; ends any refresh that was under way. */
export function storeCredentials(db: Db, id: ChannelId, credentials: StoredCredentials, now: number): Statement {
  return db
    .update(channelsTable)
    .set({
      ...columnsOf(credentials),
      disconnectedAt: null,
      updatedAt: now,
    })
    .where(eq(channelsTable.id, id));
}

/** Takes the right to refresh until `until`; false when another delivery has it. */
export async function claimRefresh(db: Db, id: ChannelId, now: number, until: number): Promise<boolean> {
  const free = or(isNull(channelsTable.refreshLeaseUntil), lt(channelsTable.refreshLeaseUntil, now));
  const rows = await db
    .update(channelsTable)
    .set({ refreshLeaseUntil: until })
    .where(and(eq(channelsTable.id, id), isNotNull(channelsTable.credentials), free))
    .returning({ id: channelsTable.id });
  return rows.length > 0;
}

/**
 * Stores what a renewal gave in place of the credentials that it was made with: a reconnection in between is not
 * overwritten. False then.
 */
export async function storeRenewed(
  db: Db,
  id: ChannelId,
  replaced: string,
  credentials: StoredCredentials,
  now: number,
): Promise<boolean> {
  const rows = await db
    .update(channelsTable)
    .set({ ...columnsOf(credentials), updatedAt: now })
    .where(and(eq(channelsTable.id, id), eq(channelsTable.credentials, replaced)))
    .returning({ id: channelsTable.id });
  return rows.length > 0;
}

/** The channel is in service with these; any refresh that was under way is over. */
function columnsOf({ sealed, expireAt, refreshDueAt }: StoredCredentials) {
  return {
    credentials: sealed,
    credentialsKey: keyIdOf(sealed),
    credentialsExpireAt: expireAt,
    refreshDueAt,
    refreshLeaseUntil: null,
    refreshAttempts: 0,
    health: "connected",
    healthReason: null,
  } as const;
}

/** A refresh that found the platform down: another try later. The channel stays in service. */
export async function postponeRefresh(
  db: Db,
  id: ChannelId,
  lease: number,
  retryAt: number,
  health: ChannelHealth,
  reason: string,
): Promise<void> {
  await db
    .update(channelsTable)
    .set({
      refreshDueAt: retryAt,
      refreshLeaseUntil: null,
      refreshAttempts: sql`${channelsTable.refreshAttempts} + 1`,
      health,
      healthReason: reason,
    })
    .where(and(eq(channelsTable.id, id), eq(channelsTable.refreshLeaseUntil, lease)));
}

/**
 * The platform said that these credentials are dead. `sealed` names the credentials that were refused: when newer ones
 * have been stored meanwhile, nothing changes.
 */
export async function markReconnectNeeded(db: Db, channel: Channel, reason: string, now: number): Promise<void> {
  if (channel.credentials === null) return;
  const same = and(eq(channelsTable.id, channel.id), eq(channelsTable.credentials, channel.credentials));
  await runBatch(db, [
    insertEvent(
      db,
      {
        projectId: channel.projectId,
        subject: "channel",
        subjectId: channel.id,
        type: "channel.reconnect_needed",
        message: reason,
        at: now,
      },
      sql`EXISTS (SELECT 1 FROM channels WHERE id = ${channel.id} AND credentials = ${channel.credentials} AND health <> 'reconnect_needed')`,
    ),
    db
      .update(channelsTable)
      .set({
        health: "reconnect_needed",
        healthReason: reason,
        refreshDueAt: null,
        refreshLeaseUntil: null,
        updatedAt: now,
      })
      .where(same),
  ]);
}

/** Channels whose credentials are to be renewed now. */
export async function listRefreshDue(db: Db, now: number, limit: number): Promise<ChannelId[]> {
  const rows = await db
    .select({ id: channelsTable.id })
    .from(channelsTable)
    .where(and(lte(channelsTable.refreshDueAt, now), sql`${channelsTable.refreshDueAt} IS NOT NULL`))
    .orderBy(asc(channelsTable.refreshDueAt))
    .limit(limit);
  return rows.map((row) => row.id);
}

/** Forgets the credentials; null when there is no such connected channel in the project. One D1 call. */
export async function disconnectChannel(
  db: Db,
  projectId: ProjectId,
  id: ChannelId,
  now: number,
): Promise<Pick<Channel, "name" | "platform"> | null> {
  const [, [channel]] = await db.batch([
    insertEvent(
      db,
      {
        projectId,
        subject: "channel",
        subjectId: id,
        type: "channel.disconnected",
        message: "The channel was disconnected.",
        at: now,
      },
      sql`EXISTS (SELECT 1 FROM channels WHERE id = ${id} AND project_id = ${projectId} AND disconnected_at IS NULL)`,
    ),
    db
      .update(channelsTable)
      .set({
        credentials: null,
        credentialsKey: null,
        credentialsExpireAt: null,
        refreshDueAt: null,
        refreshLeaseUntil: null,
        health: "reconnect_needed",
        healthReason: "The channel was disconnected.",
        disconnectedAt: now,
        updatedAt: now,
      })
      .where(
        and(eq(channelsTable.id, id), eq(channelsTable.projectId, projectId), isNull(channelsTable.disconnectedAt)),
      )
      .returning({ name: channelsTable.name, platform: channelsTable.platform }),
  ]);
  return channel ?? null;
}

/** Channels whose credentials are sealed with this key. */
export async function listSealedWith(db: Db, keyId: string, limit: number) {
  const rows = await db
    .select({ id: channelsTable.id, credentials: channelsTable.credentials })
    .from(channelsTable)
    .where(and(eq(channelsTable.credentialsKey, keyId), isNotNull(channelsTable.credentialsKey)))
    .limit(limit);
  return rows.flatMap(({ id, credentials }) => (credentials === null ? [] : [{ id, credentials }]));
}

/** The same credentials under another key, unless newer ones were stored meanwhile. */
export function storeResealed(db: Db, id: ChannelId, old: string, sealed: string): Statement {
  return db
    .update(channelsTable)
    .set({ credentials: sealed, credentialsKey: keyIdOf(sealed) })
    .where(and(eq(channelsTable.id, id), eq(channelsTable.credentials, old)));
}
