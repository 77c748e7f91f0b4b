import { AppError, type FieldCode, invalid } from "../core/errors.ts";
import type { Failure } from "../platforms/context.ts";

/** Platform calls that a request makes while its caller waits: a failure becomes the request's error. */

/** The `Retry-After` if the platform sends none. */
const RETRY_SECONDS = 30;

/**
 * Returns the platform's answer, or throws the request's error. `field`: the field that a refusal concerns;
 * `account`: the field of an ad account, if the request named one.
 */
export function requireAnswer<T extends { readonly kind: string }>(
  outcome: T | Failure,
  field: string,
  account: string | null = null,
): Exclude<T, Failure> {
  if (!isFailure(outcome)) return outcome as Exclude<T, Failure>;
  const { reason, message, retryAfterSeconds } = outcome;
  switch (reason) {
    case "rejected":
      throw invalid({ [field]: [`${field}: ${message}`] }, refusalCode(outcome));
    case "permission_missing":
      if (account) throw invalid({ [account]: [`${account}: ${message}`] }, "permission_missing");
      throw invalid({ [field]: [`${field}: ${message}`] }, "reconnect_needed");
    case "token_expired":
    case "disconnected":
      throw invalid({ [field]: [`${field}: ${message}`] }, "reconnect_needed");
    case "throttled":
    case "down":
    case "blocked":
      throw unavailable(message, retryAfterSeconds ?? RETRY_SECONDS);
  }
}

const isFailure = (outcome: { readonly kind: string }): outcome is Failure => outcome.kind === "failed";

function refusalCode({ code }: Failure): FieldCode {
  return code === "unsupported_by_platform" || code === "content_invalid" ? code : "invalid_request";
}

export function unavailable(message: string, retryAfterSeconds: number): AppError {
  return new AppError("platform_unavailable", message, {
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)),
  });
}
