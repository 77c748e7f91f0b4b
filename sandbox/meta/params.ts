// Parameters of a Graph call, from the query and the body. Nested values are JSON text.

import type { Context } from "hono";
import { z } from "zod";
import type { PlatformBindings } from "../platform";
import { badParameter, GraphError } from "./errors";

export type Params = Record<string, unknown>;

export interface GraphEnv {
  Bindings: PlatformBindings;
  Variables: { params: Params; isStrict: boolean };
}
export type GraphContext = Context<GraphEnv>;

/** Accepted by every endpoint; Meta's own SDK sends `id` with every write. */
const COMMON = ["access_token", "appsecret_proof", "id"];

/** Query and body merged, as in the Graph API. */
export async function readParams(request: Request): Promise<Params> {
  const params: Params = Object.fromEntries(new URL(request.url).searchParams);
  if (request.method === "GET" || request.method === "HEAD" || !request.body) return params;
  const type = request.headers.get("content-type") ?? "";
  try {
    if (type.includes("application/json")) {
      const body = z.record(z.string(), z.unknown()).safeParse(await request.json());
      if (!body.success) throw badParameter("The request body must be a JSON object");
      return { ...params, ...body.data };
    }
    if (type.includes("multipart/form-data") || type.includes("application/x-www-form-urlencoded")) {
      return { ...params, ...Object.fromEntries(await request.formData()) };
    }
  } catch (error) {
    if (error instanceof GraphError) throw error;
    throw badParameter("The request body could not be read");
  }
  if ((await request.arrayBuffer()).byteLength > 0) throw badParameter(`Unsupported content type '${type}'`);
  return params;
}

/** The parameters of one endpoint. Unknown ones are ignored, as on the real API; strict mode rejects them. */
export function parse<S extends z.ZodObject>(c: GraphContext, schema: S): z.infer<S> {
  const own = Object.entries(c.var.params).filter(([name]) => name in schema.shape);
  if (c.var.isStrict) {
    const unknown = Object.keys(c.var.params).find((name) => !(name in schema.shape) && !COMMON.includes(name));
    if (unknown !== undefined) throw badParameter(`Param ${unknown} is not a known parameter of this endpoint`);
  }
  const parsed = schema.safeParse(Object.fromEntries(own));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw badParameter(`Param ${issue?.path.join(".") || "(body)"}: ${issue?.message ?? "is invalid"}`);
}

export const text = z.string();
export const flag = z
  .union([z.boolean(), z.enum(["true", "false", "1", "0"]), z.literal([0, 1])])
  .transform((value) => value === true || value === "true" || value === "1" || value === 1);
export const file = z.instanceof(File, { error: "must be a file (multipart)" });
export const wholeNumber = z.union([
  z.number().int().min(0),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
]);

/** A nested value: JSON text in a form, an object in a JSON body. */
export const nested = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value, context) => {
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value);
    } catch {
      context.addIssue("must be valid JSON");
      return z.NEVER;
    }
  }, schema);

/** Unix seconds, or any date text that the parser accepts. */
export const moment = z.union([z.number(), z.string()]).transform((value, context) => {
  const seconds = typeof value === "number" || /^\d+$/.test(value) ? Number(value) : Date.parse(value) / 1000;
  if (Number.isFinite(seconds)) return Math.round(seconds * 1000);
  context.addIssue("must be a unix timestamp or a date");
  return z.NEVER;
});

/** The parameters of a list. */
export const Paged = z.object({
  fields: text.optional(),
  limit: wholeNumber.optional(),
  after: text.optional(),
  before: text.optional(),
});

/** The parameters of a list whose items have a time. */
export const Listing = Paged.extend({ since: moment.optional(), until: moment.optional() });
