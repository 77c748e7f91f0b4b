import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { ErrorCode } from "../core/errors.ts";

/**
 * From code to status, each once and in this direction only. The operation defines the status of
 * `permission_missing` (spec 5.6).
 */
export const STATUS: Readonly<Record<ErrorCode, ContentfulStatusCode>> = {
  unauthenticated: 401,
  token_expired: 401,
  token_revoked: 401,
  permission_missing: 403,
  confirmation_needed: 403,
  rate_limited: 429,
  quota_exceeded: 429,
  invalid_request: 422,
  malformed_json: 422,
  unsupported_content_type: 422,
  body_too_large: 413,
  reference_invalid: 422,
  unsupported_by_platform: 422,
  content_invalid: 422,
  media_invalid: 422,
  media_unreachable: 422,
  reconnect_needed: 422,
  channel_disconnected: 422,
  schedule_invalid: 422,
  slot_unavailable: 422,
  not_changeable: 422,
  not_found: 404,
  session_expired: 404,
  method_not_allowed: 405,
  idempotency_conflict: 422,
  platform_unavailable: 500,
  project_moving: 423,
  not_ready: 503,
  unexpected: 500,
};
