import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import { isMovingProject, isServedBy } from "../accounts/moving.ts";
import type { ProjectId } from "../core/ids.ts";
import { MINUTE } from "../core/time.ts";
import { type Db, runBatch } from "../db/client.ts";
import type { Expired } from "../db/expired.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { Deps } from "../service/deps.ts";
import type { LoginName } from "./logins.ts";
import { type ConnectedChannel, connectChoicesTable, connectSessionsTable, oauthStatesTable } from "./table.ts";
import type { ConnectToken } from "./token.ts";

/**
 * SQL of the connection session. Two tabs may use one session at once, so every change is one statement that
 * computes the new lists from the stored ones. A successful session stays successful.
 */
export type Progress = typeof connectSessionsTable.$inferSelect;

/** The progress of a session whose person has done something. */
export function selectProgress(db: Db, tokenHash: string) {
  const isBegun = sql`NOT (status = 'pending' AND remaining = '[]')`;
  return db
    .select()
    .from(connectSessionsTable)
    .where(and(eq(connectSessionsTable.tokenHash, tokenHash), isBegun));
}

/**
 * Stores an opened session; false if the project already has `limit` open sessions without success. Checked
 * and written in one statement.
 */
export async function insertSession(db: Db, token: ConnectToken, limit: number): Promise<boolean> {
  const { hash, projectId, issuedAt, expiresAt } = token;
  const open = sql`SELECT 1 FROM connect_sessions WHERE status <> 'success' AND project_id = ${projectId}
    AND expires_at > ${issuedAt} LIMIT ${limit}`;
  const room = sql`(SELECT count(*) FROM (${open})) < ${limit}`;
  const session = {
    tokenHash: hash,
    projectId,
    status: "pending" as const,
    remaining: [],
    connected: [],
    updatedAt: issuedAt,
    expiresAt,
  };
  const rows = await insertWhere(db, connectSessionsTable, session, room).returning({
    projectId: sql<number>`project_id`,
  });
  return rows.length > 0;
}

/** When the next of the project's open sessions ends; null if there is none. */
export async function findNextExpiry(db: Db, projectId: ProjectId, now: number): Promise<number | null> {
  const [next] = await db
    .select({ at: connectSessionsTable.expiresAt })
    .from(connectSessionsTable)
    .where(sql`status <> 'success' AND project_id = ${projectId} AND expires_at > ${now}`)
    .orderBy(connectSessionsTable.expiresAt)
    .limit(1);
  return next?.at ?? null;
}

export function selectOpenChoices(db: Db, tokenHash: string) {
  return db
    .select({ platform: connectChoicesTable.platform, browserHash: connectChoicesTable.browserHash })
    .from(connectChoicesTable)
    .where(eq(connectChoicesTable.tokenHash, tokenHash));
}

export interface NewLogin {
  readonly stateHash: string;
  readonly browserHash: string;
  readonly sealed: string;
  /** The logins to go through; this login is the first. */
  readonly logins: readonly [LoginName, ...LoginName[]];
}

/** More than a person has tabs. Without a limit one connect link could fill the table. */
const MAX_OPEN_STATES = 10;

/**
 * Starts the first of the logins, which may return once. The newest ten logins of a session stay open; an
 * older one counts as used.
 */
export async function startLogin(db: Db, token: ConnectToken, login: NewLogin, now: number): Promise<void> {
  const { logins, ...state } = login;
  await runBatch(db, [
    upsertPlan(db, token, logins, now),
    db.insert(oauthStatesTable).values({
      ...state,
      tokenHash: token.hash,
      platform: logins[0],
      expiresAt: token.expiresAt,
    }),
    db.delete(oauthStatesTable).where(
      // Row ids of a session grow in order.
      sql`rowid IN (SELECT rowid FROM oauth_states WHERE token_hash = ${token.hash} ORDER BY rowid DESC
        LIMIT -1 OFFSET ${MAX_OPEN_STATES})`,
    ),
  ]);
}

