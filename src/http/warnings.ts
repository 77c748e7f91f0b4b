import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import type { AppEnv } from "./environment.ts";
import type { Shape } from "./shape.ts";
import { type Unknown, unknownFields } from "./unknown-fields.ts";

/** A longer list is not useful, and the response must not be larger than the request. */
const MAX_WARNINGS = 20;
/** The most warnings about unknown names; the operation's own warnings come later and need room. */
const MAX_UNKNOWN = 15;

const JsonObject = z.record(z.string(), z.unknown());

/**
 * Adds a warning that does not stop the request: what is left out is reported. The caller gets it under the
 * extension key `warnings`, which is absent if there are none.
 */
export function warn(c: Context<AppEnv>, ...sentences: readonly string[]): void {
  if (sentences.length === 0) return;
  c.set("warnings", [...(c.var.warnings ?? []), ...sentences].slice(0, MAX_WARNINGS));
}

/** Warns of fields in a body that the operation does not know. */
export function warnOfFields(c: Context<AppEnv>, body: object): void {
  const shape = c.var.operation?.body();
  if (shape) warnOfUnknown(c, shape, body, "a field");
}

/** Warns of query parameters that the operation does not know. */
export const warnOfParameters = createMiddleware<AppEnv>(async (c, next) => {
  const start = c.req.url.indexOf("?");
  if (start >= 0) {
    // Own keys only, whatever they are called.
    const sent = Object.fromEntries(new URLSearchParams(c.req.url.slice(start)));
    warnOfUnknown(c, c.var.operation?.query() ?? NO_PARAMETERS, sent, "a parameter");
  }
  await next();
});

function warnOfUnknown(c: Context<AppEnv>, shape: Shape, sent: object, what: string): void {
  const room = MAX_UNKNOWN - (c.var.warnings?.length ?? 0);
  const { name, readAs = {} } = c.var.operation ?? {};
  const found = unknownFields(shape, sent, room).map(({ field, nearest }) => ({
    field,
    nearest: what === "a field" && Object.hasOwn(readAs, field) ? (readAs[field] ?? null) : nearest,
  }));
  warn(c, ...found.map((unknown) => unknownField(unknown, what, name)));
}

const NO_PARAMETERS = {
  kind: "object",
  takes: "an object",
  fields: new Map(),
  absentAsNull: new Set<string>(),
  others: "ignored",
} as const;

/** The warning about an unknown name. */
export function unknownField({ field, nearest }: Unknown, what: string, operation = "this operation"): string {
  const hint = nearest === null ? "" : `; did you mean \`${nearest}\`?`;
  return `\`${field}\` is not ${what} of ${operation}${hint || "."}`;
}

/**
 * Adds the warnings of this request to its response, including refusals. It parses and rewrites the response,
 * which is rare.
 */
export const answerWarnings = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { warnings } = c.var;
  if (warnings === undefined || !c.res.headers.get("Content-Type")?.startsWith("application/json")) return;
  const body = JsonObject.parse(await c.res.json());
  c.res = new Response(JSON.stringify({ ...body, warnings }), c.res);
});
