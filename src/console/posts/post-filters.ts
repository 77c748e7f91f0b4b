import { AppError } from "../../core/errors.ts";
import { readCursor } from "../../posts/lists/cursor.ts";
import { orderOf, type Position } from "../../posts/lists/list-query.ts";
import { PostFilters, reversedSpans, toFilter } from "../../posts/lists/list-schema.ts";
import type { ProjectVisit } from "../definition.ts";

/** The filters of get-posts in the address of the list. */

const NAMES = [
  "status",
  "channel_type",
  "channel_id",
  "external_id",
  "created_from",
  "created_to",
  "published_from",
  "published_to",
] as const;
export type FilterName = (typeof NAMES)[number];

/** Filters that are not valid are left out. */
export function readFilters(query: Readonly<Record<string, string>>) {
  const given = NAMES.flatMap((name) => (query[name] ? [[name, query[name]] as const] : []));
  const valid = given.filter(([name, value]) => PostFilters.shape[name].safeParse(value).success);
  const values: Readonly<Partial<Record<FilterName, string>>> = Object.fromEntries(valid);
  const filters = PostFilters.parse(values);
  const isReversed = reversedSpans(filters).length > 0;
  return {
    values,
    filter: toFilter(filters),
    isComplete: valid.length === given.length && !isReversed,
    isAny: valid.length > 0,
  };
}

/** The position of the `cursor` in the address; null for the start, and for a cursor of another list. */
export async function positionOf(
  { deps, project, query }: Pick<ProjectVisit, "deps" | "project" | "query">,
  filter: ReturnType<typeof toFilter>,
): Promise<Position | null> {
  try {
    const position = await readCursor(deps.config.signingKey, project.id, query.cursor ?? "");
    return position?.order === orderOf(filter) ? position : null;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** The address of the list with these filters. */
export function listPath(projectId: number, values: Readonly<Partial<Record<FilterName | "cursor", string>>>): string {
  const query = new URLSearchParams(values).toString();
  return `/console/projects/${projectId}/posts${query === "" ? "" : `?${query}`}`;
}
