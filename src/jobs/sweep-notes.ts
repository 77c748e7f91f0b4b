import { eq, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { idOf, type ProjectId } from "../core/ids.ts";
import { type Db, runBatch, type Statement } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import { QUEUES } from "./messages.ts";
import type { Share } from "./sweep-store.ts";
import { sweepNotesTable } from "./table.ts";

/**
 * What one sweep stores for the next, by name. A walk goes through more rows than one sweep can handle: its
 * note is the position where the next sweep continues. A share is one project's jobs in one queue.
 */
export interface SweepNotes {
  readonly stored: ReadonlyMap<string, string>;
  /** Null deletes a note. */
  readonly changed: Map<string, string | null>;
}

export async function readNotes(db: Db): Promise<SweepNotes> {
  const rows = await db.select().from(sweepNotesTable);
  return { stored: new Map(rows.map(({ name, value }) => [name, value])), changed: new Map() };
}

/** Stores the changed notes: none in most sweeps. */
export async function storeNotes(db: Db, { stored, changed }: SweepNotes): Promise<void> {
  const news = [...changed].filter(([name, value]) => (stored.get(name) ?? null) !== value);
  await runBatch(
    db,
    news.map(([name, value]) =>
      value === null ? db.delete(sweepNotesTable).where(eq(sweepNotesTable.name, name)) : storeNote(db, name, value),
    ),
  );
}

export function storeNote(db: Db, name: string, value: string): Statement {
  return db
    .insert(sweepNotesTable)
    .values({ name, value })
    .onConflictDoUpdate({ target: sweepNotesTable.name, set: { value } });
}

const SharePosition = z.object({ queue: z.enum(QUEUES), projectId: z.number().transform(idOf<ProjectId>) });

/** The last share that a walk has handled; null: the walk starts at the first share. */
export function positionOf(notes: SweepNotes, walk: string): Share | null {
  return placeOf(notes, walk, SharePosition);
}

/**
 * The next sweep continues after the last of these shares. Fewer than `limit` shares mean that the walk has
 * reached the end: it starts at the first share again.
 */
export function notePosition(notes: SweepNotes, walk: string, shares: readonly Share[], limit: number): void {
  const last = shares.length < limit ? undefined : shares.at(-1);
  notePlace(notes, walk, last ? { queue: last.queue, projectId: last.projectId } : null);
}

/** The position of a walk. A note that another version wrote in another form counts as none. */
export function placeOf<T>({ stored }: SweepNotes, walk: string, schema: z.ZodType<T>): T | null {
  const text = stored.get(walk);
  return text === undefined ? null : (schema.safeParse(JSON.parse(text)).data ?? null);
}

export function notePlace({ changed }: SweepNotes, walk: string, place: unknown): void {
  changed.set(walk, place === null ? null : JSON.stringify(place));
}

/** A condition: the note exists. */
export const isNoted = (name: string): SQL => sql`EXISTS (SELECT 1 FROM sweep_notes WHERE name = ${name})`;

/** A condition: the note's time `at` has not come; false without the note. */
export const isNoteAhead = (name: string, now: number): SQL =>
  sql`EXISTS (SELECT 1 FROM sweep_notes WHERE name = ${name} AND value ->> '$.at' > ${now})`;

const Probed = z.object({ at: z.number(), times: z.number() });
export type Probed = z.infer<typeof Probed>;

export function probedOf(notes: SweepNotes, queue: string): Probed | null {
  return placeOf(notes, probeName(queue), Probed);
}

export function noteProbed(notes: SweepNotes, queue: string, probed: Probed | null): void {
  notePlace(notes, probeName(queue), probed);
}

const probeName = (queue: string): string => `probed:${queue}`;

/** The value of a note that only rises (`raiseNote`), as a number; 0 if there is none. For a statement. */
export const numberNoted = (name: string): SQL =>
  sql`coalesce((SELECT CAST(value AS INTEGER) FROM sweep_notes WHERE name = ${sql.raw(`'${name}'`)}), 0)`;

/** Raises it to the value of a query of one row; null changes nothing. */
export function raiseNote(db: Db, name: string, value: SQL): Statement {
  const text = sql`CAST(noted.value AS TEXT)`;
  const higher = { from: sql`(SELECT (${value}) AS value) AS noted`, when: sql`noted.value > ${numberNoted(name)}` };
  return insertWhere(db, sweepNotesTable, { name, value: text }, higher).onConflictDoUpdate({
    target: sweepNotesTable.name,
    set: { value: sql`excluded.value` },
  });
}
