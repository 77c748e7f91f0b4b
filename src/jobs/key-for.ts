import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * The key `kind:subject` of a job or a recurring task whose subject is an SQL expression. D1 binds a number
 * as a REAL: as text it would end in `.0`, and become the key of a second job for the same subject.
 */
export function keyFor(kind: string, subject: number | SQLWrapper): SQL<string> {
  return sql<string>`${`${kind}:`} || CAST(${subject} AS INTEGER)`;
}
