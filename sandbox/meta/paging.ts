// Graph API lists: cursor paging, with links that contain the token as on the real API.

import { badParameter } from "./errors";
import type { JsonObject } from "./fields";
import type { GraphContext } from "./params";
import { sentToken } from "./tokens";

export interface Paging {
  limit?: number | undefined;
  after?: string | undefined;
  before?: string | undefined;
}

const DEFAULT_LIMIT = 25;
const MOST = 100;
const PREFIX = "QVFI";

const cursor = (id: string) => PREFIX + btoa(id).replaceAll("=", "");

/** The end cursor of the empty first page in short-page mode. */
const START = cursor("start");

function position<T>(items: readonly T[], keyOf: (item: T) => string, mark: string): number {
  const found = items.findIndex((item) => cursor(keyOf(item)) === mark);
  if (found < 0) throw badParameter("Invalid cursors values");
  return found;
}

export interface Edge<T> {
  items: readonly T[];
  keyOf(item: T): string;
  view(item: T): JsonObject;
  /** Origin of the links, e.g. `https://graph.facebook.com`. */
  origin: string;
  /** Short-page mode: an empty first page, then ever fewer items than requested, each with a next page. */
  isShort: boolean;
}

/** One page of an edge. `next` exists exactly if more items follow. */
export function pageOf<T>(c: GraphContext, edge: Edge<T>, { limit, after, before }: Paging): JsonObject {
  const { items, keyOf, view, origin, isShort } = edge;
  const size = Math.min(limit ?? DEFAULT_LIMIT, MOST);
  if (size < 1) throw badParameter("Param limit must be at least 1");
  const link = (name: string, mark: string) => {
    const url = new URL(new URL(c.req.url).pathname, origin);
    for (const [key, value] of new URL(c.req.url).searchParams) {
      if (!["after", "before", "appsecret_proof", "access_token"].includes(key)) url.searchParams.set(key, value);
    }
    url.searchParams.set("access_token", sentToken(c) ?? "");
    url.searchParams.set("limit", String(size));
    url.searchParams.set(name, mark);
    return url.href;
  };
  if (isShort && after === undefined && before === undefined && items.length > 0) {
    return { data: [], paging: { cursors: { before: START, after: START }, next: link("after", START) } };
  }
  const end = before === undefined ? items.length : position(items, keyOf, before);
  const wantedStart = before === undefined ? 0 : Math.max(0, end - size);
  const start = after === undefined || after === START ? wantedStart : position(items, keyOf, after) + 1;
  const shown = isShort ? Math.min(size, Math.ceil((end - start) / 2)) : size;
  const page = items.slice(start, Math.min(end, start + shown));
  const [first, last] = [page[0], page.at(-1)];
  if (first === undefined || last === undefined) return { data: [] };
  const marks = { before: cursor(keyOf(first)), after: cursor(keyOf(last)) };
  return {
    data: page.map(view),
    paging: {
      cursors: marks,
      ...(start + page.length < items.length ? { next: link("after", marks.after) } : {}),
      ...(start > 0 ? { previous: link("before", marks.before) } : {}),
    },
  };
}
