import { createRoute, type RouteConfig, z } from "@hono/zod-openapi";
import { listWords } from "../core/text.ts";
import { documentedRefusals, RATE_HEADERS, withWarnings } from "./answers.ts";
import { type AnyContract, type Operation, permissionsOf } from "./operation.ts";

/** Operations in the OpenAPI document. */

/** The path of the document that describes the operation: its request and each of its responses. */
export function documentedPath(operation: Operation): RouteConfig {
  const { id, method, path, tag, summary, permission } = operation;
  return createRoute({
    method,
    path,
    operationId: id,
    tags: [tag],
    summary,
    description: describe(operation),
    security: [{ bearer: [] }],
    ...(operation.extension ? { "x-extension": true } : {}),
    "x-permission": permission,
    ...(operation.idempotent ? { "x-idempotent": true } : {}),
    request: requestOf(operation),
    responses: {
      200: {
        description: operation.answerDescription,
        headers: operation.keepable ? { ...RATE_HEADERS, ...KEEP_HEADERS } : RATE_HEADERS,
        content: { "application/json": { schema: namedAnswer(operation), example: operation.example } },
      },
      ...(operation.keepable
        ? { 304: { description: "Nothing has changed since the response with this `ETag`." } }
        : {}),
      ...documentedRefusals({ ...operation, needsPermission: permissionsOf(operation).length > 0 }),
    },
  });
}

/** The schemas of what a request sends. */
export function requestOf({ params, query, body, rawBody, idempotent, keepable }: AnyContract): Request {
  return {
    ...(params ? { params } : {}),
    ...(query ? { query } : {}),
    ...(body ? { body: { required: true as const, content: { "application/json": { schema: body } } } } : {}),
    ...(rawBody ? { body: FILE_BODY } : {}),
    ...(idempotent ? { headers: IdempotencyHeader } : {}),
    ...(keepable ? { headers: KeptHeader } : {}),
  };
}

type Request = NonNullable<RouteConfig["request"]>;

/** Client generators name a type after it: `CreatePostAnswer`. */
function namedAnswer({ id, answer }: AnyContract) {
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

/**
 * Documents the file body only; text describes the form, if one is accepted. For a body of several types,
 * generators make clients that do not compile.
 */
const FILE_BODY = {
  required: true,
  content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
} as const;

function describe(operation: AnyContract): string {
  const allowed = permissionsOf(operation);
  const needs =
    allowed.length === 0
      ? "Requires a valid token, without a particular permission."
      : `Permission: ${listWords(
          allowed.map((p) => `\`${p}\``),
          "or",
        )}.`;
  const key = operation.idempotent
    ? "\n\nSend an `Idempotency-Key` header (1 to 255 characters) to make repeats safe. Within 24 hours the same key and body return the first response again, marked `Idempotency-Replayed: true`. Another body returns a 422."
    : "";
  return `${operation.description}\n\n${needs}${key}`;
}
