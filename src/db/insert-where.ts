import { getTableColumns, is, type Placeholder, SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db } from "./client.ts";

/** Values by the table's field names; an expression is computed in the statement. */
type Values<T extends SQLiteTable> = {
  readonly [K in keyof T["$inferInsert"]]: T["$inferInsert"][K] | SQL | Placeholder;
};

/** Each row of `from` (the sources of a SELECT) that satisfies `when`; left out: every row. */
export interface Each {
  readonly from: SQL;
  readonly when?: SQL;
}

/**
 * Inserts one row by named fields, only while the condition `where` holds, or one for each row of a query;
 * omitted fields get their default. A plain VALUES cannot be conditional. `onConflict…` and `returning` can
 * follow.
 */
export function insertWhere<T extends SQLiteTable>(db: Db, table: T, values: Values<T>, where: SQL | Each) {
  const given = new Map<string, unknown>(Object.entries(values));
  const row = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const value = given.get(name) ?? column.default ?? null;
    return is(value, SQL) ? value : sql`${sql.param(value, column)}`;
  });
  const rows = is(where, SQL) ? sql`WHERE ${where}` : sql`FROM ${where.from} WHERE ${where.when ?? sql`true`}`;
  return db.insert(table).select(sql`SELECT ${sql.join(row, sql`, `)} ${rows}`);
}
