import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ProjectId } from "../core/ids.ts";

/**
 * Where a page of a list begins, without passing what is before it (docs/decisions/0030). For lists of a project's rows that are
 * not deleted, the newest first.
 */

/** Each named as its table, whose triggers keep the spans. */
export type SpannedList = "campaigns" | "generations";

/** How many rows a project's list has in each span of 1, 8, 64, ... 2,097,152 ids. */
export const listSpansTable = sqliteTable(
  "list_spans",
  {
    list: text("list").$type<SpannedList>().notNull(),
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    /** The span holds the ids that are the same but for so many bits at their end. */
    bits: integer("bits").notNull(),
    /** The ids without those bits. */
    span: integer("span").notNull(),
    entries: integer("entries").notNull(),
  },
  (table) => [primaryKey({ columns: [table.list, table.projectId, table.bits, table.span] })],
);

/** The bits of the largest spans, and by how many the next ones have fewer. */
const BITS = { most: 21, step: 3 } as const;
/** Up to so many pages, passing rows one by one is cheaper. */
const NEAR_PAGES = 8;

export interface PageStart {
  /** What the rows of the page and those after it are; undefined: every row of the list. */
  readonly where: SQL | undefined;
  /** How many of those to pass. */
  readonly offset: number;
}

/** Where the page is that comes after the newest `passed` rows. `id` is the column by which the list is in order. */
export function pageStart(
  list: SpannedList,
  id: SQLWrapper,
  projectId: ProjectId,
  { passed, limit }: { readonly passed: number; readonly limit: number },
): PageStart {
  if (passed <= NEAR_PAGES * limit) return { where: undefined, offset: passed };
  return { where: sql`${id} <= ${idBehind(list, projectId, passed)}`, offset: 0 };
}

/**
 * The id of the row behind the newest `passed` ones; null at the end. From the newest of the largest spans on it passes spans
 * that hold no more than are left to pass, and goes into the one that holds more, down to one id. So it reads a few rows for
 * each size of span, wherever that is.
 */
function idBehind(list: SpannedList, projectId: ProjectId, passed: number): SQL {
  const { most, step } = BITS;
  const own = sql`spans.list = ${list} AND spans.project_id = ${projectId}`;
  const newest = sql`(SELECT max(span) FROM list_spans AS spans WHERE ${own} AND spans.bits = ${most})`;
  return sql`(WITH RECURSIVE walk(bits, span, skip) AS (
      VALUES (${most}, ${newest}, ${passed})
      UNION ALL
      SELECT iif(skip < ifnull(spans.entries, 0), walk.bits - ${step}, walk.bits),
        iif(skip < ifnull(spans.entries, 0), walk.span << ${step} | (1 << ${step}) - 1, walk.span - 1),
        iif(skip < ifnull(spans.entries, 0), skip, skip - ifnull(spans.entries, 0))
      FROM walk LEFT JOIN list_spans AS spans ON ${own} AND spans.bits = walk.bits AND spans.span = walk.span
      WHERE walk.bits >= 0 AND walk.span >= 0
    ) SELECT span >> ${step} FROM walk WHERE bits < 0)`;
}
