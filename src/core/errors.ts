import type { Check } from "./checks.ts";
import { type CodeAbout, FAILURES } from "./failures.ts";

/**
 * Every error code that a caller can receive. `http/errors.ts` maps them to statuses; docs/errors.md and the
 * OpenAPI document are checked against them. Codes are stable, because clients branch on them; messages are
 * for people and may change. A code that failures of posts also use means the same there (failures.ts).
 */
export const ERRORS = {
  unauthenticated: {
    means: "The access token is missing or unknown.",
    remedy: "Send `Authorization: Bearer <token>`, with the whole token.",
    retry: "no",
  },
  token_expired: {
    means: "The access token has expired.",
    remedy: "Create a new one.",
    retry: "no",
  },
  token_revoked: {
    means: "The access token was revoked.",
    remedy: "Create a new one.",
    retry: "no",
  },
  permission_missing: FAILURES.permission_missing,
  confirmation_needed: {
    means: "The access token was given to an agent, and a person must confirm what it spends.",
    remedy: "A member opens the address in the message and confirms. Then send the same request again.",
    retry: "later",
  },
  rate_limited: FAILURES.rate_limited,
  quota_exceeded: {
    means:
      "A quota of the project is reached: waiting posts, stored bytes of text or files, concurrent media checks, generations per day, or webhooks.",
    remedy:
      "Follow the message, then send the request again after `Retry-After`. The operator of the service can raise the quota.",
    retry: "later",
  },
  invalid_request: {
    means: "A field, parameter or header is missing or invalid. `errors` names each.",
    remedy: "Correct the fields in `errors`.",
    retry: "no",
  },
  malformed_json: {
    means: "The body is not JSON, or not an object.",
    remedy: "Send a JSON object.",
    retry: "no",
  },
  unsupported_content_type: {
    means: "The content type of the body is not supported.",
    remedy: "Send `Content-Type: application/json`; for a file, a type that the message names.",
    retry: "no",
  },
  body_too_large: {
    means: "The body is larger than 1 MiB, or the file is too large for one request.",
    remedy: "Send media as URLs, fewer items per request, and large files in parts.",
    retry: "no",
  },
  reference_invalid: {
    means: "The body names an object that does not exist in this project, or has another type.",
    remedy: "Send the id of an existing object; `errors` names the field.",
    retry: "no",
  },
  unsupported_by_platform: FAILURES.unsupported_by_platform,
  content_invalid: FAILURES.content_invalid,
  media_invalid: FAILURES.media_invalid,
  media_unreachable: FAILURES.media_unreachable,
  reconnect_needed: FAILURES.reconnect_needed,
  channel_disconnected: FAILURES.channel_disconnected,
  schedule_invalid: {
    means: "`schedule_time` is not a valid date, is in the past, or is too far ahead.",
    remedy: "Send a time between now and five years ahead.",
    retry: "no",
  },
  slot_unavailable: {
    means: "The channel's timetable has no free slot.",
    remedy: "Add slots to the timetable, or publish at a fixed time.",
    retry: "later",
  },
  not_changeable: {
    means: "The object's state or type does not allow this change.",
    remedy:
      "Check its state. To change a published post, delete it and create another. Delete a channel's campaigns before you disconnect it.",
    retry: "no",
  },
  not_found: {
    means: "The object in the path does not exist in this project.",
    remedy: "Check the address and the id.",
    retry: "no",
  },
  session_expired: {
    means: "The connection session has expired.",
    remedy: "Start a new session (connect-channel).",
    retry: "no",
  },
  method_not_allowed: {
    means: "The address does not support this method.",
    remedy: "Use a method from `Allow`.",
    retry: "no",
  },
  idempotency_conflict: {
    means: "The `Idempotency-Key` belongs to another request.",
    remedy: "Send a new key with each new request, and the same body with the same key.",
    retry: "no",
  },
  platform_unavailable: {
    means: "The platform did not answer or limits the rate, and this request needs its answer.",
    remedy: "Send the request again after `Retry-After`.",
    retry: "later",
  },
  project_moving: {
    means: "The project is being moved to another database of the service, which takes minutes. Nothing is lost.",
    remedy: "Send the request again after `Retry-After`.",
    retry: "later",
  },
  not_ready: {
    means: "The service is not configured, or its database is missing.",
    remedy: "Contact the operator: `/healthz` and the log name what is missing.",
    retry: "later",
  },
  unexpected: FAILURES.unexpected,
} as const satisfies Readonly<Record<string, CodeAbout>>;

