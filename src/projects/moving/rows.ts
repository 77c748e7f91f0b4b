import { type SQL, sql } from "drizzle-orm";
import { isMovingText } from "../../accounts/moving.ts";
import type { ProjectId } from "../../core/ids.ts";
import type { Db } from "../../db/client.ts";
import type { RowSum } from "../table.ts";
import { belongsTo, type StoredTable } from "../tables.ts";

/**
 * The rows of a project in a table, piece by piece in the order of the primary key: so no table needs an
 * index for it, and a statement is short however large the table is.
 */
export type Key = readonly (string | number)[];
type Value = string | number | null;
export type Row = readonly Value[];

export interface Piece {
  readonly rows: readonly Row[];
  /** Continue after this key; null: the table is through. */
  readonly next: Key | null;
}

/** Rows of a piece, and rows of any project among which they are looked for. */
const PIECE = 500;
const WINDOW = 10_000;

export async function readPiece(db: Db, stored: StoredTable, id: ProjectId, after: Key | null): Promise<Piece> {
  const { name, written, key } = stored;
  const from = isAfter(stored, after);
  const table = sql.identifier(name);
  const columns = sql.join(written.map(sql.identifier), sql`, `);
  const keys = sql.join(key.map(sql.identifier), sql`, `);
  const found = await db.all<Record<string, Value>>(
    sql`SELECT ${columns} FROM (SELECT * FROM ${table} WHERE ${from} ORDER BY ${keys} LIMIT ${WINDOW}) AS ${table} WHERE ${belongsTo(stored, id)} ORDER BY ${keys} LIMIT ${PIECE}`,
  );
  const rows = found.map((row) => written.map((column) => row[column] ?? null));
  const last = found.at(-1);
  if (last && found.length === PIECE) return { rows, next: keyOf(stored, last) };
  return { rows, next: (await selectWindowEnd(db, stored, after)).end };
}

/**
 * The rows after a key that one statement looks at: where they begin, and the key of the last; null: the
 * table's end.
 */
export async function selectWindowEnd(db: Db, stored: StoredTable, after: Key | null) {
  const keys = sql.join(stored.key.map(sql.identifier), sql`, `);
  const from = isAfter(stored, after);
  const [end] = await db.all<Record<string, Value>>(
    sql`SELECT ${keys} FROM ${sql.identifier(stored.name)} WHERE ${from} ORDER BY ${keys} LIMIT 1 OFFSET ${WINDOW - 1}`,
  );
  return { from, end: end ? keyOf(stored, end) : null };
}

const keyOf = ({ key }: StoredTable, row: Readonly<Record<string, Value>>): Key =>
  key.map((column) => keyPart(row[column]));

function isAfter({ key }: StoredTable, after: Key | null): SQL {
  if (after === null) return sql`1`;
  return sql`(${sql.join(key.map(sql.identifier), sql`, `)}) > (${valuesOf(after)})`;
}

/** The values of a key, for a comparison. */
export const valuesOf = (key: Key): SQL =>
  sql.join(
    key.map((value) => sql`${value}`),
    sql`, `,
  );

function keyPart(value: Value | undefined): string | number {
  if (typeof value === "string" || typeof value === "number") return value;
  throw new Error("A primary key is neither a text nor a number.");
}

/** Of a text in one parameter; D1 takes two million bytes. */
const CHUNK_LENGTH = 400_000;

/**
 * Writes rows of a project, as long as it is on its way here; those that exist stay. Counters replace what
 * triggers have counted.
 */
export async function writeRows(
  { $client }: Db,
  { name, written, key }: StoredTable,
  { id, rows, isCounter }: { readonly id: ProjectId; readonly rows: readonly Row[]; readonly isCounter: boolean },
): Promise<void> {
  const list = written.map((column) => `"${column}"`).join(", ");
  const values = written.map((_, index) => `json_extract(value, '$[${index}]')`).join(", ");
  const set = written.map((column) => `"${column}" = excluded."${column}"`).join(", ");
  const onConflict = isCounter ? `(${key.join(", ")}) DO UPDATE SET ${set}` : "DO NOTHING";
  const isExpected = isMovingText(id);
  const text = `INSERT INTO ${name} (${list}) SELECT ${values} FROM json_each(?) WHERE ${isExpected} ON CONFLICT ${onConflict}`;
  const statements = chunksOf(rows).map((chunk) => $client.prepare(text).bind(`[${chunk.join(",")}]`));
  if (statements.length > 0) await $client.batch(statements);
}

function chunksOf(rows: readonly Row[]): readonly string[][] {
  const chunks: string[][] = [];
  let length = CHUNK_LENGTH;
  for (const row of rows) {
    const text = JSON.stringify(row);
    if (length + text.length > CHUNK_LENGTH) {
      chunks.push([]);
      length = 0;
    }
    chunks.at(-1)?.push(text);
    length += text.length;
  }
  return chunks;
}

export const NO_ROWS: RowSum = { rows: 0, sum: "0-0" };

/** The number of rows and a checksum of every value, whatever the order of the rows. Pure. */
export function addRows({ rows: count, sum }: RowSum, rows: readonly Row[]): RowSum {
  let [high = 0, low = 0] = sum.split("-").map((part) => Number.parseInt(part, 36));
  for (const row of rows) {
    const [one, other] = checksum(JSON.stringify(row));
    high = (high + one) >>> 0;
    low = (low + other) >>> 0;
  }
  return { rows: count + rows.length, sum: `${high.toString(36)}-${low.toString(36)}` };
}

/** Two sums of 32 bits: for accidents, not for attackers. */
function checksum(text: string): readonly [number, number] {
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 2654435761);
    other = Math.imul(other ^ code, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909);
  other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return [one >>> 0, other >>> 0];
}