/** Notes the logins to go through before the first one can start. */
export async function planLogins(
  db: Db,
  token: ConnectToken,
  logins: readonly [LoginName, ...LoginName[]],
  now: number,
): Promise<void> {
  await runBatch(db, [upsertPlan(db, token, logins, now)]);
}

function upsertPlan(db: Db, token: ConnectToken, logins: NewLogin["logins"], now: number) {
  const begun = { status: "pending", remaining: logins, message: null, updatedAt: now } as const;
  const { hash: tokenHash, projectId, expiresAt } = token;
  return db
    .insert(connectSessionsTable)
    .values({ ...begun, tokenHash, projectId, connected: [], expiresAt })
    .onConflictDoUpdate({
      target: connectSessionsTable.tokenHash,
      set: begun,
      setWhere: ne(connectSessionsTable.status, "success"),
    });
}

/**
 * Uses up the state and returns what was sealed with it; null if it was used before, or another browser
 * started it.
 */
export async function takeState(
  { db, database, databases }: Pick<Deps, "db" | "database" | "databases">,
  stateHash: string,
  login: LoginName,
  browserHash: string,
): Promise<string | null> {
  const project = sql`(SELECT project_id FROM connect_sessions WHERE connect_sessions.token_hash = oauth_states.token_hash)`;
  const own = and(
    databases === 1 ? undefined : isServedBy(project, database),
    eq(oauthStatesTable.stateHash, stateHash),
    eq(oauthStatesTable.platform, login),
    eq(oauthStatesTable.browserHash, browserHash),
  );
  const [taken] = await db.delete(oauthStatesTable).where(own).returning({ sealed: oauthStatesTable.sealed });
  return taken?.sealed ?? null;
}

/** Whether the state exists, of a project that is being moved. */
export async function isStateMoving(db: Db, stateHash: string): Promise<boolean> {
  const project = sql`(SELECT project_id FROM connect_sessions JOIN oauth_states USING (token_hash) WHERE state_hash = ${stateHash})`;
  const [row] = await db.all<{ is_moving: number }>(sql`SELECT ${isMovingProject(project)} AS is_moving`);
  return row?.is_moving === 1;
}

/** Replaces an earlier login of the session at this platform. */
export async function storeChoices(db: Db, choices: typeof connectChoicesTable.$inferInsert): Promise<void> {
  const { browserHash, sealed, expiresAt } = choices;
  await db
    .insert(connectChoicesTable)
    .values(choices)
    .onConflictDoUpdate({
      target: [connectChoicesTable.tokenHash, connectChoicesTable.platform],
      set: { browserHash, sealed, expiresAt },
    });
}

export async function findChoices(db: Db, tokenHash: string, platform: PlatformName) {
  const [row] = await db.select().from(connectChoicesTable).where(choicesOf(tokenHash, platform));
  return row ?? null;
}

export function deleteChoices(db: Db, tokenHash: string, platform: PlatformName) {
  return db.delete(connectChoicesTable).where(choicesOf(tokenHash, platform));
}

/** True while the choice is open, so its effects happen once, however often the form is sent. */
export function choicesAreOpen(tokenHash: string, platform: PlatformName): SQL {
  return sql`EXISTS (SELECT 1 FROM connect_choices WHERE token_hash = ${tokenHash} AND platform = ${platform})`;
}

function choicesOf(tokenHash: string, platform: PlatformName) {
  return and(eq(connectChoicesTable.tokenHash, tokenHash), eq(connectChoicesTable.platform, platform));
}

/**
 * Marks channels as connected by the login: success if it was the last one. The session's data of a channel
 * are merged.
 */
