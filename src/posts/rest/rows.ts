import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import { partsOf } from "../../core/parts.ts";
import { type Post, postsTable } from "../table.ts";

/**
 * The row of a post in a page of the archive: its stored values by column, without the empty ones, and the
 * values of its live item, if it has exactly one.
 */
const Value = z.union([z.string(), z.number()]);
export const RestingEntry = z.object({
  row: z.record(z.string(), Value),
  item: z.record(z.string(), Value).optional(),
});
export type RestingEntry = z.output<typeof RestingEntry>;

const COLUMNS = getTableConfig(postsTable).columns.filter(({ generated }) => generated === undefined);
export const COLUMN_NAMES: readonly string[] = COLUMNS.map(({ name }) => name);

/** D1 takes at most 32 arguments of a function. */
const AT_ONCE = 30;

/** All stored values of the row of `posts` in a query, as JSON text: equal for equal rows. */
export const storedRow: SQL<string> = sql.raw(
  `json_array(${partsOf(COLUMN_NAMES, AT_ONCE)
    .map((names) => `json_array(${names.map((name) => `posts.${name}`).join(", ")})`)
    .join(", ")})`,
) as SQL<string>;

const StoredRow = z.array(z.array(Value.nullable()));

/** The values of a `storedRow`. */
export function toRow(text: string): RestingEntry["row"] {
  const values = StoredRow.parse(JSON.parse(text)).flat();
  return Object.fromEntries(
    COLUMN_NAMES.flatMap((name, at) => {
      const value = values[at] ?? null;
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** The post as a query of `posts` would return it. */
export function toPost(row: RestingEntry["row"]): Post {
  const fields = Object.entries(getTableColumns(postsTable)).map(([field, column]) => {
    const value = (column.generated === undefined ? row[column.name] : row.id) ?? null;
    return [field, value === null ? null : column.mapFromDriverValue(value)];
  });
  // One value of each column, read as Drizzle reads it.
  return Object.fromEntries(fields) as Post;
}

/** The fields of a post that a query with these columns returns. */
export function picked<Columns extends Partial<Record<keyof Post, unknown>>>(
  post: Post,
  columns: Columns,
): Pick<Post, keyof Columns & keyof Post> {
  const fields = Object.entries(post).filter(([field]) => field in columns);
  return Object.fromEntries(fields) as Pick<Post, keyof Columns & keyof Post>;
}
