import { type RouteConfig, z } from "@hono/zod-openapi";
import { adviceOn } from "../core/advice.ts";
import { ADVICE_VIEW, ErrorCodeView } from "../core/code-schemas.ts";
import { type ErrorCode, type FieldErrors, summarize } from "../core/errors.ts";
import type { RawBody } from "./raw-body.ts";
import type { OperationInputs } from "./shape.ts";
import { invalidRequest } from "./validation.ts";

/** Schemas of an operation's responses in the OpenAPI document. */
const FieldErrorsView = z.record(z.string(), z.array(z.string())).openapi("FieldErrors", {
  description: "Field path, e.g. `twitter_threads.0.message`, to sentences: what is wrong, and what is allowed.",
  example: { channel_id: ["channel_id is required: a whole number."] },
});

const WarningsView = z.array(z.string()).openapi("Warnings", {
  description: "Accepted input that may be a mistake, in at most twenty sentences. Absent if there are no warnings.",
  example: ["`captoin` is not a field of create-post; did you mean `caption_text`?"],
});

export const ErrorView = z
  .object({
    status: z.literal(false),
    message: z.string().openapi({ description: "What is wrong and how to fix it, in one sentence." }),
    code: ErrorCodeView,
    ...ADVICE_VIEW,
    errors: FieldErrorsView.optional(),
    warnings: WarningsView.optional(),
  })
  .openapi("ErrorAnswer");

const Warned = { warnings: WarningsView.optional() };

/**
 * Adds the optional `warnings` to the schema of a response (warnings.ts). Handlers are typed by the schema
 * without them, because they do not write warnings.
 */
export function withWarnings<Answer extends z.ZodType>(answer: Answer): Answer | z.ZodIntersection<Answer> {
  const warned = answer instanceof z.ZodObject ? answer.extend(Warned) : z.intersection(answer, z.object(Warned));
  return warned as typeof warned & Answer;
}

export const RATE_HEADERS = {
  "X-Request-Id": { description: "The id of the request, for support.", schema: { type: "string" as const } },
  RateLimit: { description: "Remaining requests in this second.", schema: { type: "string" as const } },
  "RateLimit-Policy": { description: "100 requests a second per token.", schema: { type: "string" as const } },
};

/** The service's origin in examples of the document. */
const EXAMPLE_ORIGIN = "https://belfry.example";

/** What the refusals of an operation depend on. */
interface Refusing {
  readonly id: string;
  readonly params?: z.ZodType | undefined;
  readonly query?: z.ZodType | undefined;
  readonly body?: z.ZodType | undefined;
  readonly rawBody?: RawBody | undefined;
  readonly notFound?: z.ZodType | undefined;
  readonly refusal?: 401 | 403 | 422;
  readonly errorExtras?: Readonly<Record<string, unknown>>;
  readonly quotas?: string | undefined;
  readonly asksPlatform?: true | undefined;
  readonly refusedByState?: string | FieldErrors | undefined;
  readonly inputs: OperationInputs;
  readonly needsPermission: boolean;
}

type Responses = RouteConfig["responses"];
/** The content of an example. */
interface RefusalText {
  readonly message: string;
  readonly errors?: FieldErrors;
}

type Problem = (description: string, code: ErrorCode, refusal: string | (() => RefusalText)) => Responses[string];

/** Every refusal that the operation can return, with an example. */
export function documentedRefusals(spec: Refusing): Responses {
  const extras = spec.errorExtras;
  const schema = extras ? withExtras(`${spec.id.charAt(0).toUpperCase()}${spec.id.slice(1)}Error`, extras) : ErrorView;
  const problem: Problem = (description, code, refusal) => {
    const content = {
      schema,
      // Made when the document is built, not at each start of an isolate.
      get example() {
        const { message, errors }: RefusalText = typeof refusal === "string" ? { message: refusal } : refusal();
        const advice = adviceOn(code, EXAMPLE_ORIGIN);
        return { ...extras, status: false, message, code, ...advice, ...(errors ? { errors } : {}) };
      },
    };
    return { description, content: { "application/json": content } };
  };
  return { ...everywhere(spec, problem), ...ofMissing(spec, problem), ...ofInput(spec, problem) };
}

function withExtras(name: string, extras: Readonly<Record<string, unknown>>): z.ZodType {
  const fields = Object.entries(extras).map(([key, value]) => {
    return [key, z.array(z.unknown()).openapi({ example: value })] as const;
  });
  return ErrorView.extend(Object.fromEntries(fields)).openapi(name);
}