export function markConnected(db: Db, tokenHash: string, login: LoginName, channels: readonly ConnectedChannel[]) {
  const added = sql`json_each(${JSON.stringify(channels)})`;
  const connected = sql`(SELECT json_group_array(json(value)) FROM (
    SELECT json_patch(old.value, coalesce(new.value, '{}')) AS value
      FROM json_each(connect_sessions.connected) AS old
      LEFT JOIN ${added} AS new ON new.value ->> 'id' = old.value ->> 'id'
    UNION ALL SELECT value FROM ${added}
      WHERE value ->> 'id' NOT IN (SELECT value ->> 'id' FROM json_each(connect_sessions.connected))))`;
  return db
    .update(connectSessionsTable)
    .set({
      remaining: left(isOther(login)),
      connected,
      status: sql`CASE WHEN status <> 'success' AND ${isLeft(isOther(login))} THEN 'pending' ELSE 'success' END`,
      message: null,
      updatedAt: Date.now(),
    })
    .where(eq(connectSessionsTable.tokenHash, tokenHash))
    .returning();
}

/**
 * The platform or the person refused: the session reads `failed` until the person tries again or continues
 * without it.
 */
export async function markFailed(
  db: Db,
  tokenHash: string,
  login: LoginName,
  message: string,
): Promise<Progress | null> {
  const [row] = await db
    .update(connectSessionsTable)
    .set({
      status: "failed",
      remaining: sql`(SELECT json_group_array(value) FROM (
        SELECT ${login} AS value UNION ALL SELECT value FROM json_each(connect_sessions.remaining) WHERE ${isOther(login)}))`,
      message,
      updatedAt: Date.now(),
    })
    .where(and(eq(connectSessionsTable.tokenHash, tokenHash), ne(connectSessionsTable.status, "success")))
    .returning();
  return row ?? null;
}

/**
 * Drops a login with its additional ones, or all remaining logins: success if something is connected and
 * nothing remains.
 */
export async function dropLogins(
  db: Db,
  tokenHash: string,
  dropped: LoginName | "all",
  now: number,
): Promise<Progress | null> {
  const kept = dropped === "all" ? sql`0` : sql`${isOther(dropped)} AND value NOT GLOB ${`${dropped}:*`}`;
  const hasMore = isLeft(kept);
  const isSuccess = sql`(status = 'success' OR (NOT ${hasMore} AND connected <> '[]'))`;
  const [row] = await db
    .update(connectSessionsTable)
    .set({
      remaining: left(kept),
      status: sql`CASE WHEN ${isSuccess} THEN 'success' WHEN ${hasMore} THEN 'pending' ELSE status END`,
      message: sql`CASE WHEN ${isSuccess} OR ${hasMore} THEN NULL ELSE message END`,
      updatedAt: now,
    })
    .where(eq(connectSessionsTable.tokenHash, tokenHash))
    .returning();
  return row ?? null;
}

const isOther = (login: LoginName): SQL => sql`value <> ${login}`;

/** The part of the list whose `value` meets the condition. */
function left(condition: SQL): SQL {
  return sql`(SELECT json_group_array(value) FROM json_each(connect_sessions.remaining) WHERE ${condition})`;
}

function isLeft(condition: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM json_each(connect_sessions.remaining) WHERE ${condition})`;
}

/** Rows are kept after the end of a session for clients that still poll. */
const PROGRESS_KEPT_MS = 15 * MINUTE;

/** Expired connect sessions, states and choices, oldest first, at most `limit` rows of each table. */
export function expiredConnectRows(now: number, limit: number): Expired[] {
  return [
    { table: oauthStatesTable, where: oldest("oauth_states", now, limit) },
    { table: connectChoicesTable, where: oldest("connect_choices", now, limit) },
    { table: connectSessionsTable, where: oldest("connect_sessions", now - PROGRESS_KEPT_MS, limit) },
  ];
}

function oldest(table: "oauth_states" | "connect_choices" | "connect_sessions", before: number, limit: number): SQL {
  return sql`rowid IN (SELECT rowid FROM ${sql.identifier(table)} WHERE expires_at < ${before} ORDER BY expires_at LIMIT ${limit})`;
}
