import { getTableColumns, is, type Placeholder, SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db } from "./client.ts";

/** Values by the table's field names; an expression is computed in the statement. */
type Values<T extends SQLiteTable> = {
  readonly [K in keyof T["$inferInsert"]]: T["$inferInsert"][K] | SQL | Placeholder;
};

/**
 * Inserts one row by named fields, only while `condition` holds; omitted fields get their default. A plain
 * VALUES cannot be conditional. With `from`, the sources of a SELECT, it inserts one row for each of their
 * rows. `onConflict…` and `returning` can follow.
 */
export function insertWhere<T extends SQLiteTable>(db: Db, table: T, values: Values<T>, condition: SQL, from?: SQL) {
  const given = new Map<string, unknown>(Object.entries(values));
  const row = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const value = given.get(name) ?? column.default ?? null;
    return is(value, SQL) ? value : sql`${sql.param(value, column)}`;
  });
  const sources = from ? sql` FROM ${from}` : sql``;
  return db.insert(table).select(sql`SELECT ${sql.join(row, sql`, `)}${sources} WHERE ${condition}`);
}
