import { z } from "@hono/zod-openapi";
import type { WalkOf } from "../db/id-list.ts";

/** A page of a cursor list, with its keys in the order of Laravel's cursor pagination. */
export function cursorPageView<Item extends z.ZodType>(item: Item, name: string) {
  return z
    .object({
      data: z.array(item),
      path: z.string(),
      per_page: z.int(),
      next_cursor: z.string().nullable().openapi({ description: "Null on the last page." }),
      next_page_url: z.string().nullable(),
      prev_cursor: z.string().nullable().openapi({ description: "Always null: cursors only move forward." }),
      prev_page_url: z.string().nullable(),
    })
    .openapi(name);
}

/** `url` is the request's absolute address: the next page's address keeps its other query parameters. */
export function cursorPage<V>(
  url: URL,
  { data, limit, nextCursor }: { data: V[]; limit: number; nextCursor: string | null },
) {
  const path = `${url.origin}${url.pathname}`;
  const query = new URLSearchParams(url.search);
  query.set("cursor", nextCursor ?? "");
  return {
    data,
    path,
    per_page: limit,
    next_cursor: nextCursor,
    next_page_url: nextCursor === null ? null : `${path}?${query}`,
    prev_cursor: null,
    prev_page_url: null,
  };
}

/** The only page of a list of one, for the OpenAPI document. */
export function exampleCursorPage<T>(path: string, item: T) {
  const url = new URL(`https://belfry.example/api/v1/social/${path}`);
  return cursorPage(url, { data: [item], limit: 10, nextCursor: null });
}

/** The page of a list ordered by id, whose cursor is an id. */
export function walkPage<T, V>(url: URL, { items, next }: WalkOf<T>, limit: number, view: (item: T) => V) {
  return cursorPage(url, { data: items.map(view), limit, nextCursor: next === null ? null : String(next) });
}
