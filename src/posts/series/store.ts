import { and, desc, eq, ne, type SQL, sql } from "drizzle-orm";
import type { PostId, ProjectId, SeriesId } from "../../core/ids.ts";
import { isoUtc } from "../../core/time.ts";
import { type Db, readTogether, requireStill, type Statement } from "../../db/client.ts";
import { type WalkOf, walkIds } from "../../db/id-list.ts";
import { newestIdOf } from "../../db/newest-id.ts";
import { newestPostId } from "../store.ts";
import { postsTable } from "../table.ts";
import { seriesEvents } from "./events.ts";
import { type PauseReason, type SeriesState, seriesTable } from "./table.ts";

export type Series = typeof seriesTable.$inferSelect;
export type NewSeries = typeof seriesTable.$inferInsert;

export const newestSeriesId = newestIdOf<SeriesId>("series");

export function insertSeries(db: Db, series: NewSeries) {
  return db.insert(seriesTable).values(series).returning();
}

export async function findSeries(db: Db, projectId: ProjectId, id: SeriesId): Promise<Series | null> {
  const [found] = await db.select().from(seriesTable).where(isOwn(projectId, id));
  return found ?? null;
}

const isOwn = (projectId: ProjectId, id: SeriesId) => and(eq(seriesTable.id, id), eq(seriesTable.projectId, projectId));

export function listSeries(db: Db, projectId: ProjectId, limit: number): Promise<Series[]> {
  return db
    .select()
    .from(seriesTable)
    .where(eq(seriesTable.projectId, projectId))
    .orderBy(desc(seriesTable.id))
    .limit(limit);
}

/** The same for a page, with the id to continue after. */
export function walkSeries(
  db: Db,
  projectId: ProjectId,
  { after, limit }: { readonly after: SeriesId | null; readonly limit: number },
): Promise<WalkOf<Series>> {
  const own = eq(seriesTable.projectId, projectId);
  return walkIds(
    { after, limit },
    { id: seriesTable.id, direction: "desc" },
    {
      rows: ({ where, orderBy, limit: most }) =>
        db.select().from(seriesTable).where(and(own, where)).orderBy(orderBy).limit(most),
    },
  );
}

/** Those that a failure has paused, for a batch: a project has at most 200. */
export function selectPausedSeries(db: Db, projectId: ProjectId, limit: number) {
  const { id, name, pauseCode, pauseReason, lastPostId, updatedAt, state } = seriesTable;
  return db
    .select({ id, name, pauseCode, pauseReason, lastPostId, updatedAt })
    .from(seriesTable)
    .where(and(eq(seriesTable.projectId, projectId), eq(state, "paused"), ne(pauseCode, "requested")))
    .orderBy(desc(id))
    .limit(limit);
}

export function countSeries(db: Db, projectId: ProjectId) {
  return db.select({ count: sql<number>`count(*)` }).from(seriesTable).where(eq(seriesTable.projectId, projectId));
}

/** The series of a task, and its last post if that failed and was not handled: one D1 call. */
export async function findSeriesOfTask(db: Db, id: SeriesId) {
  const last = sql`(SELECT last_post_id FROM series WHERE series.id = ${id})`;
  const { series, failed } = await readTogether(db, {
    series: db.select().from(seriesTable).where(eq(seriesTable.id, id)),
    failed: db
      .select({ id: postsTable.id })
      .from(postsTable)
      .where(sql`${postsTable.id} = ${last} AND ${postsTable.state} = 'failed' AND ${postsTable.handledAt} IS NULL`),
  });
  const [found] = series;
  return found ? { found, failedPost: failed[0]?.id ?? null } : null;
}

export function selectNextAt(db: Db, id: SeriesId) {
  return db
    .select({ nextAt: seriesTable.nextAt, state: seriesTable.state })
    .from(seriesTable)
    .where(eq(seriesTable.id, id));
}

/** A condition: the occurrence has no post yet. */
const isNext = ({ nextAt }: Series): SQL => sql`(state = 'active' AND next_at = ${nextAt})`;

export interface Following {
  readonly at: number;
  readonly local: string;
}

/**
 * Moves on to the next occurrence, for the transaction that creates the post of this one: it fails if the
 * occurrence has one, or the series was paused or deleted.
 */
export function endOccurrence(db: Db, series: Series, following: Following | null, now: number): readonly Statement[] {
  const made = series.made + 1;
  const still = requireStill(db, isThere(series.id, isNext(series)));
  const set = { ...next(following), made, lastPostId: newestPostId, ...changedAt(now) };
  const moved = db.update(seriesTable).set(set).where(eq(seriesTable.id, series.id));
  return [still, ...(following ? [] : [endedEvent(db, { ...series, made }, now)]), moved];
}

