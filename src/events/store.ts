import { and, asc, eq, lt, type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import { template } from "../db/template.ts";
import { type EventSubject, eventsTable } from "./table.ts";

export interface NewEvent {
  readonly projectId: ProjectId;
  readonly subject: EventSubject;
  readonly subjectId: number | SQL<number>;
  readonly type: string;
  /** One sentence for a person. */
  readonly message: string;
  readonly detail?: Readonly<Record<string, string | number | null>> | null;
  readonly at: number;
}

/** Goes into the batch of the change it tells of; `when` makes it conditional on the same thing as the change. */
export function insertEvent(db: Db, event: NewEvent, when: SQL = sql`1`): Statement {
  const { at, detail = null, ...rest } = event;
  return insertWhere(db, eventsTable, { ...rest, detail, createdAt: at }, when);
}

/**
 * The same with its text made once, for what every request tells: of a subject whose id an expression gives, and under a
 * condition, which are always the same.
 */
export function eventInsertion(subjectId: SQL<number>, when: SQL = sql`1`) {
  const insert = template<Omit<NewEvent, "subjectId">>()((db, place) => {
    const [projectId, subject, type, message] = [place("projectId"), place("subject"), place("type"), place("message")];
    const event = { projectId, subject, subjectId, type, message, detail: place("detail"), createdAt: place("at") };
    return insertWhere(db, eventsTable, event, when);
  });
  return (db: Db, event: Omit<NewEvent, "subjectId">) => insert(db, { detail: null, ...event });
}

/** The timeline of one thing, oldest first; its project was checked with the thing. */
export async function listEvents(db: Db, subject: EventSubject, subjectId: number, limit: number) {
  return db
    .select()
    .from(eventsTable)
    .where(and(eq(eventsTable.subject, subject), eq(eventsTable.subjectId, subjectId)))
    .orderBy(asc(eventsTable.id))
    .limit(limit);
}

/** Forgets events before `before`, at most `limit` at a time: their ids grow with time, so no other index is needed. */
export async function forgetOldEvents(db: Db, before: number, limit: number): Promise<void> {
  const [oldest] = await db
    .select({ at: eventsTable.createdAt })
    .from(eventsTable)
    .orderBy(asc(eventsTable.id))
    .limit(1);
  if (!oldest || oldest.at >= before) return;
  const first = sql`(SELECT id FROM events ORDER BY id LIMIT ${limit})`;
  await db.delete(eventsTable).where(and(sql`${eventsTable.id} IN ${first}`, lt(eventsTable.createdAt, before)));
}

/** Forgets the timelines of these things; goes into the batch that forgets the things themselves. */
export function forgetEventsOf(db: Db, subject: EventSubject, ids: readonly number[]): Statement {
  const listed = sql`${eventsTable.subjectId} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  return db.delete(eventsTable).where(and(eq(eventsTable.subject, subject), listed));
}
