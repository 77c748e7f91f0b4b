import { createRoute, type RouteConfig, z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { Caller } from "../core/caller.ts";
import { ErrorCodeView } from "../core/code-schemas.ts";
import { AppError } from "../core/errors.ts";
import { RATE_LIMIT } from "../core/limits.ts";
import type { Permission } from "../core/permissions.ts";
import { listWords } from "../core/text.ts";
import { jsonObjectBody } from "./body.ts";
import type { AppEnv } from "./environment.ts";
import { inputsOf } from "./shape.ts";
import { answerWarnings } from "./warnings.ts";

/**
 * One operation of the HTTP surface. From this table come the routes, the OpenAPI document, the refusal tests and the
 * agents' tools. Checks run in the order of decisions.md: 401, 429, permission, 422; the handler does the rest.
 */
interface OperationSpec<
  Params extends z.ZodObject | undefined,
  Query extends z.ZodObject | undefined,
  Body extends z.ZodType | undefined,
  Answer extends z.ZodType,
  NotFound extends z.ZodType,
> {
  readonly id: string;
  readonly method: "get" | "post" | "put" | "delete";
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Any one of these is enough; "any" = every valid token. */
  readonly permission: Permission | readonly Permission[] | "any";
  /** What the permission is for, in the refusal: "to read posts". */
  readonly permits?: string;
  /** Status for a caller without the permission (spec 5.6). */
  readonly refusal?: 401 | 403 | 422;
  /** Whether the specification lacks this operation. */
  readonly extension?: true;
  /** Whether the operation honours `Idempotency-Key`. */
  readonly idempotent?: true;
  /** Further keys of this operation's error bodies, with an example of their value. */
  readonly errorExtras?: Readonly<Record<string, unknown>>;
  /** Another schema for the 404 body. */
  readonly notFound?: NotFound;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly answer: Answer;
  readonly answerDescription: string;
  /** A typical answer, for the document. */
  readonly example: z.input<Answer>;
}

export const FieldErrorsView = z.record(z.string(), z.array(z.string())).openapi("FieldErrors", {
  description: "Field path, e.g. `twitter_threads.0.message`, to sentences.",
  example: { channel_id: ["channel_id is required: an integer."] },
});

export const ErrorView = z
  .object({
    status: z.literal(false),
    message: z.string().openapi({ description: "A sentence a person can act on." }),
    code: ErrorCodeView,
    errors: FieldErrorsView.optional(),
  })
  .openapi("Error");

export function operation<
  const Path extends `/${string}`,
  const Method extends "get" | "post" | "put" | "delete",
  Answer extends z.ZodType,
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  NotFound extends z.ZodType = z.ZodNever,
>(spec: OperationSpec<Params, Query, Body, Answer, NotFound> & { readonly path: Path; readonly method: Method }) {
  const request = {
    ...(spec.params ? { params: spec.params } : {}),
    ...(spec.query ? { query: spec.query } : {}),
    ...(spec.body ? { body: { required: true as const, content: { "application/json": { schema: spec.body } } } } : {}),
    ...(spec.idempotent ? { headers: IdempotencyHeader } : {}),
  } as RequestOf<Params, Query, Body>;
  return createRoute({
    method: spec.method,
    path: spec.path,
    operationId: spec.id,
    tags: [spec.tag],
    summary: spec.summary,
    description: describe(spec),
    security: [{ bearer: [] }],
    ...(spec.extension ? { "x-extension": true } : {}),
    "x-permission": spec.permission,
    ...(spec.idempotent ? { "x-idempotent": true } : {}),
    middleware: middlewareOf(spec),
    request,
    responses: {
      200: {
        description: spec.answerDescription,
        headers: RATE_HEADERS,
        content: { "application/json": { schema: spec.answer, example: spec.example } },
      },
      ...refusals(spec),
    } as { 200: Documented<Answer>; 404?: Documented<NotFound> },
  });
}

/** Checked where it is used (idempotency.ts); here it is documented. */
const IdempotencyHeader = z.object({
  "Idempotency-Key": z.string().min(1).max(255).optional().openapi({
    description: "Makes a repeat of this request safe for 24 hours (extension).",
    example: "order-1842-announcement",
  }),
});

interface Documented<Schema extends z.ZodType> {
  description: string;
  content: { "application/json": { schema: Schema } };
}

/** The request part of a route, without the keys that the operation does not have. */
type RequestOf<Params, Query, Body> = {
  [Key in Present<"params", Params> | Present<"query", Query> | Present<"body", Body>]: Key extends "params"
    ? Extract<Params, z.ZodObject>
    : Key extends "query"
      ? Extract<Query, z.ZodObject>
      : { required: true; content: { "application/json": { schema: Extract<Body, z.ZodType> } } };
};

type Present<Key extends string, Part> = Part extends z.ZodType ? Key : never;

type AnySpec = OperationSpec<
  z.ZodObject | undefined,
  z.ZodObject | undefined,
  z.ZodType | undefined,
  z.ZodType,
  z.ZodType
>;

function middlewareOf(spec: AnySpec): MiddlewareHandler<AppEnv>[] {
  const inputs = inputsOf(spec.id, spec.body, spec.query);
  const admit = createMiddleware<AppEnv>(async (c, next) => {
    c.set("operationId", spec.id);
    c.set("operation", inputs);
    if (spec.errorExtras) c.set("errorExtras", spec.errorExtras);
    c.header("RateLimit-Policy", `"token";q=${RATE_LIMIT};w=1`);
    const caller = await admitted(c);
    c.header("RateLimit", `"token";r=${caller.remaining};t=1`);
    const allowed = permissionsOf(spec);
    if (allowed.length > 0 && !allowed.some((permission) => caller.permissions.includes(permission))) {
      throw new AppError("permission_missing", refusalSentence(spec, allowed), { status: spec.refusal ?? 403 });
    }
    c.set("caller", caller);
    await next();
  });
  const checks = [admit, answerWarnings];
  return spec.body ? [...checks, ...jsonObjectBody] : checks;
}

/** Every refusal carries the header too: nothing is left for who is not let in. */
async function admitted(c: Context<AppEnv>): Promise<Caller> {
  try {
    return await c.var.admit(c.req.header("Authorization") ?? null);
  } catch (error) {
    c.header("RateLimit", `"token";r=0;t=1`);
    throw error;
  }
}

function permissionsOf(spec: AnySpec): readonly Permission[] {
  if (spec.permission === "any") return [];
  return typeof spec.permission === "string" ? [spec.permission] : spec.permission;
}

function refusalSentence(spec: AnySpec, allowed: readonly Permission[]): string {
  const names = listWords(allowed, "or");
  return `This access token has no permission ${spec.permits ?? `for "${spec.summary}"`}. It needs ${names}.`;
}

function describe(spec: AnySpec): string {
  const allowed = permissionsOf(spec);
  const needs =
    allowed.length === 0
      ? "Needs a valid token and no particular permission."
      : `Permission: ${listWords(
          allowed.map((p) => `\`${p}\``),
          "or",
        )}.`;
  const key = spec.idempotent
    ? "\n\nSend an `Idempotency-Key` header (1 to 255 characters) to make a repeat safe: within 24 hours the same key and body get the first answer again, marked `Idempotency-Replayed: true`; another body is a 422."
    : "";
  return `${spec.description}\n\n${needs}${spec.extension ? " An extension: the specification does not have it." : ""}${key}`;
}

const RATE_HEADERS = {
  "X-Request-Id": { description: "Quote it when you ask about a request.", schema: { type: "string" as const } },
  RateLimit: { description: "Permits left in this second.", schema: { type: "string" as const } },
  "RateLimit-Policy": { description: "100 requests a second per token.", schema: { type: "string" as const } },
};

type Responses = RouteConfig["responses"];

function refusals(spec: AnySpec): Responses {
  const missing = spec.refusal ?? 403;
  const extras = spec.errorExtras;
  const schema = extras
    ? ErrorView.extend(
        Object.fromEntries(
          Object.entries(extras).map(([key, value]) => [key, z.array(z.unknown()).openapi({ example: value })]),
        ),
      ).openapi(`${spec.id}Error`)
    : ErrorView;
  const needsPermission = permissionsOf(spec).length > 0;
  const hasInput = spec.body !== undefined || spec.query !== undefined;
  const problem = (description: string, code: string, message: string, body: z.ZodType = schema) => ({
    description,
    content: { "application/json": { schema: body, example: { ...extras, status: false, message, code } } },
  });
  const responses: Responses = {
    401: problem(
      needsPermission && missing === 401
        ? "Missing, invalid, expired or revoked token, or the token lacks the permission."
        : "Missing, invalid, expired or revoked token.",
      "unauthenticated",
      "Send an access token in the header: Authorization: Bearer <token>.",
    ),
    429: {
      ...problem("More than 100 requests in a second.", "rate_limited", "Try again in a second."),
      headers: { "Retry-After": { description: "Seconds.", schema: { type: "integer" as const } } },
    },
    500: problem("Unexpected error.", "unexpected", "Something went wrong on our side."),
  };
  if (needsPermission && missing === 403) {
    responses[403] = problem(
      "The token lacks the permission.",
      "permission_missing",
      "This access token has no permission.",
    );
  }
  if (spec.params || spec.body || spec.notFound) {
    responses[404] = spec.notFound
      ? { description: "No such thing in this project.", content: { "application/json": { schema: spec.notFound } } }
      : problem("No such thing in this project.", "not_found", "There is no such thing.");
  }
  if (spec.body) responses[413] = problem("Body over 1 MiB.", "body_too_large", "The body is larger than 1 MiB.");
  if (hasInput || missing === 422) {
    responses[422] = problem(
      missing === 422
        ? "Not valid, or the token lacks the permission."
        : "Not valid: what, where, and what is allowed.",
      "invalid_request",
      spec.body ? "The body must be a JSON object." : "limit must be a whole number from 1 to 100.",
    );
  }
  return responses;
}
