// `fields=`, Google's partial responses: `items(id,snippet/title),nextPageToken`. Fields that are not
// selected are omitted.

import type { MiddlewareHandler } from "hono";
import type { YoutubeEnv } from "./api";
import { ApiError } from "./errors";

/** Selected keys with their nested selection; null selects everything. */
type Selection = Map<string, Selection | null>;

/** Parses the selection before the call runs: an invalid selection changes nothing. */
export const partial: MiddlewareHandler<YoutubeEnv> = async (c, next) => {
  const sent = c.req.query("fields");
  const selection = sent === undefined || sent === "" ? null : parse(sent);
  await next();
  const isJson = (c.res.headers.get("content-type") ?? "").includes("application/json");
  if (selection === null || !isJson || c.res.status >= 300) return;
  const body: unknown = await c.res.json();
  c.res = Response.json(chosen(body, selection), { status: c.res.status });
};

function parse(text: string): Selection {
  const tokens = text.match(/[\w*$.-]+|[(),/]|\S/g) ?? [];
  let at = 0;
  const invalid = () =>
    new ApiError(400, "invalidParameter", `Invalid field selection ${text}`, { location: "fields" });

  function list(): Selection {
    const selection: Selection = new Map();
    do merge(selection, ...field());
    while (tokens[at] === "," && ++at);
    return selection;
  }
  function field(): [name: string, inner: Selection | null] {
    const name = tokens[at++] ?? "";
    if (!/^[\w*$.-]+$/.test(name)) throw invalid();
    if (tokens[at] === "/") {
      at += 1;
      return [name, new Map([field()])];
    }
    if (tokens[at] !== "(") return [name, null];
    at += 1;
    const inner = list();
    if (tokens[at++] !== ")") throw invalid();
    return [name, inner];
  }

  const selection = list();
  if (at < tokens.length) throw invalid();
  return selection;
}

/** `a/b,a/c` selects both; `a` selects everything below it. */
function merge(selection: Selection, name: string, inner: Selection | null): void {
  const known = selection.get(name);
  if (inner === null || known === null) selection.set(name, null);
  else if (known === undefined) selection.set(name, inner);
  else for (const [key, value] of inner) merge(known, key, value);
}

/** In a list, the selection applies to each item. */
function chosen(value: unknown, selection: Selection): unknown {
  if (Array.isArray(value)) return value.map((item) => chosen(item, selection));
  if (!(value instanceof Object)) return value;
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const wanted = selection.has(key) ? selection.get(key) : selection.get("*");
    if (wanted === undefined) return [];
    return [[key, wanted === null ? inner : chosen(inner, wanted)]];
  });
  return Object.fromEntries(entries);
}
