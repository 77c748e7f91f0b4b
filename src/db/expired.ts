import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db, Statement } from "./client.ts";

/** Rows past their lifetime, found by an index: a bounded number of them. */
export interface Expired {
  readonly table: SQLiteTable;
  readonly where: SQL | undefined;
}

/** Whether there are any, as a condition: most sweeps delete nothing, and should not write for it. */
export function hasExpired(some: readonly Expired[]): SQL {
  const exist = some.map(({ table, where }) => sql`EXISTS (SELECT 1 FROM ${table} WHERE ${where})`);
  return sql.join(exist, sql` OR `);
}

export function deleteExpired(db: Db, some: readonly Expired[]): Statement[] {
  return some.map(({ table, where }) => db.delete(table).where(where));
}

/** At most `limit` of the rows that satisfy a condition. */
export const someOf = (table: SQLiteTable, isOver: SQL, limit: number): SQL =>
  sql`rowid IN (SELECT rowid FROM ${table} WHERE ${isOver} LIMIT ${limit})`;
