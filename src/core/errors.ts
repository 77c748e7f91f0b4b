/**
 * Every error code that a caller can meet, once. `http/errors.ts` maps them to statuses.
 * Codes are stable: clients branch on them; messages are for people and may improve.
 */
export const ERROR_CODES = [
  "unauthenticated",
  "token_expired",
  "token_revoked",
  "permission_missing",
  "rate_limited",
  "invalid_request",
  "malformed_json",
  "unsupported_content_type",
  "body_too_large",
  "rule_violated",
  "not_found",
  "session_expired",
  "method_not_allowed",
  "idempotency_conflict",
  "unexpected",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Field path (`twitter_threads.0.message`) to sentences. */
export type FieldErrors = Record<string, string[]>;

export interface AppErrorDetails {
  readonly errors?: FieldErrors;
  readonly retryAfterSeconds?: number;
  /** Where the answer's status is the operation's own (permission refusals). */
  readonly status?: number;
  readonly cause?: unknown;
}

/** Ends the request with this code. The message is a sentence a person can act on. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: AppErrorDetails;

  constructor(code: ErrorCode, message: string, details: AppErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = "AppError";
    this.code = code;
    this.details = details;
  }
}

/** A 422 about one or more fields of the request. */
export function invalid(errors: FieldErrors): AppError {
  return new AppError("rule_violated", summarize(errors), { errors });
}

/** One sentence out of many: the first problem, and how many more there are. */
export function summarize(errors: FieldErrors): string {
  const sentences = Object.values(errors).flat();
  const [first = "The request is not valid."] = sentences;
  const more = sentences.length - 1;
  return more > 0 ? `${first} (and ${more} more ${more === 1 ? "problem" : "problems"}; see errors)` : first;
}
