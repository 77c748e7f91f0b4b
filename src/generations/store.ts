import { and, asc, eq, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import { isTestProject } from "../accounts/store.ts";
import type { GenerationId, ProjectId } from "../core/ids.ts";
import { DAY } from "../core/time.ts";
import { type Db, readTogether, runBatch, type Statement } from "../db/client.ts";
import { type WalkOf, walkIds } from "../db/id-list.ts";
import { isAmong } from "../db/in-list.ts";
import { newestIdOf } from "../db/newest-id.ts";
import { selectMessagesAbout } from "../deliveries/store.ts";
import { forgetEventsOf } from "../events/store.ts";
import { releaseGenerated } from "../files/generated.ts";
import { generationEvents } from "./events.ts";
import { type Generation, generationDaysTable, generationsTable } from "./table.ts";

/** All SQL of generations. The files that they make are in files/generated.ts. */

/** The id of the last insert of the same transaction. */
export const newestGenerationId = newestIdOf<GenerationId>("generations");

type NewGeneration = Pick<Generation, "uuid" | "projectId" | "type" | "input" | "platforms" | "webHook" | "origin">;

export function insertGeneration(db: Db, generation: NewGeneration, now: number) {
  return db
    .insert(generationsTable)
    .values({ ...generation, state: "queued", files: [], createdAt: now })
    .returning();
}

/** Counts a generation that the same transaction begins: one row a project, for its latest day. */
export function countBegun(db: Db, projectId: ProjectId, now: number): Statement {
  const day = Math.floor(now / DAY);
  const begun = sql`CASE WHEN day = ${day} THEN begun + 1 ELSE 1 END`;
  return db
    .insert(generationDaysTable)
    .values({ projectId, day, begun: 1 })
    .onConflictDoUpdate({ target: generationDaysTable.projectId, set: { begun, day } });
}

/**
 * True at the end of a transaction that starts a generation, while the day's generations are within the
 * limit.
 */
export function isWithinDay(projectId: ProjectId, limit: number, now: number): SQL {
  const today = sql`project_id = ${projectId} AND day = ${Math.floor(now / DAY)}`;
  return sql`coalesce((SELECT begun FROM generation_days WHERE ${today}), 0) <= ${limit}`;
}

/** The number of generations that the project has started today. */
export async function readBegunToday(db: Db, projectId: ProjectId, now: number): Promise<number> {
  const [row] = await selectBegunToday(db, projectId, now);
  return row?.begun ?? 0;
}

/** The same for a batch; no row if there was none today. */
export function selectBegunToday(db: Db, projectId: ProjectId, now: number) {
  const today = and(eq(generationDaysTable.projectId, projectId), eq(generationDaysTable.day, Math.floor(now / DAY)));
  return db.select({ begun: generationDaysTable.begun }).from(generationDaysTable).where(today);
}

const isVisible = (projectId: ProjectId, uuid: string) =>
  and(eq(generationsTable.uuid, uuid), eq(generationsTable.projectId, projectId), isNull(generationsTable.deletedAt));

/** Null if the project has no such generation, or it was deleted. */
export async function findGeneration(db: Db, projectId: ProjectId, uuid: string): Promise<Generation | null> {
  const [row] = await db.select().from(generationsTable).where(isVisible(projectId, uuid));
  return row ?? null;
}

/** With its timeline, oldest first, and the message to its `web_hook` if there is one: one D1 call. */
export async function readLastShown(db: Db, projectId: ProjectId, uuid: string, limit: number) {
  const own = sql<GenerationId>`(SELECT id FROM generations WHERE ${isVisible(projectId, uuid)})`;
  const { generations, events, messages } = await readTogether(db, {
    generations: db.select().from(generationsTable).where(isVisible(projectId, uuid)),
    events: generationEvents.select(db, own, limit),
    messages: selectMessagesAbout(db, sql`${ABOUT} || ${own}`),
  });
  const [generation] = generations;
  return generation ? { generation, events: generationEvents.read(events), message: messages[0] ?? null } : null;
}

/**
 * For the composer: a generation with the message of its latest event, and how many the project has started
 * today. One D1 call.
 */
export async function readForComposer(db: Db, projectId: ProjectId, uuid: string | null, now: number) {
  const named = uuid ?? "";
  const own = sql<GenerationId>`(SELECT id FROM generations WHERE ${isVisible(projectId, named)})`;
  const { generations, events, begun } = await readTogether(db, {
    generations: db.select().from(generationsTable).where(isVisible(projectId, named)),
    events: generationEvents.select(db, own, MOST_EVENTS),
    begun: selectBegunToday(db, projectId, now),
  });
  const progress = generationEvents.read(events).at(-1)?.message ?? null;
  return { generation: generations[0] ?? null, progress, begun: begun[0]?.begun ?? 0 };
}

/** More than any generation has. */
const MOST_EVENTS = 100;

const ABOUT = "generation:";
/** The key of the messages about a generation. */
export const aboutGeneration = (id: GenerationId): string => `${ABOUT}${id}`;

/** Newest first, after skipping `skip` or from an id on. One D1 call. */
export function listGenerations(
  db: Db,
  projectId: ProjectId,
  { skip, ...wanted }: { readonly after: number | null; readonly skip: number; readonly limit: number },
): Promise<WalkOf<Generation>> {
  return walkIds(
    wanted,
    { id: generationsTable.id, direction: "desc" },
    {
      rows: ({ where, orderBy, limit }) =>
        db
          .select()
          .from(generationsTable)
          .where(and(eq(generationsTable.projectId, projectId), isNull(generationsTable.deletedAt), where))
          .orderBy(orderBy)
          .limit(limit)
          .offset(skip),
    },
  );
}

/** A generation as its job needs it, deleted ones included. */
export interface JobGeneration {
  readonly generation: Generation;
  readonly project: { readonly isTest: boolean };
}

export async function readForJob(db: Db, id: GenerationId): Promise<JobGeneration | null> {
  const [row] = await db
    .select({ generation: generationsTable, isTest: isTestProject(generationsTable.projectId) })
    .from(generationsTable)
    .where(eq(generationsTable.id, id));
  return row ? { generation: row.generation, project: { isTest: row.isTest } } : null;
}

/** A condition: the generation is not deleted. */
export function isThere(id: GenerationId): SQL {
  return sql`EXISTS (SELECT 1 FROM generations WHERE generations.id = ${id} AND generations.deleted_at IS NULL)`;
}

type End = Partial<Pick<Generation, "caption" | "files" | "error" | "errorCode">> & {
  readonly state: "done" | "failed";
};

/** Ends it, once. */
export function endGeneration(db: Db, id: GenerationId, end: End, condition: SQL): Statement {
  const isOpen = and(eq(generationsTable.id, id), eq(generationsTable.state, "queued"), condition);
  return db
    .update(generationsTable)
    .set({ ...end, endedAt: Date.now() })
    .where(isOpen);
}

/** Marks the generation as deleted. Returns no row if it was deleted before. */
export function markDeleted(db: Db, id: GenerationId, now: number) {
  return db
    .update(generationsTable)
    .set({ deletedAt: now })
    .where(and(eq(generationsTable.id, id), isNull(generationsTable.deletedAt)))
    .returning({ id: generationsTable.id });
}

/** Whether generations ended before `endedBefore`, or were deleted before `deletedBefore`. */
export const hasOldGenerations = (endedBefore: number, deletedBefore: number): SQL =>
  sql`EXISTS (SELECT 1 FROM generations WHERE ${hasExpired(endedBefore)})
    OR EXISTS (SELECT 1 FROM generations WHERE ${wasDeleted(deletedBefore)})`;

const hasExpired = (before: number) => sql`deleted_at IS NULL AND ended_at IS NOT NULL AND ended_at < ${before}`;
const wasDeleted = (before: number) =>
  and(isNotNull(generationsTable.deletedAt), lt(generationsTable.deletedAt, before));

/**
 * Deletes generations that ended before `before`, at most `limit` at a time: their media are deleted unless a
 * post uses them.
 */
export async function expireGenerations(db: Db, before: number, now: number, limit: number): Promise<void> {
  const rows = await db
    .select({ id: generationsTable.id })
    .from(generationsTable)
    .where(hasExpired(before))
    .orderBy(asc(generationsTable.endedAt))
    .limit(limit);
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await runBatch(db, [
    releaseGenerated(db, ids, now),
    db
      .update(generationsTable)
      .set({ deletedAt: now })
      .where(and(isAmong(generationsTable.id, ids), isNull(generationsTable.deletedAt))),
  ]);
}

/** Purges generations that were deleted before `before`, with their timelines, at most `limit` at a time. */
export async function forgetDeletedGenerations(db: Db, before: number, limit: number): Promise<void> {
  const rows = await db
    .select({ id: generationsTable.id })
    .from(generationsTable)
    .where(wasDeleted(before))
    .orderBy(asc(generationsTable.deletedAt))
    .limit(limit);
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await runBatch(db, [
    forgetEventsOf(db, "generation", ids),
    db.delete(generationsTable).where(isAmong(generationsTable.id, ids)),
  ]);
}
