import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * The key `kind:subject` of a job or a recurring task whose subject is an expression of the statement. D1
 * binds a number as a real one: as text it would end in `.0`, and be the key of a second job for the same
 * subject.
 */
export function keyFor(kind: string, subject: number | SQLWrapper): SQL<string> {
  return sql<string>`${`${kind}:`} || CAST(${subject} AS INTEGER)`;
}