function everywhere(spec: Refusing, problem: Problem): Responses {
  const isPermissionToo = spec.needsPermission && spec.refusal === 401;
  const noToken = "Missing, invalid, expired or revoked token";
  return {
    401: problem(
      isPermissionToo ? `${noToken}, or the token lacks the permission.` : `${noToken}.`,
      "unauthenticated",
      "Send an access token in the header: Authorization: Bearer <token>.",
    ),
    429: {
      ...problem(tooMany(spec), "rate_limited", "Try again in a second."),
      headers: { "Retry-After": { description: "Seconds.", schema: { type: "integer" as const } } },
    },
    500: spec.asksPlatform
      ? {
          ...problem(
            "The platform did not answer (`platform_unavailable`, with `Retry-After`), or an unexpected error.",
            "platform_unavailable",
            "Meta did not answer in time.",
          ),
          headers: { "Retry-After": { description: "Seconds.", schema: { type: "integer" as const } } },
        }
      : problem("Unexpected error.", "unexpected", "Something went wrong on our side."),
    ...(spec.needsPermission && (spec.refusal ?? 403) === 403
      ? {
          403: problem("The token lacks the permission.", "permission_missing", "This access token has no permission."),
        }
      : {}),
  };
}

function tooMany({ quotas }: Refusing): string {
  const rate = "More than 100 requests in a second (`rate_limited`)";
  if (quotas === undefined) return `${rate}.`;
  return `${rate}, or a quota of the project is reached (\`quota_exceeded\`: ${quotas}). The message names the quota, its limit and its use; \`Retry-After\` says when to try again.`;
}

const NO_SUCH_THING = "The object does not exist in this project.";

function ofMissing(spec: Refusing, problem: Problem): Responses {
  if (spec.notFound) {
    return { 404: { description: NO_SUCH_THING, content: { "application/json": { schema: spec.notFound } } } };
  }
  return spec.params || spec.asksPlatform
    ? { 404: problem(NO_SUCH_THING, "not_found", "The object does not exist.") }
    : {};
}

function ofInput(spec: Refusing, problem: Problem): Responses {
  const { refusedByState } = spec;
  if (refusedByState !== undefined) {
    const by = "The object's state does not allow this.";
    if (typeof refusedByState === "string") return { 422: problem(by, "not_changeable", refusedByState) };
    const refusal = { message: summarize(refusedByState), errors: refusedByState };
    return { 422: problem(by, "invalid_request", () => refusal) };
  }
  const isPermissionToo = spec.needsPermission && spec.refusal === 422;
  if (!spec.body && !spec.rawBody && !spec.query && !isPermissionToo && !spec.asksPlatform) return {};
  const text = isPermissionToo
    ? "The request is invalid, or the token lacks the permission."
    : "The request is invalid. `errors` names each field and what is allowed.";
  return {
    ...(spec.body ? { 413: problem("Body over 1 MiB.", "body_too_large", "body must not be larger than 1 MiB.") } : {}),
    ...(spec.rawBody ? { 413: largeFile(spec.rawBody, problem) } : {}),
    422: problem(text, "invalid_request", () => typicalRefusal(spec)),
  };
}

function largeFile({ maxBytes }: RawBody, problem: Problem): Responses[string] {
  const most = `${maxBytes / 1024 / 1024} MiB`;
  return problem(`Body over ${most}.`, "body_too_large", `body must not be larger than ${most}.`);
}

/**
 * The operation's actual refusal of an empty request, or else of an invalid page size, `include`, month or
 * channel.
 */
function typicalRefusal({ body, rawBody, query, inputs }: Refusing): RefusalText {
  if (rawBody) {
    const message =
      rawBody.of === "csv"
        ? "file: its first row must have the column channel_id, and further fields of create-post."
        : "file is a web page; only images, GIFs and videos can be posted.";
    return { message, errors: { file: [message] } };
  }
  const [schema, shape] = body ? [body, inputs.body()] : [query, inputs.query()];
  for (const input of [{}, { limit: "0" }, { include: "everything" }, { month: "2026" }]) {
    const { error } = schema?.safeParse(input) ?? {};
    if (!error) continue;
    const { message, details } = invalidRequest(error, input, shape);
    return { message, ...(details.errors ? { errors: details.errors } : {}) };
  }
  // Only what the path names can be refused.
  const message = "channel_id: the platform of this channel does not support this.";
  return { message, errors: { channel_id: [message] } };
}
