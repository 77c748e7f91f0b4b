import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import type { BaseSQLiteDatabase } from "drizzle-orm/sqlite-core";
import type { Meter } from "../core/meter.ts";
import { meteredD1 } from "./metered.ts";

/**
 * Without drizzle's `batch`, whose results stand in the order of its statements: `readTogether` and
 * `writeTogether` name them.
 */
export type Db = BaseSQLiteDatabase<"async", D1Result> & { readonly $client: D1Database };
export type Statement = BatchItem<"sqlite">;

export function connectDb(binding: D1Database, meter: Meter): Db {
  return drizzle(meteredD1(binding, meter));
}

/** Runs the statements in one transaction and one D1 call. */
export async function runBatch(db: Db, statements: readonly Statement[]): Promise<void> {
  await resultsOf(db, statements);
}

async function resultsOf(db: Db, [first, ...rest]: readonly Statement[]): Promise<readonly unknown[]> {
  if (!first) return [];
  if (!(db instanceof DrizzleD1Database)) throw new Error("Statements run together on a database of connectDb only.");
  return db.batch([first, ...rest]);
}

/** The rows of a query, unknown for just any statement, and null where there was none. */
type RowsOf<Query> = Query extends { readonly _: { readonly result: infer Rows } }
  ? unknown extends Rows
    ? unknown
    : Rows
  : null;

/**
 * Runs queries in one D1 call; their rows under the same names. A null stands for a query that is not needed
 * this time.
 */
export function readTogether<const Queries extends Readonly<Record<string, Statement | null>>>(
  db: Db,
  queries: Queries,
): Promise<Answers<Queries>> {
  return writeTogether(db, queries);
}

/**
 * Statements of one transaction, by name, in the order in which they run. A list is several that belong
 * together.
 */
export type Statements = Readonly<Record<string, Statement | readonly Statement[] | null>>;

/**
 * What statements answered, under their names: the rows of one that returns some, a list of answers for a
 * list.
 */
export type Answers<Given extends Statements> = {
  readonly [Name in keyof Given]: Given[Name] extends readonly (infer One)[]
    ? readonly RowsOf<One>[]
    : RowsOf<Given[Name]>;
};

/** Runs the statements in one transaction and one D1 call, in the order of their names. */
export async function writeTogether<const Given extends Statements>(db: Db, given: Given): Promise<Answers<Given>> {
  return answersOf(given, await resultsOf(db, listed(given)));
}

/** The results of `listed` statements, by name. */
export function answersOf<const Given extends Statements>(given: Given, results: readonly unknown[]): Answers<Given> {
  const left = [...results];
  const answers = Object.entries(given).map(([name, part]): [string, unknown] => {
    if (isList(part)) return [name, left.splice(0, part.length)];
    return [name, part === null ? null : left.shift()];
  });
  // Drizzle answers each statement of a batch with the rows that its type tells, in the order asked.
  return Object.fromEntries(answers) as Answers<Given>;
}

/** The statements in the order in which they run. */
export function listed(given: Statements): Statement[] {
  return Object.values(given).flatMap((part) => (part === null ? [] : isList(part) ? part : [part]));
}

export function isList<Other>(part: Other | readonly Statement[]): part is readonly Statement[] {
  return Array.isArray(part);
}

const CHANGED = "changed_since_it_was_read";

/**
 * Fails its whole batch, so that nothing of it is written, unless the condition holds: for what was decided
 * on rows that were read before. D1 has no statement that raises an error, but a path that is none does.
 */
export function requireStill(db: Db, condition: SQL): Statement {
  const still = sql`json_extract('{}', CASE WHEN ${condition} THEN '$' ELSE ${CHANGED} END)`.as("still");
  // A query of drizzle's own making: its batch takes no raw one with values.
  return db.select({ still }).from(sql`(SELECT 1)`);
}

/** Whether a batch failed by `requireStill`. */
export function isChangedSince(error: unknown): boolean {
  return isCausedBy(error, CHANGED);
}

/** Whether a statement failed because a row like it is there already in the table. */
export function isUniqueViolation(error: unknown, table: string): boolean {
  return isCausedBy(error, `UNIQUE constraint failed: ${table}.`);
}

function isCausedBy(error: unknown, words: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // Drizzle's own error repeats the statement and its values: what failed is what D1 says.
    if (cause.message.includes(words) && !cause.message.startsWith("Failed query")) return true;
  }
  return false;
}

/**
 * What the caller of a creating verb wants inside the verb's own D1 calls: one read beside its first read,
 * one write in the very transaction that creates. So a repeated request can be recognised without a call of
 * its own, and creation and its record succeed or fail together (http/idempotency.ts).
 */
export interface IdempotencyRecord {
  readonly read: Statement;
  /** Judges the rows of `read`; throws when the verb must not go on. */
  check(rows: unknown): void;
  write(answer: SQL | string): Statement;
}

/** For a verb whose first read has no room for the record: throws where the request is a repeat. */
export async function refuseRepeat(db: Db, idempotency: IdempotencyRecord | null): Promise<void> {
  if (!idempotency) return;
  const { record } = await readTogether(db, { record: idempotency.read });
  idempotency.check(record);
}

/**
 * Puts another answer in the place of a remembered one, if that still stands; tells the one that stands then.
 * For answers that end by themselves, such as a session's. Of two callers at once, both are told the same.
 */
export type ReplaceAnswer = (answer: string) => Promise<string>;
