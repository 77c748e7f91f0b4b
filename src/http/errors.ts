import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { adviceOn } from "../core/advice.ts";
import { AppError, type ErrorCode, projectMoving } from "../core/errors.ts";
import { isMovingViolation } from "../db/client.ts";
import type { AppEnv } from "./environment.ts";
import { apiOrigin } from "./origin.ts";
import { STATUS } from "./statuses.ts";

/**
 * Responds with `{status: false, message, code, fix, again, docs_url, errors?}`; the real cause of an
 * unexpected error is only logged.
 */
export function answerError(error: Error, c: Context<AppEnv>): Response {
  const known = asAppError(error);
  if (known.code === "unexpected") c.var.deps?.log.error("request_failed", error, { requestId: c.var.requestId });
  const status = permissionStatus(known) ?? STATUS[known.code];
  if (known.details.retryAfterSeconds !== undefined) c.header("Retry-After", String(known.details.retryAfterSeconds));
  if (status === 401) c.header("WWW-Authenticate", 'Bearer realm="belfry"');
  const body = {
    ...c.var.errorExtras,
    ...errorBody(c, known.code, known.message),
    ...(known.details.errors ? { errors: known.details.errors } : {}),
  };
  return c.json(body, status);
}

/** The body of every error response. */
export function errorBody(c: Context<AppEnv>, code: ErrorCode, message: string) {
  return { status: false, message, code, ...adviceOn(code, apiOrigin(c)) };
}

function permissionStatus(error: AppError): ContentfulStatusCode | null {
  if (error.code !== "permission_missing") return null;
  return error.details.status === 401 || error.details.status === 422 ? error.details.status : null;
}

function asAppError(error: Error): AppError {
  if (error instanceof AppError) return error;
  // A request that began before its project was moved.
  if (isMovingViolation(error)) return projectMoving();
  if (error instanceof HTTPException && error.status < 500) {
    return new AppError("invalid_request", "The request could not be read. Check its body and headers.");
  }
  return new AppError(
    "unexpected",
    "Something went wrong on our side. Try again. If this keeps happening, send us the X-Request-Id.",
  );
}
