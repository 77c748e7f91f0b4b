import { and, desc, eq, ne, type SQL, sql } from "drizzle-orm";
import { type ImportId, idOf, type PostId, type ProjectId } from "../../core/ids.ts";
import {
  type Db,
  isChangedSince,
  readTogether,
  requireStill,
  runBatch,
  type Statement,
  writeTogether,
} from "../../db/client.ts";
import { insertWhere } from "../../db/insert-where.ts";
import { newestPostId } from "../store.ts";
import { importPartsTable, importsTable, type RowProblem, type StoredRow } from "./table.ts";

export type Import = typeof importsTable.$inferSelect;

/** More problems are only counted. */
const MAX_PROBLEMS = 200;

/** Files of a project that are kept, the imported ones too. */
const MAX_KEPT = 500;

/** Null if so many are open, which are not imported yet, or kept at all. */
export async function insertImport(
  db: Db,
  projectId: ProjectId,
  mostOpen: number,
  now: number,
): Promise<ImportId | null> {
  const row = { projectId, state: "checking", createdAt: now, updatedAt: now, id: sql`NULL` } as const;
  const own = sql`SELECT count(*) FROM imports WHERE project_id = ${projectId}`;
  const hasRoom = sql`(${own} AND state <> 'done') < ${mostOpen} AND (${own}) < ${MAX_KEPT}`;
  const [made] = await insertWhere(db, importsTable, row, hasRoom).returning({ id: importsTable.id });
  return made?.id ?? null;
}

export interface CheckedPart {
  readonly rows: readonly StoredRow[];
  readonly refused: number;
  readonly problems: readonly RowProblem[];
}

/** Stores a part of a file that is being checked, while it exists and this holds at the end. False: not. */
export async function storePart(
  db: Db,
  { id, projectId }: Pick<Import, "id" | "projectId">,
  { number, ...part }: CheckedPart & { readonly number: number },
  hasRoom: SQL,
): Promise<boolean> {
  const bytes = new TextEncoder().encode(JSON.stringify(part.rows)).byteLength;
  const statements = [
    db.insert(importPartsTable).values({ importId: id, part: number, projectId, rows: part.rows }),
    db
      .update(importsTable)
      .set({
        rows: sql`${importsTable.rows} + ${part.rows.length}`,
        refused: sql`${importsTable.refused} + ${part.refused}`,
        parts: number + 1,
        bytes: sql`${importsTable.bytes} + ${bytes}`,
        problems: withProblems(part.problems),
      })
      .where(eq(importsTable.id, id)),
    requireStill(db, sql`${hasRoom} AND EXISTS (SELECT 1 FROM imports WHERE id = ${id})`),
  ];
  try {
    await runBatch(db, statements);
    return true;
  } catch (error) {
    if (isChangedSince(error)) return false;
    throw error;
  }
}

/** The stored problems and these, up to the limit. */
function withProblems(problems: readonly RowProblem[]): SQL {
  const stored = sql`SELECT value, 0 AS later, key FROM json_each(${importsTable.problems})`;
  const added = sql`SELECT value, 1 AS later, key FROM json_each(${JSON.stringify(problems)})`;
  return sql`(SELECT json_group_array(json(value)) FROM (SELECT * FROM (${stored} UNION ALL ${added})
    ORDER BY later, key LIMIT ${MAX_PROBLEMS}))`;
}

export async function endCheck(
  db: Db,
  id: ImportId,
  read: Pick<Import, "contentHash" | "encoding">,
  now: number,
): Promise<void> {
  await db
    .update(importsTable)
    .set({ ...read, state: "checked", updatedAt: now })
    .where(eq(importsTable.id, id));
}

export async function findImport(db: Db, projectId: ProjectId, id: ImportId): Promise<Import | null> {
  const [found] = await db
    .select()
    .from(importsTable)
    .where(and(eq(importsTable.id, id), eq(importsTable.projectId, projectId)));
  return found ?? null;
}

/** Of a checked file: the newest import of the same rows that has started, whose posts it would repeat. */
export async function findTwin(db: Db, { id, projectId, contentHash, state }: Import): Promise<Import | null> {
  if (state !== "checked") return null;
  const [found] = await db
    .select()
    .from(importsTable)
    .where(
      sql`project_id = ${projectId} AND content_hash = ${contentHash} AND id <> ${id} AND state IN ('importing', 'done')`,
    )
    .orderBy(desc(importsTable.id))
    .limit(1);
  return found ?? null;
}

/** The newest imports of the project. */
export function listImports(db: Db, projectId: ProjectId, limit: number): Promise<Import[]> {
  const own = eq(importsTable.projectId, projectId);
  return db.select().from(importsTable).where(own).orderBy(desc(importsTable.id)).limit(limit);
}

/** The first posts that an import created. */
export function firstPostsOf({ postIds }: Pick<Import, "postIds">, limit: number): readonly PostId[] {
  const ids: PostId[] = [];
  for (const [first, last] of postIds) {
    for (let id: number = first; id <= last && ids.length < limit; id++) ids.push(idOf<PostId>(id));
  }
  return ids;
}

