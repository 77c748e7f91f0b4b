import { or, type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * A condition: one of the columns has the words; none if there are no words. Capitals of ASCII do not count.
 * D1 refuses a pattern of LIKE with more than 50 bytes, so this is none.
 */
export function hasWords(columns: readonly SQLWrapper[], words: string): SQL | undefined {
  return words === "" ? undefined : or(...columns.map((column) => sql`instr(lower(${column}), lower(${words})) > 0`));
}
