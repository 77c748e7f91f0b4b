import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import type { BaseSQLiteDatabase } from "drizzle-orm/sqlite-core";
import { AppError } from "../core/errors.ts";
import type { Meter } from "../core/meter.ts";
import { meteredD1 } from "./metered.ts";

/**
 * Without Drizzle's `batch`, which returns results by position: `readTogether` and `writeTogether` name them.
 */
export type Db = BaseSQLiteDatabase<"async", D1Result> & {
  readonly $client: D1Database;
  /**
   * Of several databases: the ids that it gives are above this one (databases.ts). Null: it is the only one.
   */
  readonly firstId: number | null;
};
export type Statement = BatchItem<"sqlite">;

export function connectDb(binding: D1Database, meter: Meter, firstId: number | null = null): Db {
  return Object.assign(drizzle(meteredD1(binding, meter)), { firstId });
}

/** Runs the statements in one transaction and one D1 call. */
export async function runBatch(db: Db, statements: readonly Statement[]): Promise<void> {
  await resultsOf(db, statements);
}

async function resultsOf(db: Db, [first, ...rest]: readonly Statement[]): Promise<readonly unknown[]> {
  if (!first) return [];
  if (!(db instanceof DrizzleD1Database)) throw new Error("Statements run together only on a database of connectDb.");
  return db.batch([first, ...rest]);
}

/** The rows of a query; unknown for an arbitrary statement, and null if there was none. */
type RowsOf<Query> = Query extends { readonly _: { readonly result: infer Rows } }
  ? unknown extends Rows
    ? unknown
    : Rows
  : null;

/**
 * Runs queries in one D1 call and returns their rows under the same names. Null stands for a query that is
 * not needed this time, a list for several queries.
 */
export function readTogether<const Queries extends Statements>(db: Db, queries: Queries): Promise<Answers<Queries>> {
  return writeTogether(db, queries);
}

/**
 * The statements of one transaction by name, in the order in which they run. A list groups several
 * statements.
 */
export type Statements = Readonly<Record<string, Statement | readonly Statement[] | null>>;

/**
 * The results of statements under their names: rows for a statement that returns rows, a list of results for
 * a list.
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
  // Drizzle returns the rows of each statement in a batch, in order, typed by the statement.
  return Object.fromEntries(answers) as Answers<Given>;
}

/** The results of several groups of statements that ran one after the other. */
export function answersOfEach<const Given extends Statements>(
  groups: readonly Given[],
  results: readonly unknown[],
): readonly Answers<Given>[] {
  const left = [...results];
  return groups.map((given) => answersOf(given, left.splice(0, listed(given).length)));
}

/** The statements in the order in which they run. */
export function listed(given: Statements): Statement[] {
  return Object.values(given).flatMap((part) => (part === null ? [] : isList(part) ? part : [part]));
}

function isList<Other>(part: Other | readonly Statement[]): part is readonly Statement[] {
  return Array.isArray(part);
}

const CHANGED = "changed_since_it_was_read";

/**
 * Fails its whole batch, so that nothing is written, unless the condition holds. For decisions based on rows
 * that were read earlier. D1 has no statement that raises an error, but an invalid JSON path does.
 * A condition about a row says that it exists (`EXISTS`): within the SET of an UPDATE, it would not run
 * without the row.
 */
export function requireStill(db: Db, condition: SQL): Statement {
  const still = sql<number>`json_extract('[1]', CASE WHEN ${condition} THEN '$[0]' ELSE ${CHANGED} END)`;
  // A Drizzle query: its batch takes no raw statement with values.
  return db.select({ still: still.as("still") }).from(sql`(SELECT 1)`);
}

/** Whether a batch failed because of `requireStill`. */
export function isChangedSince(error: unknown): boolean {
  return isCausedBy(error, CHANGED);
}

/** Whether a statement failed because the table already has a row with the same unique key. */
export function isUniqueViolation(error: unknown, table: string): boolean {
  return isCausedBy(error, `UNIQUE constraint failed: ${table}.`);
}

/** Whether a statement failed because another row refers to the one that it deletes. */
export function isForeignKeyViolation(error: unknown): boolean {
  return isCausedBy(error, "FOREIGN KEY constraint failed");
}

/**
 * What a statement fails with that would change a project on its way to another database (projects/moving/).
 */
export const MOVING = "project_is_moving";

/** Whether a statement failed because its project is being moved, or lives in another database by now. */
export function isMovingViolation(error: unknown): boolean {
  return isCausedBy(error, MOVING);
}

/** What the act returns; null if it would change a project that is being moved. */
export async function unlessMoving<T>(act: () => Promise<T>): Promise<T | null> {
  try {
    return await act();
  } catch (error) {
    if (isMovingViolation(error)) return null;
    throw error;
  }
}

function isCausedBy(error: unknown, words: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // Drizzle's own error repeats the statement and its values; only D1's error names the cause.
    if (cause.message.includes(words) && !cause.message.startsWith("Failed query")) return true;
  }
  return false;
}

/**
 * What an idempotent request adds to the D1 calls of a creating verb: one read next to the verb's first read,
 * and one write in the transaction that creates. A repeated request is recognised without an extra call, and
 * creation and record succeed or fail together (http/idempotency.ts).
 */
export interface IdempotencyRecord {
  readonly read: Statement;
  /** Checks the rows of `read`; throws if the verb must not continue. */
  check(rows: unknown): void;
  write(answer: SQL | string): Statement | readonly Statement[];
}

/** For a verb whose first read cannot include the record: throws if the request is a repeat. */
export async function refuseRepeat(db: Db, idempotency: IdempotencyRecord | null): Promise<void> {
  if (!idempotency) return;
  const { record } = await readTogether(db, { record: idempotency.read });
  idempotency.check(record);
}

/**
 * Replaces a stored answer if it is unchanged; returns the answer that is stored afterwards. For answers that
 * expire, such as a session's. Two concurrent callers get the same answer.
 */
export type ReplaceAnswer = (answer: string) => Promise<string>;

const TRIES = 40;
const PAUSE_MS = 15;
const LONGEST_PAUSES = 10;

/**
 * Optimistic concurrency: `plan` reads rows, decides, and writes in a transaction that fails if the rows
 * changed meanwhile. It is retried until the transaction succeeds. `plan` reports a conflict by null or by an
 * outdated error. Throws `rate_limited`, with the sentence `busy`, after many attempts.
 */
export async function retryOnConflict<T>(
  plan: () => Promise<T | null>,
  busy: string,
  isOutdated: (error: unknown) => boolean = isChangedSince,
): Promise<T> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    try {
      const done = await plan();
      if (done !== null) return done;
    } catch (error) {
      if (!isOutdated(error)) throw error;
    }
    await pauseAfter(attempt);
  }
  throw new AppError("rate_limited", `${busy} Try again.`, { retryAfterSeconds: 1 });
}

/** Random pauses that grow with each attempt keep conflicting callers from colliding again. */
function pauseAfter(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS * Math.min(attempt, LONGEST_PAUSES)));
}