/** Occurrences whose time is over. */
export interface Passed {
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The occurrence after them. */
  readonly following: Following | null;
}

/** Passes over occurrences whose time is over, with one event. */
export function skipOccurrences(db: Db, series: Series, passed: Passed, now: number): readonly Statement[] {
  const { projectId, id: subjectId, name, waitReason } = series;
  const { count, firstAt, lastAt, following } = passed;
  const dates = count === 1 ? "A date was passed over." : `${count} dates were passed over.`;
  const message = waitReason === null ? `${dates} Their time was over.` : `${dates} ${waitReason}`;
  const detail = { name, skipped: count, first_at: isoUtc(firstAt), last_at: isoUtc(lastAt) };
  const event = { type: "series.skipped", message, detail, projectId, subjectId, at: now } as const;
  const moved = db
    .update(seriesTable)
    .set({ ...next(following), skipped: series.skipped + count, ...changedAt(now) })
    .where(and(eq(seriesTable.id, series.id), isNext(series)));
  return [
    seriesEvents.insert(db, event, isThere(subjectId, isNext(series))),
    ...(following ? [] : [endedEvent(db, series, now)]),
    moved,
  ];
}

/** Notes why the next occurrence waits. */
export function noteWait(db: Db, series: Series, waitReason: string, now: number): readonly Statement[] {
  const where = and(eq(seriesTable.id, series.id), isNext(series));
  return [db.update(seriesTable).set({ waitReason, updatedAt: now }).where(where)];
}

const changedAt = (now: number) => ({ waitReason: null, revision: sql`revision + 1`, updatedAt: now });

/** Before the update that ends the series. */
function endedEvent(db: Db, series: Series, now: number): Statement {
  const { projectId, id: subjectId, name, made } = series;
  const message = "The series has ended: its rule has no further date.";
  const event = { type: "series.ended", message, detail: { name, made }, projectId, subjectId, at: now } as const;
  return seriesEvents.insert(db, event, isThere(subjectId, isNext(series)));
}

const isThere = (id: SeriesId, condition: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM series WHERE id = ${id} AND ${condition})`;

function next(following: Following | null) {
  return following === null
    ? { nextAt: null, nextLocal: null, state: "ended" as const }
    : { nextAt: following.at, nextLocal: following.local };
}

export interface Pause {
  readonly reason: PauseReason;
  /** For a person. */
  readonly sentence: string;
  /** The failed post. */
  readonly postId?: PostId;
  readonly now: number;
}

/** Pauses an active series, and reports it. */
export function pauseSeries(db: Db, series: Series, { reason, sentence, postId, now }: Pause): readonly Statement[] {
  const { projectId, id: subjectId, name } = series;
  const detail = { name, reason, post_id: postId ?? null };
  const event = { type: "series.paused", message: sentence, detail, projectId, subjectId, at: now } as const;
  return [
    seriesEvents.insert(db, event, isThere(subjectId, sql`state = 'active'`)),
    db
      .update(seriesTable)
      .set({ state: "paused", pauseCode: reason, pauseReason: sentence, ...changedAt(now) })
      .where(and(eq(seriesTable.id, subjectId), eq(seriesTable.state, "active"))),
  ];
}

/**
 * Continues a paused series with its next occurrence, in a batch that fails if the series was changed since
 * it was read: the occurrence may have its post by then.
 */
export function resumeSeries(db: Db, series: Series, following: Following | null, now: number): readonly Statement[] {
  const { projectId, id: subjectId, name, revision } = series;
  const isAsRead = sql`(state = 'paused' AND revision = ${revision})`;
  const state: SeriesState = "active";
  const event = { type: "series.resumed", message: "The series continues.", detail: { name } } as const;
  return [
    requireStill(db, isThere(subjectId, isAsRead)),
    seriesEvents.insert(db, { ...event, projectId, subjectId, at: now }),
    db
      .update(seriesTable)
      .set({ state, pauseCode: null, pauseReason: null, lastPostId: null, ...next(following), ...changedAt(now) })
      .where(and(eq(seriesTable.id, subjectId), isAsRead)),
  ];
}

const MOST_EVENTS = 500;

/** A series with its timeline, oldest first: one D1 call. */
export async function readSeriesTimeline(db: Db, projectId: ProjectId, id: SeriesId) {
  const { series, events } = await readTogether(db, {
    series: db.select({ id: seriesTable.id }).from(seriesTable).where(isOwn(projectId, id)),
    events: seriesEvents.select(db, id, MOST_EVENTS),
  });
  return series[0] ? seriesEvents.read(events) : null;
}

export function deleteSeries(db: Db, projectId: ProjectId, id: SeriesId) {
  return db.delete(seriesTable).where(isOwn(projectId, id)).returning({ id: seriesTable.id });
}
