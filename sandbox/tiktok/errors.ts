// TikTok's error format: every response has the same envelope; its code is `ok` on success.

import { randomText } from "../random";

const logId = () => `20261120${randomText(18).toUpperCase()}`;

const STATUS: Readonly<Record<string, number>> = {
  access_token_invalid: 401,
  scope_not_authorized: 401,
  token_not_authorized_for_specified_publish_id: 401,
  rate_limit_exceeded: 429,
  spam_risk_too_many_posts: 403,
  spam_risk_user_banned_from_posting: 403,
  spam_risk_too_many_pending_share: 403,
  reached_active_user_cap: 403,
  unaudited_client_can_only_post_to_private_accounts: 403,
  url_ownership_unverified: 403,
  privacy_level_option_mismatch: 403,
  internal_error: 500,
};

export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = STATUS[code] ?? 400) {
    super(message);
    this.code = code;
    this.status = status;
  }

  toResponse(): Response {
    const error = { code: this.code, message: this.message, log_id: logId() };
    return Response.json({ data: {}, error }, { status: this.status });
  }
}

/** Digits between these marks are serialized as a number, however long. */
const bigNumber = (digits: string) => `@@${digits}@@`;
export const asNumbers = (ids: readonly string[]) => ids.map(bigNumber);

export function ok(data: object): Response {
  const error = { code: "ok", message: "", log_id: logId() };
  const text = JSON.stringify({ data, error }).replaceAll(/"@@(\d+)@@"/g, "$1");
  return new Response(text, { headers: { "content-type": "application/json; charset=utf-8" } });
}

export const invalidParams = (message: string) => new ApiError("invalid_params", message);
export const invalidParam = (message: string) => new ApiError("invalid_param", message);
export const badToken = () =>
  new ApiError("access_token_invalid", "The access token is invalid or not found in the request.");
export const outage = () => new ApiError("internal_error", "Something went wrong. Please try again later.");
export const tooFast = () => new ApiError("rate_limit_exceeded", "The API rate limit was exceeded. Please try later.");
