import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * A condition: the value is in the list. It takes one parameter however long the list is, because D1 allows a
 * hundred per statement.
 */
export function isAmong(value: SQLWrapper, list: readonly (string | number)[]): SQL {
  return sql`${value} IN (SELECT value FROM json_each(${JSON.stringify(list)}))`;
}
