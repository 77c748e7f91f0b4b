import { and, eq, isNotNull, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import { keyIdOf } from "../core/sealing.ts";
import { type Db, runBatch, type Statement, writeTogether } from "../db/client.ts";
import { CAPABILITIES, type Capability, GRANT_PURPOSES } from "../platforms/names.ts";
import { type ChannelEvent, channelEvents } from "./events.ts";
import { markHealth } from "./health-mark.ts";
import { CHANNEL_HEALTH, type ChannelHealth, grantsTable } from "./table.ts";

/** SQL of grants. A statement for specific credentials only names them by version. */

export type Grant = typeof grantsTable.$inferSelect;

/** Identifies a grant. */
export type GrantRef = Pick<Grant, "channelId" | "purpose">;
/** Identifies specific credentials of a grant. */
export type GrantVersion = Pick<Grant, "channelId" | "purpose" | "version">;

/** The state of a grant, readable without decrypting its credentials. */
export type GrantState = Pick<
  Grant,
  "purpose" | "scopes" | "expiresAt" | "reconnectBy" | "refreshDueAt" | "health" | "healthReason" | "stopped"
>;

const GrantStates = z.array(
  z.object({
    purpose: z.enum(GRANT_PURPOSES),
    scopes: z.array(z.string()).nullable(),
    expiresAt: z.number().nullable(),
    reconnectBy: z.number().nullable(),
    refreshDueAt: z.number().nullable(),
    health: z.enum(CHANNEL_HEALTH),
    healthReason: z.string().nullable(),
    stopped: z.partialRecord(z.enum(CAPABILITIES), z.string()),
  }),
);

/** A column with the states of a channel's grants, so that a list of channels needs no second query. */
export const grantStates = sql<GrantState[]>`(SELECT json_group_array(json_object('purpose', g.purpose,
  'scopes', json(g.scopes), 'expiresAt', g.expires_at, 'reconnectBy', g.reconnect_by, 'refreshDueAt', g.refresh_due_at, 'health', g.health,
  'healthReason', g.health_reason, 'stopped', json(g.stopped))) FROM grants g WHERE g.channel_id = channels.id)`
  .mapWith((text: string): GrantState[] => GrantStates.parse(JSON.parse(text)))
  .as("grants");

/** All grants of a channel; `id` may be a subquery. */
export function selectGrants(db: Db, id: ChannelId | SQL) {
  return db.select().from(grantsTable).where(sql`${grantsTable.channelId} = ${id}`);
}

function named({ channelId, purpose }: GrantRef): SQL | undefined {
  return and(eq(grantsTable.channelId, channelId), eq(grantsTable.purpose, purpose));
}

export interface StoredCredentials {
  readonly sealed: string;
  readonly scopes: readonly string[];
  readonly expiresAt: number | null;
  readonly reconnectBy: number | null;
  readonly refreshDueAt: number | null;
}

/** Activates the grant with these credentials; a refresh in progress is void. */
function columnsOf({ sealed, scopes, expiresAt, reconnectBy, refreshDueAt }: StoredCredentials) {
  return {
    credentials: sealed,
    credentialsKey: keyIdOf(sealed),
    scopes,
    expiresAt,
    reconnectBy,
    refreshDueAt,
    refreshLeaseUntil: null,
    refreshAttempts: 0,
    health: "connected",
    healthReason: null,
  } as const;
}

/**
 * Stores the credentials of a login, and replaces earlier ones. `login`: the user who logged in. `markHealth`
 * follows it in the batch.
 */
export function storeGrant(db: Db, ref: GrantRef, credentials: StoredCredentials, login: string | null): Statement {
  const now = Date.now();
  const since = { loggedInAt: now, storedAt: now, storedBy: "login", expiryNotifiedAt: null } as const;
  const given = { ...columnsOf(credentials), ...since, login, stopped: {} };
  return db
    .insert(grantsTable)
    .values({ ...ref, ...given, version: 1 })
    .onConflictDoUpdate({
      target: [grantsTable.channelId, grantsTable.purpose],
      set: { ...given, version: sql`${grantsTable.version} + 1` },
    });
}

/** Deletes the credentials of every grant of the channel. `markHealth` follows it in the batch. */
export function forgetGrants(db: Db, channelId: ChannelId, condition: SQL): Statement {
  return db
    .update(grantsTable)
    .set({
      credentials: null,
      credentialsKey: null,
      expiresAt: null,
      reconnectBy: null,
      refreshDueAt: null,
      refreshLeaseUntil: null,
      health: "reconnect_needed",
      healthReason: null,
      stopped: {},
    })
    .where(and(eq(grantsTable.channelId, channelId), condition));
}

/** When the credentials of a grant must be renewed; null if they cannot be, or if the grant has ended. */
export async function findRefreshDue(db: Db, ref: GrantRef): Promise<number | null> {
  const [grant] = await db.select({ dueAt: grantsTable.refreshDueAt }).from(grantsTable).where(named(ref));
  return grant?.dueAt ?? null;
}

function isDue(now: number): SQL | undefined {
  return and(lte(grantsTable.refreshDueAt, now), isNotNull(grantsTable.refreshDueAt));
}

/**
 * Takes the refresh lease until `until`, for specific credentials or for any that are due. False if another
 * delivery holds the lease or has already refreshed.
 */
export async function claimRefresh(
  db: Db,
  ref: GrantRef,
  what: { readonly version: number } | "due",
  { now, until }: { readonly now: number; readonly until: number },
): Promise<boolean> {
  const isFree = or(isNull(grantsTable.refreshLeaseUntil), lt(grantsTable.refreshLeaseUntil, now));
  const isMeant = what === "due" ? isDue(now) : eq(grantsTable.version, what.version);
  const rows = await db
    .update(grantsTable)
    .set({ refreshLeaseUntil: until })
    .where(and(named(ref), isNotNull(grantsTable.credentials), isFree, isMeant))
    .returning({ version: grantsTable.version });
  return rows.length > 0;
}

/**
 * Replaces credentials by their renewal. Returns false, and stores nothing, if the account owner reconnected
 * meanwhile.
 */
export async function storeRenewed(
  db: Db,
  replaced: GrantVersion,
  credentials: StoredCredentials,
  now: number,
): Promise<boolean> {
  const { stored } = await writeTogether(db, {
    stored: db
      .update(grantsTable)
      .set({ ...columnsOf(credentials), version: replaced.version + 1, storedAt: now, storedBy: "renewal" })
      .where(and(named(replaced), eq(grantsTable.version, replaced.version), isNotNull(grantsTable.credentials)))
      .returning({ version: grantsTable.version }),
    marked: markHealth(db, [replaced.channelId]),
  });
  return stored.length > 0;
}

export interface Postponement {
  readonly retryAt: number;
  readonly health: ChannelHealth;
  readonly reason: string;
}

/** Schedules another try after a failed refresh. The grant stays active. */
export async function postponeRefresh(
  db: Db,
  ref: GrantRef,
  lease: number,
  { retryAt, health, reason }: Postponement,
): Promise<void> {
  await runBatch(db, [
    db
      .update(grantsTable)
      .set({
        refreshDueAt: retryAt,
        refreshLeaseUntil: null,
        refreshAttempts: sql`${grantsTable.refreshAttempts} + 1`,
        health,
        healthReason: reason,
      })
      .where(and(named(ref), eq(grantsTable.refreshLeaseUntil, lease))),
    markHealth(db, [ref.channelId]),
  ]);
}

/**
 * Marks credentials that the platform reported as dead. Returns false, and changes nothing, if they were
 * replaced meanwhile.
 */
export async function markReconnectNeeded(
  db: Db,
  projectId: ProjectId,
  grant: GrantVersion,
  { reason, now }: { readonly reason: string; readonly now: number },
): Promise<boolean> {
  const dead = {
    health: "reconnect_needed",
    healthReason: reason,
    refreshDueAt: null,
    refreshLeaseUntil: null,
  } as const;
  const event = reconnectNeeded(projectId, grant, { capability: null, reason, now });
  return tellAndSet(db, grant, { event, isNews: sql`health <> 'reconnect_needed'` }, dead);
}

/** Marks a capability whose permission the platform reported as missing. Returns false as above. */
export async function markStopped(
  db: Db,
  projectId: ProjectId,
  grant: GrantVersion,
  { capability, reason, now }: { readonly capability: Capability; readonly reason: string; readonly now: number },
): Promise<boolean> {
  // Merged in the statement, so that two concurrent stops are both kept.
  const stopped = sql`json_set(${grantsTable.stopped}, ${`$.${capability}`}, ${reason})`;
  const event = reconnectNeeded(projectId, grant, { capability, reason, now });
  return tellAndSet(db, grant, { event, isNews: sql`stopped ->> ${capability} IS NULL` }, { stopped });
}

type NewEvent = ChannelEvent & { readonly projectId: ProjectId; readonly subjectId: number; readonly at: number };

function reconnectNeeded(
  projectId: ProjectId,
  { channelId, purpose }: GrantRef,
  {
    capability,
    reason,
    now,
  }: { readonly capability: Capability | null; readonly reason: string; readonly now: number },
): NewEvent {
  const error_code = capability === null ? "reconnect_needed" : "permission_missing";
  const detail = { grant: purpose, capability, error_code } as const;
  return { projectId, subjectId: channelId, type: "channel.reconnect_needed", message: reason, detail, at: now };
}

/** Changes this version of the grant, and writes an event if the state is new. */
async function tellAndSet(
  db: Db,
  grant: GrantVersion,
  { event, isNews }: { readonly event: NewEvent; readonly isNews: SQL },
  changed: { readonly [K in keyof Grant]?: Grant[K] | SQL },
): Promise<boolean> {
  const { channelId, purpose, version } = grant;
  const same = sql`channel_id = ${channelId} AND purpose = ${purpose} AND version = ${version}`;
  const { set } = await writeTogether(db, {
    event: channelEvents.insert(db, event, sql`EXISTS (SELECT 1 FROM grants WHERE ${same} AND ${isNews})`),
    set: db
      .update(grantsTable)
      .set(changed)
      .where(and(named(grant), eq(grantsTable.version, version)))
      .returning({ version: grantsTable.version }),
    marked: markHealth(db, [channelId]),
  });
  return set.length > 0;
}

export type Sealed = GrantRef & { readonly credentials: string };

/** Grants whose credentials are encrypted with this key. */
export async function listSealedWith(db: Db, keyId: string, limit: number): Promise<Sealed[]> {
  return listSealed(db, and(eq(grantsTable.credentialsKey, keyId), isNotNull(grantsTable.credentialsKey)), limit);
}

async function listSealed(db: Db, which: SQL | undefined, limit: number): Promise<Sealed[]> {
  const { channelId, purpose, credentials } = grantsTable;
  const rows = await db.select({ channelId, purpose, credentials }).from(grantsTable).where(which).limit(limit);
  return rows.flatMap(({ credentials: sealed, ...ref }) => (sealed === null ? [] : [{ ...ref, credentials: sealed }]));
}

/** Stores re-encrypted credentials, unless newer ones were stored meanwhile. */
export function storeResealed(
  db: Db,
  { credentials, ...ref }: Sealed,
  sealed: string,
  scopes: readonly string[],
): Statement {
  return db
    .update(grantsTable)
    .set({ credentials: sealed, credentialsKey: keyIdOf(sealed), scopes })
    .where(and(named(ref), eq(grantsTable.credentials, credentials)));
}
