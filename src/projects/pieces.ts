import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import type { StoredTable } from "./tables.ts";

/**
 * A project's rows in a table, a piece at a time in the order of the primary key: so no table needs an index
 * for it, and a statement is short however large the table is.
 */
export type Key = readonly (string | number)[];

/** A condition that finds the rows of a piece, and the key to continue after; null: the table is through. */
export interface PieceOf {
  readonly where: SQL;
  readonly next: Key | null;
}

/** Own rows of a piece: the statements of other projects wait for the one that deletes them. */
const ROWS = 1_000;
/** Rows of any project among which a piece is looked for. */
const WINDOW = 10_000;
/** Marks the texts whose scans end with a window (scripts/support/statement-list.ts). */
const IN_WINDOW = sql.raw("1 /* the last window */");

/** The rows of the next piece, as a condition, and the key to go on after; null: the table is through. */
export async function nextPiece(db: Db, stored: StoredTable, own: SQL, after: Key | null): Promise<PieceOf> {
  const from = isAfter(stored, after);
  const keys = keysOf(stored);
  const last = sql`SELECT ${keys} FROM ${windowOf(stored, from)} WHERE (${own}) ORDER BY ${keys} LIMIT 1 OFFSET ${ROWS - 1}`;
  const [end] = await db.all<Record<string, unknown>>(
    sql`SELECT * FROM (SELECT *, 0 AS place FROM (${last}) UNION ALL SELECT *, 1 FROM (${windowEnd(stored, from)}))
      ORDER BY place LIMIT 1`,
  );
  const next = end ? keyOf(stored, end) : null;
  const until = next === null ? IN_WINDOW : sql`(${keys}) <= (${valuesOf(next)})`;
  return { where: sql`${from} AND ${until} AND (${own})`, next };
}

/**
 * Looks at the project's rows a piece at a time until `isFound` holds for one; whether it did. For questions
 * that no index answers.
 */
export async function anyPiece(
  db: Db,
  stored: StoredTable,
  own: SQL,
  isFound: (where: SQL) => Promise<boolean>,
): Promise<boolean> {
  let after: Key | null = null;
  do {
    const piece: PieceOf = await nextPiece(db, stored, own, after);
    if (await isFound(piece.where)) return true;
    after = piece.next;
  } while (after !== null);
  return false;
}

/** The key of the last row of the window after a key; null: the window reaches the table's end. */
export async function selectWindowEnd(db: Db, stored: StoredTable, after: Key | null): Promise<Key | null> {
  const [end] = await db.all<Record<string, unknown>>(windowEnd(stored, isAfter(stored, after)));
  return end ? keyOf(stored, end) : null;
}

function windowEnd(stored: StoredTable, from: SQL): SQL {
  const keys = keysOf(stored);
  const table = sql.identifier(stored.name);
  return sql`SELECT ${keys} FROM ${table} WHERE ${from} ORDER BY ${keys} LIMIT 1 OFFSET ${sql.raw(String(WINDOW - 1))}`;
}

/** The rows of the window, under the table's name. */
export function windowOf(stored: StoredTable, from: SQL): SQL {
  const table = sql.identifier(stored.name);
  return sql`(SELECT * FROM ${table} WHERE ${from} ORDER BY ${keysOf(stored)} LIMIT ${sql.raw(String(WINDOW))}) AS ${table}`;
}

export const keysOf = ({ key }: StoredTable): SQL => sql.join(key.map(sql.identifier), sql`, `);

export const keyOf = ({ key }: StoredTable, row: Readonly<Record<string, unknown>>): Key =>
  key.map((column) => keyPart(row[column]));

export function isAfter(stored: StoredTable, after: Key | null): SQL {
  return after === null ? sql`1` : sql`(${keysOf(stored)}) > (${valuesOf(after)})`;
}

/** The values of a key, for a comparison. */
const valuesOf = (key: Key): SQL =>
  sql.join(
    key.map((value) => sql`${value}`),
    sql`, `,
  );

function keyPart(value: unknown): string | number {
  if (typeof value === "string" || typeof value === "number") return value;
  throw new Error("A primary key is neither a text nor a number.");
}