export type ErrorCode = keyof typeof ERRORS;

/** The same as a list, for schemas. */
export const ERROR_CODES = Object.keys(ERRORS).filter(isErrorCode);

function isErrorCode(word: string): word is ErrorCode {
  return Object.hasOwn(ERRORS, word);
}

/** From a field path (`twitter_threads.0.message`) to sentences. */
export type FieldErrors = Record<string, string[]>;

export interface AppErrorDetails {
  readonly errors?: FieldErrors;
  /** The same problems with their codes and checks. */
  readonly problems?: readonly FieldProblem[];
  /** Whether a field names an object that the project does not have; the console answers with 404. */
  readonly isAbsent?: boolean;
  readonly retryAfterSeconds?: number;
  /** The response status, if the operation defines its own (permission refusals). */
  readonly status?: number;
  readonly cause?: unknown;
}

/** Ends the request with this code. The message is a sentence that a person can act on. */
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

/** For every request of a project that is being moved to another database. */
export const projectMoving = (): AppError =>
  new AppError("project_moving", "This project is being moved to another database. Try again in half a minute.", {
    retryAfterSeconds: 30,
  });

/** Codes of a 422 about fields of the request. */
export type FieldCode = Extract<
  ErrorCode,
  | "invalid_request"
  | "reference_invalid"
  | "unsupported_by_platform"
  | "content_invalid"
  | "media_invalid"
  | "media_unreachable"
  | "reconnect_needed"
  | "channel_disconnected"
  | "schedule_invalid"
  | "slot_unavailable"
  | "not_changeable"
  | "permission_missing"
>;

/**
 * A 422 about one or more fields of the request. `code` is the kind of problem if the fields are well-formed.
 */
export function invalid(errors: FieldErrors, code: FieldCode = "invalid_request"): AppError {
  // For a token that lacks a permission, the operation defines the status; a field that may not be used is a
  // 422 like any other.
  return new AppError(code, summarize(errors), code === "permission_missing" ? { errors, status: 422 } : { errors });
}

/** The 422 for an object that a field names and the project does not have. */
export function absentIn(field: string, message: string): AppError {
  return invalidFields([{ field, message, code: "reference_invalid", isAbsent: true }]);
}

/** What is wrong with one field. */
export interface FieldProblem extends Problem {
  readonly field: string;
  readonly code: FieldCode;
  /** Whether the project does not have the object that the field names. */
  readonly isAbsent?: true;
}

/** A sentence, and what it says for those who show it in another language. */
export interface Problem {
  readonly message: string;
  readonly check?: Check | undefined;
}

/** The same for several problems: the first one determines the code. */
export function invalidFields(problems: readonly [FieldProblem, ...FieldProblem[]]): AppError {
  // A Map, because a field may be called `constructor`.
  const byField = Map.groupBy(problems, ({ field }) => field);
  const sentences = [...byField].map(([field, found]) => [field, found.map(({ message }) => message)] as const);
  const { code, message, details } = invalid(Object.fromEntries(sentences), problems[0].code);
  const isAbsent = problems.some((problem) => problem.isAbsent);
  return new AppError(code, message, { ...details, problems, ...(isAbsent ? { isAbsent } : {}) });
}

/**
 * The 404 for a resource that the path names and the project does not have. A resource of another project
 * gets the same response.
 */
export function absent(
  thing:
    | "post"
    | "channel"
    | "upload"
    | "media file"
    | "comment automation"
    | "generation"
    | "campaign"
    | "social account"
    | "webhook"
    | "delivery"
    | "import"
    | "series"
    | "feed"
    | "comment"
    | "conversation"
    | "message",
  id: number | string,
): AppError {
  return new AppError("not_found", `There is no ${thing} ${String(id).slice(0, 40)} in this project.`);
}

/** What the act returns, or why it is refused. Other errors are thrown. */
export async function orRefusal<T>(act: () => Promise<T>): Promise<T | AppError> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** One sentence for many: the first problem, and the number of further ones. */
export function summarize(errors: FieldErrors): string {
  const sentences = Object.values(errors).flat();
  const [first = "The request is not valid."] = sentences;
  const more = sentences.length - 1;
  return more > 0 ? `${first} (and ${more} more ${more === 1 ? "problem" : "problems"}; see errors)` : first;
}
