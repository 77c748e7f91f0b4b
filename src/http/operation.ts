import { createRoute, z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { Caller } from "../core/caller.ts";
import { AppError, type FieldErrors } from "../core/errors.ts";
import { RATE_LIMIT } from "../core/limits.ts";
import type { Permission } from "../core/permissions.ts";
import { listWords } from "../core/text.ts";
import { documentedRefusals, RATE_HEADERS, withWarnings } from "./answers.ts";
import { jsonObjectBody } from "./body.ts";
import type { AppEnv } from "./environment.ts";
import { keepable } from "./etag.ts";
import { fileBody, type RawBody } from "./raw-body.ts";
import { inputsOf, type OperationInputs } from "./shape.ts";
import { requireUsableQuery } from "./text-input.ts";
import { answerWarnings, warnOfParameters } from "./warnings.ts";

/**
 * One operation of the HTTP API. This table produces the routes, the OpenAPI document, the refusal tests and
 * the agents' tools. Checks run in this order: 401, 429, permission, 422; the handler does the rest.
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
  /** The purpose of the permission, for the refusal: "to read posts". */
  readonly permits?: string;
  /** The status for a caller without the permission (spec 5.6). */
  readonly refusal?: 401 | 403 | 422;
  /** Whether the specification lacks this operation. */
  readonly extension?: true;
  /** Whether the operation supports `Idempotency-Key`. */
  readonly idempotent?: true;
  /** Whether the caller may cache the response for some minutes, and then revalidate it (`ETag`). */
  readonly keepable?: true;
  /** The project's quotas that can refuse the operation, for the document: "posts waiting". */
  readonly quotas?: string;
  /**
   * Whether it calls a platform during the request, about something that the request names. That may not
   * exist, or the platform may not answer.
   */
  readonly asksPlatform?: true;
  /**
   * A typical refusal by the object's state, where nothing else can be invalid: a sentence
   * (`not_changeable`), or what is wrong with a field (`invalid_request`).
   */
  readonly refusedByState?: string | FieldErrors;
  /** Additional keys of this operation's error bodies, with an example of their value. */
  readonly errorExtras?: Readonly<Record<string, unknown>>;
  /** Another schema for the 404 body. */
  readonly notFound?: NotFound;
  /** Names under which reads show fields of the body, with the names that the body has. */
  readonly readAs?: Readonly<Record<string, string>>;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Instead of `body`: a file, which the handler reads from `c.var.file`. */
  readonly rawBody?: RawBody;
  readonly answer: Answer;
  readonly answerDescription: string;
  /** A typical response, for the document. */
  readonly example: z.input<Answer>;
}

export function operation<
  const Path extends `/${string}`,
  const Method extends "get" | "post" | "put" | "delete",
  Answer extends z.ZodType,
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  NotFound extends z.ZodType = z.ZodNever,
>(spec: OperationSpec<Params, Query, Body, Answer, NotFound> & { readonly path: Path; readonly method: Method }) {
  const inputs = inputsOf(spec);
  const request = {
    ...(spec.params ? { params: spec.params } : {}),
    ...(spec.query ? { query: spec.query } : {}),
    ...(spec.body ? { body: { required: true as const, content: { "application/json": { schema: spec.body } } } } : {}),
    ...(spec.rawBody ? { body: FILE_BODY } : {}),
    ...(spec.idempotent ? { headers: IdempotencyHeader } : {}),
    ...(spec.keepable ? { headers: KeptHeader } : {}),
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
    middleware: middlewareOf(spec, inputs),
    request,
    responses: {
      200: {
        description: spec.answerDescription,
        headers: spec.keepable ? { ...RATE_HEADERS, ...KEEP_HEADERS } : RATE_HEADERS,
        content: { "application/json": { schema: namedAnswer(spec), example: spec.example } },
      },
      ...(spec.keepable ? { 304: { description: "Nothing has changed since the response with this `ETag`." } } : {}),
      ...documentedRefusals({ ...spec, inputs, needsPermission: permissionsOf(spec).length > 0 }),
    } as { 200: Documented<Answer>; 404?: Documented<NotFound> },
  });
}

/** Client generators name a type after it: `CreatePostAnswer`. */
function namedAnswer<Answer extends z.ZodType>({ id, answer }: { readonly id: string; readonly answer: Answer }) {
  return withWarnings(answer).openapi(`${id.charAt(0).toUpperCase()}${id.slice(1)}Answer`);
}

/** Only documents the header; idempotency.ts validates it. */
const IdempotencyHeader = z.object({
  "Idempotency-Key": z.string().min(1).max(255).optional().openapi({
    description: "Makes a repeat of this request safe for 24 hours.",
    example: "order-1842-announcement",
  }),
});

/** Only documents the header; etag.ts uses it. */
const KeptHeader = z.object({
  "If-None-Match": z.string().optional().openapi({ description: "The `ETag` of the response that the client has." }),
});

const KEEP_HEADERS = {
  ETag: { description: "Identifies this version of the response.", schema: { type: "string" } },
  "Cache-Control": { description: "How long the response may be cached.", schema: { type: "string" } },
} as const;

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

function middlewareOf(spec: AnySpec, inputs: OperationInputs): MiddlewareHandler<AppEnv>[] {
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
    // The validator of the body calls it (validation.ts): a refused body leaves no trace.
    if (spec.body) c.set("beginWithBody", () => c.var.begin(spec.id, caller));
    await next();
  });
  const begin = createMiddleware<AppEnv>(async (c, next) => {
    await c.var.begin(spec.id, c.var.caller);
    await next();
  });
  const checks = [admit, ...(spec.keepable ? [keepable] : []), answerWarnings, requireUsableQuery, warnOfParameters];
  if (spec.body) return [...checks, ...jsonObjectBody];
  return [...checks, ...(spec.rawBody ? [fileBody(spec.rawBody)] : []), begin];
}

/**
 * Documents the file body only; text describes the form, if one is accepted. For a body of several types,
 * generators make clients that do not compile.
 */
const FILE_BODY = {
  required: true,
  content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
} as const;

/** Every refusal carries the header too: a refused caller has no permits left. */
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
      ? "Requires a valid token, without a particular permission."
      : `Permission: ${listWords(
          allowed.map((p) => `\`${p}\``),
          "or",
        )}.`;
  const key = spec.idempotent
    ? "\n\nSend an `Idempotency-Key` header (1 to 255 characters) to make repeats safe. Within 24 hours the same key and body return the first response again, marked `Idempotency-Replayed: true`. Another body returns a 422."
    : "";
  return `${spec.description}\n\n${needs}${key}`;
}
