import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";

/**
 * A condition: the value is in the list. It takes one parameter however long the list is, because D1 allows a
 * hundred per statement.
 */
export function isAmong(value: SQLWrapper, list: readonly (string | number)[]): SQL {
  return sql`${value} IN (SELECT value FROM json_each(${JSON.stringify(list)}))`;
}

/** The columns of a table whose rows have an id and a project. */
interface OwnedRows {
  readonly id: SQLWrapper;
  readonly projectId: SQLWrapper;
}

/**
 * A condition: these ids of this project. The rows are found by their ids and nothing else: beside a list of
 * ids SQLite prefers an index of the project, and then reads all of its rows. The plus rules that out.
 */
export function isOwnAmong({ id, projectId }: OwnedRows, project: ProjectId, ids: readonly number[]): SQL {
  return sql`(${isAmong(id, ids)} AND +${projectId} = ${project})`;
}

/** The same for the ids that a query finds. */
export function isOwnIn({ id, projectId }: OwnedRows, project: ProjectId, ids: SQL): SQL {
  return sql`(${id} IN (${ids}) AND +${projectId} = ${project})`;
}
