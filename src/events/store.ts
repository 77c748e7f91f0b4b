import { and, asc, eq, lt, type Placeholder, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { ProjectId } from "../core/ids.ts";
import { DAY } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import { template } from "../db/template.ts";
import { newestEventId, outboxOf } from "./outbox.ts";
import { type EventSubject, eventsTable } from "./table.ts";

/** The description of a type of event, and the shape of its details. */
export interface EventType {
  readonly description: string;
  readonly detail: z.ZodObject;
}
export type EventTypes = Readonly<Record<string, EventType>>;

/** An event of one of these types, with exactly the details of its type. */
export type EventOf<Types extends EventTypes> = {
  readonly [Name in keyof Types & string]: {
    readonly type: Name;
    /** One sentence for a person. */
    readonly message: string;
    readonly detail: Readonly<z.output<Types[Name]["detail"]>>;
  };
}[keyof Types & string];

/** An event without its owners: what a reader of a timeline needs. */
export type StoredEvent = Pick<typeof eventsTable.$inferSelect, "id" | "type" | "message" | "detail" | "createdAt">;

export const EVENT_LIFE_MS = 180 * DAY;

interface About<Id> {
  readonly projectId: ProjectId;
  readonly subjectId: Id;
  readonly at: number;
}
type Written<Types extends EventTypes, Id> = EventOf<Types> & About<Id>;

/** One event for each of many subjects. */
type ManyOf<Types extends EventTypes> = About<SQL<number>> & {
  readonly type: keyof Types & string;
  readonly message: string;
  readonly detail: SQL;
};

/**
 * An event as it is read: its details have the shape of its type. They are null if they do not match, which
 * is possible for events of another version of the service.
 */
export interface EventRecord<Types extends EventTypes> {
  readonly id: number;
  readonly type: keyof Types & string;
  readonly message: string;
  readonly detail: Readonly<Record<string, unknown>> | null;
  readonly at: number;
}

/**
 * A JSON object that is merged into the details of every event of a subject, given its id; `{}` adds nothing.
 */
export type Labels = (subjectId: number | SQL<number>) => SQL;

/**
 * Writes and reads the events of a kind of subject. Nothing else does, so every event has one of the types.
 */
export function eventLog<const Types extends EventTypes>(subject: EventSubject, types: Types, labels?: Labels) {
  const labelled = (subjectId: number | SQL<number>, detail: SQL): SQL =>
    labels ? sql`json_patch(${detail}, ${labels(subjectId)})` : detail;
  return {
    types,

    /**
     * Goes into the batch of the change that it reports; `when` gives it the same condition as the change.
     */
    insert(db: Db, event: Written<Types, number | SQL<number>>, when: SQL = sql`1`): Statement {
      const { at, ...rest } = event;
      const detail = labelled(event.subjectId, sql`${JSON.stringify(event.detail)}`);
      const outbox = outboxOf(event.projectId);
      const id = nextEventId({ ...event, subject });
      return insertWhere(db, eventsTable, { id, ...rest, detail, subject, createdAt: at, outbox }, when);
    },

    /**
     * The same as `insert`, for an event of every request: its SQL text is built once, so the subject's id
     * and the condition are fixed expressions. The caller passes the labels as a part of the details.
     */
    insertion(subjectId: SQL<number>, when: SQL = sql`1`) {
      const insert = template<Omit<typeof eventsTable.$inferSelect, "id" | "subject" | "subjectId" | "outbox">>()(
        (db, place) => {
          const [projectId, type, message] = [place("projectId"), place("type"), place("message")];
          const at = place("createdAt");
          const rest = { detail: place("detail"), createdAt: at, outbox: outboxOf(projectId) };
          const id = nextEventId({ projectId, subject, subjectId, at });
          return insertWhere(db, eventsTable, { id, projectId, subject, subjectId, type, message, ...rest }, when);
        },
      );
      return (db: Db, { at, ...rest }: EventOf<Types> & Omit<About<number>, "subjectId">) =>
        insert(db, { ...rest, createdAt: at });
    },

    /**
     * The same for many subjects, by one statement: one event for each row of `from` (the sources of a
     * SELECT) that satisfies `when`. `subjectId` and `detail` are expressions over them; the details must be
     * JSON of the type's shape.
     */
    insertMany(db: Db, event: ManyOf<Types>, from: SQL, when: SQL): Statement {
      const { at, ...rest } = event;
      const detail = labelled(event.subjectId, event.detail);
      const outbox = outboxOf(event.projectId);
      const id = sql`${nextEventId({ ...event, subject })} + row_number() OVER () - 1`;
      return insertWhere(db, eventsTable, { id, ...rest, detail, subject, createdAt: at, outbox }, { from, when });
    },

    /**
     * The timeline of one subject, oldest first, for a batch; the caller checks the project with the subject.
     * `read` turns the rows into events.
     */
    select(db: Db, subjectId: number | SQL<number>, limit: number) {
      return db
        .select()
        .from(eventsTable)
        .where(and(eq(eventsTable.subject, subject), eq(eventsTable.subjectId, subjectId)))
        .orderBy(asc(eventsTable.id))
        .limit(limit);
    },

    /** Takes a name out of the sentences of a subject's events, for a batch. */
    rename(db: Db, subjectId: number, { from, to }: { readonly from: SQL; readonly to: string }, when: SQL): Statement {
      const message = sql`replace(${eventsTable.message}, ${from}, ${to})`;
      const isOfSubject = and(eq(eventsTable.subject, subject), eq(eventsTable.subjectId, subjectId));
      return db.update(eventsTable).set({ message }).where(and(isOfSubject, when));
    },

    /** The number of a subject's events of one type, for a condition. */
    count: (subjectId: number | SQL, type: keyof Types & string): SQL<number> =>
      sql`(SELECT count(*) FROM events WHERE subject = ${subject} AND subject_id = ${subjectId} AND type = ${type})`,

    read: (rows: readonly StoredEvent[]): EventRecord<Types>[] => rows.flatMap((row) => toEvents(types, row)),

    async list(db: Db, subjectId: number, limit: number): Promise<EventRecord<Types>[]> {
      return this.read(await this.select(db, subjectId, limit));
    },
  };
}

/** Skips a type that only another version of the service knows. */
function toEvents<Types extends EventTypes>(types: Types, row: StoredEvent): EventRecord<Types>[] {
  const { id, type, message, createdAt: at } = row;
  if (!isOneOf(types, type)) return [];
  const detail = types[type]?.detail.safeParse(row.detail).data ?? null;
  return [{ id, type, message, detail, at }];
}

function isOneOf<Types extends EventTypes>(types: Types, name: string): name is keyof Types & string {
  return Object.hasOwn(types, name);
}

interface Numbered {
  readonly projectId: ProjectId | Placeholder;
  readonly subject: EventSubject;
  readonly subjectId: number | SQL<number>;
  readonly at: number | Placeholder;
}

/**
 * The time in microseconds, but greater than the id of every earlier event of the subject. If webhooks know
 * the project's events by id, it also exceeds those ids. This needs no index over all events.
 */
function nextEventId({ projectId, subject, subjectId, at }: Numbered): SQL<number> {
  const newest = sql`SELECT max(id) FROM events WHERE subject = ${subject} AND subject_id = ${subjectId}`;
  return sql`max(${at} * 1000, coalesce((${newest}), 0) + 1, ${newestEventId(projectId)} + 1)`;
}

/** The event after which a walk over all events continues. */
/**
 * A condition of an insert: no event of this type about the subject has this value at this path of its
 * detail.
 */
export function isFirst(
  { subject, id, type }: { readonly subject: EventSubject; readonly id: number; readonly type: string },
  path: string,
  value: string,
): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM events AS earlier WHERE earlier.subject = ${subject} AND earlier.subject_id = ${id}
    AND earlier.type = ${type} AND json_extract(earlier.detail, ${path}) = ${value})`;
}

export const EventPosition = z.object({ subject: z.string(), subjectId: z.number(), id: z.number() });
export type EventPosition = z.output<typeof EventPosition>;

/**
 * Deletes events before `before` among the next `count` after a position, in the order of the table. Returns
 * the position for the next call; null at the end.
 */
export async function forgetOldEvents(
  db: Db,
  before: number,
  from: EventPosition | null,
  count: number,
): Promise<EventPosition | null> {
  const { subject, subjectId, id } = eventsTable;
  const isBehind = from === null ? undefined : sql`${KEY} > ${keyOf(from)}`;
  const [last] = await db
    .select({ subject, subjectId, id })
    .from(eventsTable)
    .where(isBehind)
    .orderBy(asc(subject), asc(subjectId), asc(id))
    .limit(1)
    .offset(count - 1);
  const isUpTo = last && sql`${KEY} <= ${keyOf(last)}`;
  await db.delete(eventsTable).where(and(isBehind, isUpTo, lt(eventsTable.createdAt, before)));
  return last ?? null;
}

const KEY = sql`(subject, subject_id, id)`;
const keyOf = ({ subject, subjectId, id }: EventPosition) => sql`(${subject}, ${subjectId}, ${id})`;

/** Deletes the timelines of these subjects; goes into the batch that deletes the subjects themselves. */
export function forgetEventsOf(db: Db, subject: EventSubject, ids: readonly number[]): Statement {
  const listed = isAmong(eventsTable.subjectId, ids);
  return db.delete(eventsTable).where(and(eq(eventsTable.subject, subject), listed));
}

/** The timelines of these subjects. */
export function selectEventsOf(db: Db, subject: EventSubject, ids: readonly number[]) {
  const { subject: of, subjectId, id } = eventsTable;
  return db
    .select()
    .from(eventsTable)
    .where(and(eq(of, subject), isAmong(subjectId, ids)))
    .orderBy(asc(subjectId), asc(id));
}

/**
 * Deletes the beginnings of timelines: the events up to and including the given one, for each subject of
 * which `isWanted` holds (a condition on its id).
 */
export function forgetBeginnings(
  db: Db,
  subject: EventSubject,
  ends: readonly (readonly [subjectId: number, eventId: number])[],
  isWanted: (subjectId: SQL) => SQL,
): Statement {
  const subjectId = sql`(one.value ->> 0)`;
  return db.delete(eventsTable).where(sql`${KEY} IN (SELECT old.subject, old.subject_id, old.id
    FROM json_each(${JSON.stringify(ends)}) AS one CROSS JOIN events AS old
    ON old.subject = ${subject} AND old.subject_id = ${subjectId} AND old.id <= (one.value ->> 1)
    WHERE ${isWanted(subjectId)})`);
}

/** An event that was in the archive. */
export type OldEvent = StoredEvent & Pick<typeof eventsTable.$inferSelect, "subjectId" | "outbox">;

/**
 * Stores events again that were deleted, for each subject of which `isWanted` holds (a condition on its id).
 */
export function restoreEvents(
  db: Db,
  { projectId, subject }: { readonly projectId: ProjectId; readonly subject: EventSubject },
  events: readonly OldEvent[],
  isWanted: (subjectId: SQL) => SQL,
): Statement {
  const rows = events.map(({ id, subjectId, type, message, detail, createdAt, outbox }) => [
    id,
    subjectId,
    type,
    message,
    detail === null ? null : JSON.stringify(detail),
    createdAt,
    outbox,
  ]);
  const part = (at: number): SQL => sql`(one.value ->> ${sql.raw(`${at}`)})`;
  const subjectId = part(1);
  const values = {
    projectId,
    subject,
    subjectId,
    id: part(0),
    type: part(2),
    message: part(3),
    detail: part(4),
    createdAt: part(5),
    outbox: part(6),
  };
  const from = sql`json_each(${JSON.stringify(rows)}) AS one`;
  return insertWhere(db, eventsTable, values, { from, when: isWanted(subjectId) }).onConflictDoNothing();
}
