import type { components } from "./openapi.ts";

type Schemas = components["schemas"];

/** A code of docs/errors.md. Of this client only: `no_answer` and `timeout`. Later releases can add codes. */
export type Code = Schemas["ErrorCode"] | Schemas["FailureCode"] | "no_answer" | "timeout" | (string & {});

/** What the service says about an error or a failed post. */
export interface ErrorFacts {
  readonly code: Code;
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string | undefined;
  /** Whether the same may be sent again: only after a change, later, or only after a check of the channel. */
  readonly again?: Schemas["ErrorAnswer"]["again"] | undefined;
  readonly docs_url?: string | undefined;
  /** Sentences by field path. */
  readonly errors?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Every error that this client throws. */
export class BelfryError extends Error {
  readonly code: Code;
  readonly fix: string | null;
  readonly again: Schemas["ErrorAnswer"]["again"];
  readonly docsUrl: string | null;
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** Null if there was no response. */
  readonly status: number | null;
  /** For support: the id of the request, or null if there was no response. */
  readonly requestId: string | null;

  constructor(facts: ErrorFacts, response?: Response, options?: ErrorOptions) {
    super(facts.message, options);
    this.name = new.target.name;
    this.code = facts.code;
    this.fix = facts.fix ?? null;
    this.again = facts.again ?? "later";
    this.docsUrl = facts.docs_url ?? null;
    this.errors = facts.errors ?? {};
    this.status = response?.status ?? null;
    this.requestId = response?.headers.get("X-Request-Id") ?? null;
  }
}

/** The token is missing, unknown, expired or revoked, or it lacks the permission. */
export class AccessError extends BelfryError {}
/** The object does not exist in this project. */
export class NotFoundError extends BelfryError {}
/** The request cannot be carried out as it is. `errors` has the fields. */
export class InvalidRequestError extends BelfryError {}
/** A rate limit or a quota was reached for longer than this client waits. */
export class LimitError extends BelfryError {}
/** The service or the platform failed. */
export class ServiceError extends BelfryError {}
/** No response, after all retries. A create is safe to repeat only with the same `Idempotency-Key`. */
export class ConnectionError extends BelfryError {}
/** The post did not reach a final state in time. It is still on its way. */
export class TimeoutError extends BelfryError {}

/** The post failed; `again` says whether to post again. */
export class PostFailedError extends BelfryError {
  readonly post: Schemas["Post"];

  constructor(post: Schemas["Post"]) {
    super({ ...post, code: post.error_code ?? "unexpected", message: post.error ?? "The post failed." });
    this.post = post;
  }
}

const BY_STATUS: Readonly<Record<number, typeof BelfryError>> = {
  401: AccessError,
  403: AccessError,
  404: NotFoundError,
  429: LimitError,
};

/** `body` is the parsed response; null if it was not JSON: a proxy's, not the service's. */
export function errorOf(response: Response, body: Partial<ErrorFacts> | null): BelfryError {
  const { status } = response;
  const facts = { code: "unexpected", message: `The service responded with status ${status}.`, ...body };
  const Kind =
    facts.code === "permission_missing" && facts.errors === undefined
      ? AccessError
      : (BY_STATUS[status] ?? (status < 500 ? InvalidRequestError : ServiceError));
  return new Kind(facts, response);
}
