import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { Caller } from "../core/caller.ts";
import { AppError } from "../core/errors.ts";
import { RATE_LIMIT } from "../core/limits.ts";
import type { Permission } from "../core/permissions.ts";
import { listWords } from "../core/text.ts";
import type { Endings } from "../service/endings.ts";
import { jsonObjectBody } from "./body.ts";
import type { AppEnv } from "./environment.ts";
import { keepable } from "./etag.ts";
import { idempotently } from "./idempotency.ts";
import { AbsentAnswer, type AnyContract, type As, type Operation, permissionsOf } from "./operation.ts";
import { requestOf } from "./operation-document.ts";
import { apiOrigin, apiUrl } from "./origin.ts";
import { readPaced } from "./paced-page.ts";
import { fileBody } from "./raw-body.ts";
import { requireUsableQuery } from "./text-input.ts";
import { answerWarnings, warn, warnOfParameters } from "./warnings.ts";

/** Serves operations over HTTP, below `/api/v1`. */
export function operationRoutes(api: OpenAPIHono<AppEnv>, operations: readonly Operation[], endings: Endings): void {
  for (const operation of operations) {
    const { method, path } = operation;
    // The document is made of the operations themselves (operation-document.ts).
    const route = createRoute({
      method,
      path,
      hide: true,
      request: requestOf(operation),
      middleware: middlewareOf(operation),
      responses: { 200: { description: operation.answerDescription } },
    });
    api.openapi(route, (c: Context) => answer(c, operation, endings));
  }
}

/** Only called with what the validators of this operation have read. */
async function answer(
  c: Context<AppEnv, string, { out: Validated }>,
  { run, params, query, body }: Operation,
  endings: Endings,
): Promise<Response> {
  const input = {
    params: params && c.req.valid("param"),
    query: query && c.req.valid("query"),
    body: body && c.req.valid("json"),
    file: c.var.file,
  };
  // The validators have read it by the schemas of `run`.
  const answered = await run({ ...asOf(c), endings }, input as never);
  return answered instanceof AbsentAnswer ? c.json(answered.body, 404) : c.json(answered, 200);
}

/** What the validators of an operation leave. */
interface Validated {
  param: unknown;
  query: unknown;
  json: unknown;
}

function asOf(c: Context<AppEnv>): Omit<As, "endings"> {
  const { deps, caller } = c.var;
  return {
    deps,
    caller,
    origin: apiOrigin(c),
    url: apiUrl(c),
    warn: (...sentences) => warn(c, ...sentences),
    once: (body, act, recall) => idempotently(c, body, act, recall),
    paced: (read) => readPaced(c, read),
    linkNext: (url) => c.header("Link", `<${url.href}>; rel="next"`),
  };
}

function middlewareOf(contract: AnyContract & Pick<Operation, "inputs">): MiddlewareHandler<AppEnv>[] {
  const { id, body, rawBody } = contract;
  const admit = createMiddleware<AppEnv>(async (c, next) => {
    c.set("operationId", id);
    c.set("operation", contract.inputs);
    if (contract.errorExtras) c.set("errorExtras", contract.errorExtras);
    c.header("RateLimit-Policy", `"token";q=${RATE_LIMIT};w=1`);
    const caller = await admitted(c);
    c.header("RateLimit", `"token";r=${caller.remaining};t=1`);
    requirePermission(contract, caller);
    c.set("caller", caller);
    // The validator of the body calls it (validation.ts): a refused body leaves no trace.
    if (body) c.set("beginWithBody", () => c.var.begin(contract, caller));
    await next();
  });
  const begin = createMiddleware<AppEnv>(async (c, next) => {
    await c.var.begin(contract, c.var.caller);
    await next();
  });
  const checks = [
    admit,
    ...(contract.keepable ? [keepable] : []),
    answerWarnings,
    requireUsableQuery,
    warnOfParameters,
  ];
  if (body) return [...checks, ...jsonObjectBody];
  return [...checks, ...(rawBody ? [fileBody(rawBody)] : []), begin];
}

/** Every refusal carries the header too: a refused caller has no permits left. */
async function admitted(c: Context<AppEnv>): Promise<Caller> {
  try {
    return await c.var.admit(c.req.header("Authorization") ?? null);
  } catch (error) {
    c.header("RateLimit", `"token";r=0;t=1`);
    throw error;
  }
}

/** Throws `permission_missing`. */
export function requirePermission(contract: AnyContract, { permissions }: Pick<Caller, "permissions">): void {
  const allowed = permissionsOf(contract);
  if (allowed.length === 0 || allowed.some((permission) => permissions.includes(permission))) return;
  throw new AppError("permission_missing", refusalSentence(contract, allowed), { status: contract.refusal ?? 403 });
}

function refusalSentence({ permits, summary }: AnyContract, allowed: readonly Permission[]): string {
  const names = listWords(allowed, "or");
  return `This access token has no permission ${permits ?? `for "${summary}"`}. It needs ${names}.`;
}
