import { and, asc, desc, eq, gt, isNull, lt, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { AppError, projectMoving } from "../core/errors.ts";
import type { ProjectId, TokenId, UserId } from "../core/ids.ts";
import type { Permission } from "../core/permissions.ts";
import { type Db, requireStill } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { copyDueOf, copyIsDue } from "./copies.ts";
import { projectsTable, type TokenVia, tokensTable, usersTable } from "./table.ts";

export interface Project {
  readonly id: ProjectId;
  readonly userId: UserId;
  /** The number of its database. */
  readonly database: number;
  readonly name: string;
  readonly timeZone: string;
  readonly isTest: boolean;
  /** Since when it is being moved to another database; null: it is not. */
  readonly movingAt: number | null;
}

export const projectColumns = {
  id: projectsTable.id,
  userId: projectsTable.userId,
  database: projectsTable.database,
  name: projectsTable.name,
  timeZone: projectsTable.timeZone,
  isTest: projectsTable.isTest,
  movingAt: projectsTable.movingAt,
};

export async function ensureUser(db: Db, email: string, name: string, now: number): Promise<UserId> {
  await db.insert(usersTable).values({ email, name, createdAt: now }).onConflictDoNothing();
  const [user] = await db.select({ id: usersTable.id }).from(usersTable).where(eq(usersTable.email, email));
  if (!user) throw new Error(`The user ${email} disappeared while it was created.`);
  return user.id;
}

export interface NewProject {
  readonly userId: UserId;
  readonly database: number;
  readonly name: string;
  readonly timeZone: string;
  readonly isTest: boolean;
}

/** The user's project of this name: created as requested if it does not exist, otherwise unchanged. */
export async function ensureProject(db: Db, project: NewProject, now: number): Promise<Project> {
  const { userId, name } = project;
  await db
    .insert(projectsTable)
    .values({ ...project, ...copyDueOf(project), createdAt: now })
    .onConflictDoNothing();
  const [found] = await db
    .select({ ...projectColumns, deletingAt: projectsTable.deletingAt })
    .from(projectsTable)
    .where(and(eq(projectsTable.userId, userId), eq(projectsTable.name, name)));
  if (!found) throw new Error(`The project ${name} disappeared while it was created.`);
  const { deletingAt, ...known } = found;
  if (known.movingAt !== null) throw projectMoving();
  if (deletingAt !== null) {
    throw new AppError("not_changeable", `The project "${name}" is being deleted. Use another name.`);
  }
  return known;
}

/** Whether a project, given by a value or a column, is a test project. */
export const isTestProject = (id: SQLWrapper): SQL<boolean> =>
  sql`(SELECT is_test FROM projects WHERE projects.id = ${id})`.mapWith(projectsTable.isTest);

/** The kind of a project and where it is served, given by a subquery of its id, for a batch. */
export function selectProjectKind(db: Db, id: SQL) {
  const { isTest, database, movingAt } = projectColumns;
  return db.select({ isTest, database, movingAt }).from(projectsTable).where(sql`${projectsTable.id} = ${id}`);
}

/** The projects of a subquery of ids, by name. */
export function selectProjects(db: Db, ids: SQL) {
  return db
    .select(projectColumns)
    .from(projectsTable)
    .where(and(sql`${projectsTable.id} IN ${ids}`, isOpen))
    .orderBy(asc(projectsTable.name), asc(projectsTable.id));
}

/** Fails with a unique violation if the user has a project of this name. */
export function insertProject(db: Db, project: NewProject, now: number) {
  return db
    .insert(projectsTable)
    .values({ ...project, ...copyDueOf(project), createdAt: now })
    .returning(projectColumns);
}

/** The id of the user's project, for statements of the batch that creates it. */
export const projectIdOf = ({ userId, name }: Pick<NewProject, "userId" | "name">): SQL<ProjectId> =>
  sql`(SELECT id FROM projects WHERE user_id = ${userId} AND name = ${name})`;

/** Throws a unique violation if the user has another project of this name. */
export async function updateProject(
  db: Db,
  id: ProjectId,
  change: { readonly name: string; readonly timeZone: string },
): Promise<Project | null> {
  const [changed] = await db
    .update(projectsTable)
    .set({ ...change, ...copyIsDue })
    .where(eq(projectsTable.id, id))
    .returning(projectColumns);
  return changed ?? null;
}

/** A query of `id` and `is_test` of all projects, for joins. */
export const projectKinds = sql`SELECT id, is_test FROM projects`;

/** The condition that a project has channels; passed in, because channels stand above accounts. */
export type HasChannels = (projectId: SQLWrapper) => SQL;

/** A project that is not being deleted, for the operator. */
export async function findOpenProject(db: Db, id: ProjectId): Promise<Project | null> {
  const [project] = await selectProject(db, id);
  return project ?? null;
}

/** A project by its id, for jobs: no caller can reach this. */
export async function findProject(db: Db, id: ProjectId): Promise<Project | null> {
  const [project] = await db.select(projectColumns).from(projectsTable).where(eq(projectsTable.id, id));
  return project ?? null;
}

/** A project that is not being deleted, for requests. */
export function selectProject(db: Db, id: ProjectId) {
  return db
    .select(projectColumns)
    .from(projectsTable)
    .where(and(eq(projectsTable.id, id), isOpen));
}

/** Requests do not find a project that is being deleted. */
export const isOpen = isNull(projectsTable.deletingAt);

/** A condition: the project exists, and is not being deleted. */
export const isOpenProject = (id: ProjectId | SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM projects WHERE projects.id = ${id} AND projects.deleting_at IS NULL)`;

/** Hides the project from every request; the first time stays. */
export function markDeleting(db: Db, id: ProjectId, now: number) {
  return db
    .update(projectsTable)
    .set({ deletingAt: now, ...copyIsDue })
    .where(and(eq(projectsTable.id, id), isOpen));
}

export interface NewToken {
  readonly projectId: ProjectId;
  readonly name: string;
  readonly hash: string;
  readonly hint: string;
  readonly checksumKey: string;
  readonly permissions: readonly Permission[];
  readonly expiresAt: number | null;
  readonly createdAt: number;
  readonly createdBy: string | null;
  readonly via: TokenVia;
  readonly moneyNeedsPerson: boolean;
}

/**
 * Statements that store a token, for a batch: it fails if the project has `most` valid tokens, is being
 * deleted or moved, or is gone.
 */
export function insertToken(db: Db, token: NewToken, most: number) {
  const { projectId, createdAt: now } = token;
  const isOpenNow = sql`EXISTS (SELECT 1 FROM projects WHERE id = ${projectId} AND coalesce(deleting_at, moving_at) IS NULL)`;
  const hasRoom = sql`(${isOpenNow} AND (SELECT count(*) FROM tokens WHERE project_id = ${projectId} AND ${isValidAt(now)}) < ${most})`;
  return {
    hasRoom: requireStill(db, hasRoom),
    made: db.insert(tokensTable).values(token).returning({ id: tokensTable.id }),
  };
}

/** The condition that a token is valid. */
export function isValidAt(now: number): SQL {
  return sql`(${tokensTable.revokedAt} IS NULL AND coalesce(${tokensTable.expiresAt}, ${now} + 1) > ${now})`;
}

/** Null if there is no such token, or none in this project if one is named. */
export async function findTokenHash(db: Db, id: TokenId, projectId: ProjectId | null): Promise<string | null> {
  const [row] = await db
    .select({ hash: tokensTable.hash })
    .from(tokensTable)
    .where(and(eq(tokensTable.id, id), projectId === null ? undefined : eq(tokensTable.projectId, projectId)));
  return row?.hash ?? null;
}

/** The project of a token, also of a revoked one. */
export async function findProjectOfToken(db: Db, id: TokenId): Promise<Project | null> {
  const [project] = await db
    .select(projectColumns)
    .from(projectsTable)
    .innerJoin(tokensTable, eq(tokensTable.projectId, projectsTable.id))
    .where(eq(tokensTable.id, id));
  return project ?? null;
}

/** A project's tokens: valid ones first, then the newest. */
export function selectTokens(db: Db, projectId: ProjectId, now: number, limit: number) {
  return db
    .select({
      id: tokensTable.id,
      hash: tokensTable.hash,
      name: tokensTable.name,
      hint: tokensTable.hint,
      permissions: tokensTable.permissions,
      createdAt: tokensTable.createdAt,
      createdBy: tokensTable.createdBy,
      moneyNeedsPerson: tokensTable.moneyNeedsPerson,
      lastUsedAt: tokensTable.lastUsedAt,
      expiresAt: tokensTable.expiresAt,
      revokedAt: tokensTable.revokedAt,
    })
    .from(tokensTable)
    .where(eq(tokensTable.projectId, projectId))
    .orderBy(desc(isValidAt(now)), desc(tokensTable.id))
    .limit(limit);
}

/** Whether a project has a valid token, for a batch: one row. */
export function selectHasToken(db: Db, projectId: ProjectId, now: number) {
  const valid = sql`SELECT 1 FROM tokens WHERE project_id = ${projectId} AND ${isValidAt(now)}`;
  return db.select({ hasToken: sql<number>`EXISTS (${valid})`.as("has_token") }).from(sql`(SELECT 1)`);
}

/** Notes the last use of a token; an earlier time changes nothing. */
export async function noteTokenUse(db: Db, hash: string, now: number): Promise<void> {
  await db
    .update(tokensTable)
    .set({ lastUsedAt: now })
    .where(and(eq(tokensTable.hash, hash), sql`coalesce(${tokensTable.lastUsedAt}, 0) < ${now}`));
}

/**
 * A condition: valid tokens exist whose checksum was made with a key that is not listed, so that they are
 * refused.
 */
export function hasTokensOfOtherKeys(keyIds: readonly string[], now: number): SQL {
  // Sorted, so that the index answers by the gaps between the keys; it holds tokens that are not revoked.
  const known = ["", ...keyIds].sort();
  const gaps = known.map((id, index) => {
    const next = known[index + 1];
    const above = and(gt(tokensTable.checksumKey, id), isNull(tokensTable.revokedAt));
    return next === undefined ? above : and(above, lt(tokensTable.checksumKey, next));
  });
  return sql`EXISTS (SELECT 1 FROM ${tokensTable} WHERE ${and(or(...gaps), isValidAt(now))})`;
}

/** Marks a token as revoked; a repeated call keeps the first time. */
export async function markRevoked(db: Db, hash: string, now: number): Promise<void> {
  await db
    .update(tokensTable)
    .set({ revokedAt: now })
    .where(and(eq(tokensTable.hash, hash), isNull(tokensTable.revokedAt)));
}

/** Tokens that were revoked or expired before `before`. */
export async function listTokensOver(db: Db, before: number, limit: number) {
  return db.select({ id: tokensTable.id, hash: tokensTable.hash }).from(tokensTable).where(isOver(before)).limit(limit);
}

export const hasTokensOver = (before: number): SQL =>
  sql`EXISTS (SELECT 1 FROM ${tokensTable} WHERE ${isOver(before)})`;

const isOver = (before: number) => or(lt(tokensTable.revokedAt, before), lt(tokensTable.expiresAt, before));

export async function deleteTokens(db: Db, ids: readonly TokenId[]): Promise<void> {
  await db.delete(tokensTable).where(isAmong(tokensTable.id, ids));
}

export async function listTokens(db: Db) {
  return db
    .select({
      id: tokensTable.id,
      project: projectsTable.name,
      name: sql<string>`${tokensTable.name}`.as("token_name"),
      hint: tokensTable.hint,
      permissions: tokensTable.permissions,
      createdAt: tokensTable.createdAt,
      expiresAt: tokensTable.expiresAt,
      revokedAt: tokensTable.revokedAt,
    })
    .from(tokensTable)
    .innerJoin(projectsTable, eq(projectsTable.id, tokensTable.projectId))
    .orderBy(desc(tokensTable.id))
    .limit(200);
}
