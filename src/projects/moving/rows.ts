import { sql } from "drizzle-orm";
import { isMovingText } from "../../accounts/moving.ts";
import type { ProjectId } from "../../core/ids.ts";
import type { Db } from "../../db/client.ts";
import { isAfter, type Key, keyOf, keysOf, selectWindowEnd, windowOf } from "../pieces.ts";
import type { RowSum } from "../table.ts";
import { belongsTo, type StoredTable } from "../tables.ts";

type Value = string | number | null;
export type Row = readonly Value[];

export interface Piece {
  readonly rows: readonly Row[];
  /** Continue after this key; null: the table is through. */
  readonly next: Key | null;
}

/** Rows that one statement copies. */
const PIECE = 500;

export async function readPiece(db: Db, stored: StoredTable, id: ProjectId, after: Key | null): Promise<Piece> {
  const { written } = stored;
  const columns = sql.join(written.map(sql.identifier), sql`, `);
  const window = windowOf(stored, isAfter(stored, after));
  const found = await db.all<Record<string, Value>>(
    sql`SELECT ${columns} FROM ${window} WHERE ${belongsTo(stored, id)} ORDER BY ${keysOf(stored)} LIMIT ${PIECE}`,
  );
  const rows = found.map((row) => written.map((column) => row[column] ?? null));
  const last = found.at(-1);
  if (last && found.length === PIECE) return { rows, next: keyOf(stored, last) };
  return { rows, next: await selectWindowEnd(db, stored, after) };
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
