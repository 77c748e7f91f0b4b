import { sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import { isoUtc } from "../core/time.ts";
import type { Db } from "../db/client.ts";
import type { ExportKind } from "./export-kinds.ts";
import { isAfter, type Key, keyOf, keysOf } from "./pieces.ts";

/** The rows of a kind as JSON lines, read in pages by the primary key. */
export interface RowPage {
  readonly lines: string;
  /** The key of its last row; null if no row follows. */
  readonly next: Key | null;
}

export async function readPage(
  db: Db,
  projectId: ProjectId,
  kind: ExportKind,
  { after, limit }: { readonly after: Key | null; readonly limit: number },
): Promise<RowPage> {
  const { table } = kind;
  const columns = shownColumns(kind);
  const names = sql.join([...new Set([...table.key, ...columns.map(({ name }) => name)])].map(sql.identifier), sql`, `);
  const rows = await db.all<Record<string, unknown>>(
    sql`SELECT ${names} FROM ${sql.identifier(table.name)} WHERE (${kind.where(projectId)}) AND ${isAfter(table, after)} ORDER BY ${keysOf(table)} LIMIT ${limit}`,
  );
  const lines = rows.map((row) => lineOf(kind, row));
  const last = rows.at(-1);
  const next = last === undefined || rows.length < limit ? null : keyOf(table, last);
  return { lines: lines.join(""), next };
}

const shownColumns = ({ table, without }: ExportKind) => table.columns.filter(({ name }) => !without.includes(name));

/** The line of a row as it is stored. */
export function lineOf(kind: ExportKind, row: Readonly<Record<string, unknown>>): string {
  const entries = shownColumns(kind).map(({ name, kind: stored }) => [name, shown(name, row[name], stored, kind)]);
  return `${JSON.stringify(Object.fromEntries(entries))}\n`;
}

/** Times as ISO 8601, truth values and JSON as what they are. */
function shown(name: string, value: unknown, stored: "json" | "boolean" | "plain", { withoutInside }: ExportKind) {
  if (value === null || value === undefined) return null;
  if (stored === "boolean") return value === 1;
  if (stored === "json") return without(parsed(value), withoutInside[name] ?? []);
  // Zero and infinity are marks, not times.
  const isTime = /_(at|by)$/.test(name) && typeof value === "number" && value > 0 && value < MAX_TIME;
  return isTime ? isoUtc(value) : value;
}

const MAX_TIME = 8.64e15;

function parsed(value: unknown): unknown {
  try {
    return typeof value === "string" ? JSON.parse(value) : value;
  } catch {
    // One odd row must not end the export.
    return value;
  }
}

function without(value: unknown, names: readonly string[]): unknown {
  if (names.length === 0 || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
