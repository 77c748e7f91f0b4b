import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * Whether a value is one of the list, by one parameter however long that is: D1 takes a hundred in a
 * statement.
 */
export function isAmong(value: SQLWrapper, list: readonly (string | number)[]): SQL {
  return sql`${value} IN (SELECT value FROM json_each(${JSON.stringify(list)}))`;
}
