import { z } from "zod";
import { type RefusalTable, type Row, retryAfter } from "../refusals.ts";
import { type Answered, type Lost, parseBody } from "../request.ts";

/**
 * The meaning of TikTok's refusals.
 *
 * - `error.code` decides, whatever the status: an answer of 200 may be a refusal, and every success has the
 *   code `ok`.
 * - Calls are counted per minute. The daily caps reset at an undocumented time, 24 hours after each post, so
 *   they are checked every hour.
 */

const words = z.string().optional().catch(undefined);
const ErrorBody = z.object({ error: z.object({ code: z.string(), message: words, log_id: words, logid: words }) });

interface TikTokError {
  readonly code: string;
  readonly message: string | null;
  /** For TikTok's support. */
  readonly reference: string | null;
}

/** TikTok's error; null if the body does not have its format, or reports no error. */
function errorOf(answer: Answered): TikTokError | null {
  const error = parseBody(ErrorBody, answer)?.error;
  if (!error || error.code === "ok") return null;
  return { code: error.code, message: error.message || null, reference: error.log_id ?? error.logid ?? null };
}

const MINUTE = 60;
const HOUR = 3600;

const RECONNECT = "TikTok no longer accepts the connection.";
const SCOPE = "The connection lacks a permission. Reconnect and leave everything selected.";
const OUR_REQUEST = "TikTok did not understand the request. Contact the operator of this service.";
const PACE = "TikTok's rate limit is reached.";
const PASSING = "TikTok had a temporary error.";
export const BANNED = "TikTok does not let this account post now. Sign in at TikTok and follow its instructions.";
export const TOO_MANY = "This account has reached TikTok's limit of posts in 24 hours, over all its apps.";
export const SPAM = "TikTok classified the post as spam. Rewrite it, and wait before you post it.";

const ROWS: readonly Row[] = [
  ["access_token_invalid", "token_expired", RECONNECT, { at: [401] }],
  ["scope_not_authorized", "permission_missing", SCOPE, { at: [401] }],
  ["scope_permission_missed", "permission_missing", SCOPE, { at: [400] }],
  ["rate_limit_exceeded", "throttled", PACE, { at: [429], wait: MINUTE }],
  [["invalid_param", "invalid_params", "invalid_file_upload"], "rejected", OUR_REQUEST, { at: [400] }],
  ["invalid_publish_id", "rejected", "TikTok no longer knows the upload of this post. Post it again.", { at: [400] }],
  [
    "token_not_authorized_for_specified_publish_id",
    "rejected",
    "TikTok does not let this account read the status of the post.",
    { at: [400, 401] },
  ],
  [
    "spam_risk_too_many_posts",
    "throttled",
    TOO_MANY,
    { at: [200, 403], wait: HOUR, limit: "account", code: "account_restricted" },
  ],
  ["spam_risk_user_banned_from_posting", "rejected", BANNED, { at: [200, 403], code: "account_restricted" }],
  [
    "spam_risk_too_many_pending_share",
    "throttled",
    TOO_MANY,
    { wait: HOUR, limit: "account", code: "account_restricted" },
  ],
  ["spam_risk_text", "rejected", SPAM, { code: "content_refused" }],
  ["spam_risk", "rejected", SPAM, { code: "content_refused" }],
  // Accounts that have already posted are not limited.
  [
    "reached_active_user_cap",
    "throttled",
    "This service has reached TikTok's limit of posting accounts in 24 hours.",
    { at: [200, 403], wait: HOUR, limit: "account" },
  ],
  [
    "unaudited_client_can_only_post_to_private_accounts",
    "blocked",
    "TikTok has not audited the app of this service yet. It may only publish private posts to private accounts. The operator must request the audit.",
  ],
  [
    "url_ownership_unverified",
    "blocked",
    "The address of the pictures is not verified at TikTok. The operator of this service must verify it.",
  ],
  [
    "privacy_level_option_mismatch",
    "rejected",
    "The account no longer offers this privacy. Post it again.",
    { code: "unsupported_by_platform" },
  ],
  ["internal_error", "unclear", PASSING, { at: [] }],
  // For codes that no row names.
  [401, "token_expired", RECONNECT, { at: [] }],
  [429, "throttled", PACE, { at: [], wait: MINUTE }],
  [408, "unclear", PASSING, { at: [] }],
];

export const TIKTOK: RefusalTable = {
  title: "TikTok",
  problemOf(answer) {
    const error = errorOf(answer);
    if (error === null) return null;
    const { code, message, reference } = error;
    const mark = [code, reference && `reference ${reference}`].filter(Boolean).join(", ");
    return { codes: [code], text: "", quote: message, mark };
  },
  rows: ROWS,
  documentedAt: [403],
  waitSeconds: retryAfter,
  heldBack: [],
};

/** Whether TikTok refuses a video in chunks of this size and number. */
export function areChunksRefused(answer: Answered | Lost): boolean {
  if (answer.kind === "lost") return false;
  const error = errorOf(answer);
  return /^invalid_params?$/.test(error?.code ?? "") && /\bchunk/i.test(error?.message ?? "");
}
