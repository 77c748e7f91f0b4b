import { and, asc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { eventsTable } from "./table.ts";

/** SQL of events for webhooks (outbox.ts): those that wait, and those that a replay or a delivery reads. */

export type StoredEvent = typeof eventsTable.$inferSelect;

const isPending = (projectId: ProjectId | null) =>
  and(sql`${eventsTable.outbox} = 'pending'`, projectId === null ? undefined : eq(eventsTable.projectId, projectId));

/** Whether events of a project, or of any (null), wait for their webhooks. */
export const hasPending = (projectId: ProjectId | null): SQL =>
  sql`EXISTS (SELECT 1 FROM events WHERE ${isPending(projectId)})`;

/** The first pending events, of one project or of all. */
export function selectPending(db: Db, projectId: ProjectId | null, limit: number) {
  return db
    .select()
    .from(eventsTable)
    .where(isPending(projectId))
    .orderBy(asc(eventsTable.projectId), asc(eventsTable.id))
    .limit(limit);
}

/** The projects of the first pending events: a subquery. */
export function pendingProjects(db: Db, projectId: ProjectId | null, limit: number) {
  return db
    .select({ projectId: eventsTable.projectId })
    .from(eventsTable)
    .where(isPending(projectId))
    .orderBy(asc(eventsTable.projectId), asc(eventsTable.id))
    .limit(limit);
}

/** Marks these events as dispatched: one statement per project. */
export function markDispatched(db: Db, events: readonly StoredEvent[]): Statement[] {
  return [...Map.groupBy(events, ({ projectId }) => projectId)].map(([projectId, own]) => {
    const ids = own.map(({ id }) => id);
    const isOwn = and(isPending(projectId), isAmong(eventsTable.id, ids));
    return db.update(eventsTable).set({ outbox: "dispatched" }).where(isOwn);
  });
}

/** Events of a project by their ids (a condition on the id); only events that are public are found. */
export function selectPublicEvents(db: Db, projectId: ProjectId | SQL, isNamed: (id: typeof eventsTable.id) => SQL) {
  return db
    .select()
    .from(eventsTable)
    .where(
      sql`${eventsTable.projectId} = ${projectId} AND ${eventsTable.outbox} IS NOT NULL AND ${isNamed(eventsTable.id)}`,
    );
}

/** A time window in epoch milliseconds; the end is exclusive. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** Dispatched events of the window, in order, after the event `after` and (if not null) before `before`. */
export async function listDispatched(
  db: Db,
  projectId: ProjectId,
  { from, to, after, before }: Window & { readonly after: number; readonly before: number | null },
  limit: number,
): Promise<StoredEvent[]> {
  return db
    .select()
    .from(eventsTable)
    .where(
      and(
        eq(eventsTable.projectId, projectId),
        sql`${eventsTable.outbox} IS NOT NULL`,
        eq(eventsTable.outbox, "dispatched"),
        sql`${eventsTable.id} > ${after}`,
        before === null ? undefined : lt(eventsTable.id, before),
        gte(eventsTable.createdAt, from),
        lt(eventsTable.createdAt, to),
      ),
    )
    .orderBy(asc(eventsTable.id))
    .limit(limit);
}
