// Input parsing: query, JSON body, URNs. Unknown body fields are always rejected; unknown query parameters
// only in strict mode.

import { z } from "zod";
import type { Sandbox } from "../sandbox";
import { type LinkedinContext, restliMethod } from "./api";
import { badInput, RestError } from "./errors";

/** The query; strict mode rejects unknown names. */
export function readQuery<S extends z.ZodObject>(sandbox: Sandbox, c: LinkedinContext, schema: S): z.infer<S> {
  const { search } = new URL(c.req.url);
  if (/urn:li:/i.test(search)) throw new RestError(400, "PARAM_INVALID", "A URN of the query is not encoded");
  const sent = c.req.query();
  const unknown = Object.keys(sent).find((name) => !(name in schema.shape) && name !== "fields");
  if (sandbox.settings.all.strict && unknown !== undefined) throw unknownParameter(unknown);
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RestError(400, "PARAM_INVALID", `Invalid query parameter ${issue?.path.join(".")}: ${issue?.message}`);
}

const unknownParameter = (name: string) =>
  new RestError(400, "PARAM_INVALID", `Invalid query parameters passed to request: ${name}`);

export async function readJson<S extends z.ZodType>(c: LinkedinContext, schema: S): Promise<z.infer<S>> {
  if (!(c.req.header("content-type") ?? "").includes("application/json")) {
    throw new RestError(415, undefined, "The Content-Type must be application/json");
  }
  let sent: unknown;
  try {
    sent = await c.req.json();
  } catch {
    throw new RestError(400, undefined, "The request body is not JSON");
  }
  const parsed = schema.safeParse(sent);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = `/${issue?.path.join("/")}`;
    const isMissing = issue !== undefined && valueAt(sent, issue.path) === undefined;
    throw badInput(isMissing ? "MISSING_FIELD" : "INVALID_VALUE_FOR_FIELD", field, `${field} :: ${issue?.message}`);
  }
  const unknown = unknownKey(sent, parsed.data, "");
  if (unknown !== null) throw unknownField(unknown);
  return parsed.data;
}

const unknownField = (field: string) =>
  new RestError(422, undefined, `ERROR :: ${field} :: unrecognized field found but not allowed\n`);

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) at = at instanceof Object ? Reflect.get(at, key) : undefined;
  return at;
}

/** The first sent key that the schema does not have. */
function unknownKey(sent: unknown, known: unknown, path: string): string | null {
  if (!(sent instanceof Object) || !(known instanceof Object)) return null;
  for (const [key, value] of Object.entries(sent)) {
    if (!(key in known)) return `${path}/${key}`;
    const inner = unknownKey(value, Reflect.get(known, key), `${path}/${key}`);
    if (inner !== null) return inner;
  }
  return null;
}

/** A key of the path, which must be fully encoded. */
export function readKey(c: LinkedinContext, name: string): string {
  const { pathname } = new URL(c.req.url);
  if (/[:(),']/.test(pathname)) {
    throw new RestError(400, "ILLEGAL_ARGUMENT", "A key of the path is not encoded");
  }
  return c.req.param(name) ?? "";
}

/**
 * `List(a,b)` of protocol 2.0: commas between items are raw, item contents are encoded. Parsed from the raw
 * query.
 */
export function readList(c: LinkedinContext, name: string): string[] {
  const { search } = new URL(c.req.url);
  const raw = search
    .slice(1)
    .split("&")
    .find((pair) => pair.startsWith(`${name}=`));
  const items = /^List\((.*)\)$/.exec(raw?.slice(name.length + 1) ?? "")?.[1];
  if (items === undefined) throw new RestError(400, "PARAM_INVALID", `${name} must be a List(…)`);
  return items.split(",").filter(Boolean).map(decodeURIComponent);
}

/** BATCH_GET: each item, or its error, by key. `ids` with another method's header is rejected. */
export function readSeveral(c: LinkedinContext, read: (key: string) => unknown) {
  const method = restliMethod(c) ?? "batch_get";
  if (method !== "batch_get")
    throw new RestError(400, "ILLEGAL_ARGUMENT", `The method ${method} takes no ids: it must be BATCH_GET`);
  const keys = readList(c, "ids");
  if (keys.length === 0) throw new RestError(400, "PARAM_INVALID", "ids must name at least one key");
  const results: Record<string, unknown> = {};
  const errors: Record<string, unknown> = {};
  for (const key of keys) {
    try {
      results[key] = read(key);
    } catch (error) {
      if (!(error instanceof RestError)) throw error;
      errors[key] = { status: error.status, code: error.code, message: error.message };
    }
  }
  return { results, statuses: {}, errors };
}

const whole = (fallback: number, least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/)
    .default(String(fallback))
    .transform(Number)
    .pipe(z.number().min(least).max(most));

export const Paging = z.object({ start: whole(0, 0, 999_999), count: whole(10, 1, 100) });

/** One page of a list. */
export function pageOf<T>(all: readonly T[], { start, count }: { start: number; count: number }) {
  const elements = all.slice(start, start + count);
  return { paging: { start, count, links: [], total: all.length }, elements };
}
