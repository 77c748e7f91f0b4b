import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import { type EventSubject, eventsTable } from "./table.ts";

export interface NewEvent {
  readonly projectId: ProjectId;
  readonly subject: EventSubject;
  readonly subjectId: number | SQL<number>;
  readonly type: string;
  /** One sentence for a person. */
  readonly message: string;
  readonly detail?: Readonly<Record<string, string | number | null>>;
  readonly at: number;
}

/** Goes into the batch of the change it tells of; `when` makes it conditional on the same thing as the change. */
export function insertEvent(db: Db, event: NewEvent, when: SQL = sql`1`): Statement {
  const detail = event.detail === undefined ? null : JSON.stringify(event.detail);
  return db.insert(eventsTable).select(
    sql`SELECT NULL, ${event.projectId}, ${event.subject}, ${event.subjectId}, ${event.type}, ${event.message},
        ${detail}, ${event.at} WHERE ${when}`,
  );
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
