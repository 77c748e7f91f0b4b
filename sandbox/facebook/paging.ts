import type { JsonObject } from "../meta/fields";
import { pageOf as graphPage, type Paging } from "../meta/paging";
import type { GraphContext } from "../meta/params";
import type { Sandbox } from "../sandbox";

export const GRAPH = "https://graph.facebook.com";

/** One page of an edge, shortened if the settings say so. */
export function pageOf<T>(
  sandbox: Sandbox,
  c: GraphContext,
  edge: { items: readonly T[]; keyOf: (item: T) => string; view: (item: T) => JsonObject },
  paging: Paging,
): JsonObject {
  const isShort = sandbox.settings.all.facebook_short_pages;
  return graphPage(c, { ...edge, origin: GRAPH, isShort }, paging);
}
