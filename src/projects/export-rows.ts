import { sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import { isoUtc } from "../core/time.ts";
import type { Db } from "../db/client.ts";
import type { ExportKind } from "./export-kinds.ts";
import { isAfter, type Key, keyOf, keysOf, selectWindowEnd, windowOf } from "./pieces.ts";

/** The rows of a kind as JSON lines, read in windows of its table (pieces.ts), which hold up nobody. */
export interface RowPage {
  readonly lines: string;
  /** The key to continue after; null if no row follows. */
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
  const window = windowOf(table, isAfter(table, after));
  const rows = await db.all<Record<string, unknown>>(
    sql`SELECT ${names} FROM ${window} WHERE (${kind.where(projectId)}) ORDER BY ${keysOf(table)} LIMIT ${limit}`,
  );
  const lines = rows.map((row) => lineOf(kind, row));
  const last = rows.at(-1);
  const next = last && rows.length === limit ? keyOf(table, last) : await selectWindowEnd(db, table, after);
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