/** For the batch that starts its task. Changes nothing if a twin has started, unless `again` is set. */
export function beginImport(db: Db, id: ImportId, again: boolean, now: number) {
  const twin = sql`SELECT 1 FROM imports AS twin WHERE twin.project_id = imports.project_id
    AND twin.content_hash = imports.content_hash AND twin.id <> imports.id AND twin.state IN ('importing', 'done')`;
  const mayBegin = again ? sql`1` : sql`NOT EXISTS (${twin})`;
  return db
    .update(importsTable)
    .set({ state: "importing", problems: [], updatedAt: now })
    .where(and(eq(importsTable.id, id), eq(importsTable.state, "checked"), mayBegin))
    .returning({ id: importsTable.id });
}

/** The import of a task with the rows of its next part: one D1 call. */
export async function findNextPart(db: Db, id: ImportId) {
  const { imports, parts } = await readTogether(db, {
    imports: db.select().from(importsTable).where(eq(importsTable.id, id)),
    parts: db
      .select({ rows: importPartsTable.rows })
      .from(importPartsTable)
      .where(
        sql`${importPartsTable.importId} = ${id}
          AND ${importPartsTable.part} = (SELECT next_part FROM imports WHERE imports.id = ${id})`,
      ),
  });
  const [found] = imports;
  return found ? { found, rows: parts[0]?.rows ?? [] } : null;
}

export function selectNextPart(db: Db, id: ImportId) {
  return db.select({ nextPart: importsTable.nextPart }).from(importsTable).where(eq(importsTable.id, id));
}

export interface PartOutcome {
  readonly created: number;
  readonly failed: number;
  readonly problems: readonly RowProblem[];
  readonly failedRows: readonly number[];
  /** Rows that are refused for now: they become a part of their own, after the others. */
  readonly left: readonly StoredRow[];
}

/**
 * Ends a part, for the transaction that creates its posts: it fails if the part was ended before. Rows that
 * are left follow the last part.
 */
export function endPart(db: Db, found: Import, outcome: PartOutcome, now: number): readonly Statement[] {
  const { id, nextPart, parts, projectId } = found;
  const { left } = outcome;
  const isLast = nextPart + 1 >= parts && left.length === 0;
  const isNext = sql`id = ${id} AND state = 'importing' AND next_part = ${nextPart}`;
  const ended = db
    .update(importsTable)
    .set({
      nextPart: nextPart + 1,
      created: sql`${importsTable.created} + ${outcome.created}`,
      failed: sql`${importsTable.failed} + ${outcome.failed}`,
      failedRows: withRows(outcome.failedRows),
      parts: left.length > 0 ? parts + 1 : parts,
      wait: null,
      ...(outcome.created === 0 ? {} : { postIds: withPosts(outcome.created) }),
      problems: withProblems(outcome.problems),
      state: isLast ? "done" : "importing",
      updatedAt: now,
    })
    .where(eq(importsTable.id, id));
  const still = requireStill(db, sql`EXISTS (SELECT 1 FROM imports WHERE ${isNext})`);
  if (left.length === 0) return [still, ended];
  const part = { importId: id, projectId };
  return [still, ended, db.insert(importPartsTable).values({ ...part, part: parts, rows: left }), dropPart(db, found)];
}

/** A part whose rows are all done, or in another part. */
const dropPart = (db: Db, { id, nextPart }: Import): Statement =>
  db.delete(importPartsTable).where(and(eq(importPartsTable.importId, id), eq(importPartsTable.part, nextPart)));

const withRows = (rows: readonly number[]): SQL =>
  sql`(SELECT json_group_array(value) FROM (SELECT value FROM json_each(${importsTable.failedRows})
    UNION ALL SELECT value FROM json_each(${JSON.stringify(rows)})))`;

/** Notes why the next part waits. */
export async function noteWait(db: Db, { id, nextPart }: Import, wait: NonNullable<Import["wait"]>, now: number) {
  await db
    .update(importsTable)
    .set({ wait, updatedAt: now })
    .where(and(eq(importsTable.id, id), eq(importsTable.nextPart, nextPart), eq(importsTable.state, "importing")));
}

/** The stored ids and those of the posts that this transaction has created, which follow each other. */
const withPosts = (created: number): SQL =>
  sql`json_insert(${importsTable.postIds}, '$[#]', json_array(${newestPostId} - ${created - 1}, ${newestPostId}))`;

/** Deletes an import and its parts, unless it is running; false then. */
export async function forgetImport(db: Db, id: ImportId): Promise<boolean> {
  const isIdle = sql`NOT EXISTS (SELECT 1 FROM imports WHERE id = ${id} AND state = 'importing')`;
  const { gone } = await writeTogether(db, {
    parts: db.delete(importPartsTable).where(and(eq(importPartsTable.importId, id), isIdle)),
    gone: db
      .delete(importsTable)
      .where(and(eq(importsTable.id, id), ne(importsTable.state, "importing")))
      .returning({ id: importsTable.id }),
  });
  return gone.length > 0;
}

/** The rows of a file whose posts exist are not needed any more. */
export function forgetParts(db: Db, id: ImportId): Promise<void> {
  return runBatch(db, [
    db.delete(importPartsTable).where(eq(importPartsTable.importId, id)),
    db.update(importsTable).set({ bytes: 0 }).where(eq(importsTable.id, id)),
  ]);
}
