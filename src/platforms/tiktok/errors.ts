import { z } from "zod";
import type { Dialect } from "../answers.ts";
import type { Duplicate, Failure, LimitScope, SaidCode, Unknown } from "../context.ts";
import { quoting } from "../outcomes.ts";
import { outcomeOf, retryAfter, type Verdict } from "../refusals.ts";
import { type Answered, type Lost, parseBody } from "../request.ts";

/**
 * What TikTok's refusals mean for us.
 *
 * - `error.code` decides, whatever the status: an answer of 200 may be a refusal, and every success says
 *   `ok`.
 * - Calls are counted by the minute. The caps of a day end at a time that nobody publishes, 24 hours after
 *   each post: asked again every hour.
 */

const words = z.string().optional().catch(undefined);
const ErrorBody = z.object({ error: z.object({ code: z.string(), message: words, log_id: words, logid: words }) });

interface Problem {
  readonly code: string;
  readonly message: string | null;
  /** What TikTok's support asks for. */
  readonly reference: string | null;
}

/** TikTok's error; null when the body has not its form, or says that there is none. */
function problemOf(answer: Answered): Problem | null {
  const error = parseBody(ErrorBody, answer)?.error;
  if (!error || error.code === "ok") return null;
  return { code: error.code, message: error.message || null, reference: error.log_id ?? error.logid ?? null };
}

type Entry = readonly [Verdict, advice: string, more?: More];
interface More {
  /** Where TikTok does not tell it. */
  readonly waitSeconds?: number;
  /** Whose allowance is used up until then. */
  readonly limit?: LimitScope;
  readonly code?: SaidCode;
}

const MINUTE = 60;
const HOUR = 3600;

const RECONNECT: Entry = ["token_expired", "TikTok no longer accepts the connection."];
const SCOPE: Entry = [
  "permission_missing",
  "TikTok was not allowed to give what this needs. Leave everything ticked when you connect.",
];
const OUR_REQUEST: Entry = ["rejected", "TikTok did not understand our request. Tell the operator of this service."];
const PACE: Entry = ["throttled", "TikTok asks this service to slow down.", { waitSeconds: MINUTE }];
const PASSING: Entry = ["unclear", "TikTok had a passing error."];
export const BANNED = "TikTok does not let this account post now. Sign in at TikTok and see what it asks for.";
export const TOO_MANY = "This account has posted as often as TikTok lets it in 24 hours, by all its apps together.";
export const SPAM = "TikTok takes the post for spam. Write it anew, and wait before you post it.";

const ENTRIES: Readonly<Record<string, Entry>> = {
  access_token_invalid: RECONNECT,
  scope_not_authorized: SCOPE,
  scope_permission_missed: SCOPE,
  rate_limit_exceeded: PACE,
  invalid_param: OUR_REQUEST,
  invalid_params: OUR_REQUEST,
  invalid_file_upload: OUR_REQUEST,
  invalid_publish_id: ["rejected", "TikTok does not know what was sent for this post any more."],
  token_not_authorized_for_specified_publish_id: ["rejected", "TikTok does not let this account ask for the post."],
  spam_risk_too_many_posts: [
    "throttled",
    TOO_MANY,
    { waitSeconds: HOUR, limit: "account", code: "account_restricted" },
  ],
  spam_risk_user_banned_from_posting: ["rejected", BANNED, { code: "account_restricted" }],
  spam_risk_too_many_pending_share: [
    "throttled",
    TOO_MANY,
    { waitSeconds: HOUR, limit: "account", code: "account_restricted" },
  ],
  spam_risk_text: ["rejected", SPAM, { code: "content_refused" }],
  spam_risk: ["rejected", SPAM, { code: "content_refused" }],
  reached_active_user_cap: [
    "throttled",
    "As many accounts have posted by this service as TikTok lets it have in 24 hours.",
    // Those that have posted already go on.
    { waitSeconds: HOUR, limit: "account" },
  ],
  unaudited_client_can_only_post_to_private_accounts: [
    "blocked",
    "TikTok has not audited our app yet: it may post to private accounts only, for nobody else to see. The operator of this service must see to it.",
  ],
  url_ownership_unverified: [
    "blocked",
    "TikTok does not know that the address of the pictures is ours: the operator of this service must verify it there.",
  ],
  privacy_level_option_mismatch: [
    "rejected",
    "TikTok does not take this privacy from the account any more. Post it again.",
    { code: "unsupported_by_platform" },
  ],
  internal_error: PASSING,
};

/** Refusals of an account come with status 200 too. */
const OF_ACCOUNT = ["spam_risk_too_many_posts", "spam_risk_user_banned_from_posting", "reached_active_user_cap"];

/** Which codes are documented, by status. */
const DOCUMENTED: Readonly<Record<number, readonly string[]>> = {
  200: OF_ACCOUNT,
  400: [
    "invalid_param",
    "invalid_params",
    "invalid_file_upload",
    "invalid_publish_id",
    "scope_permission_missed",
    "token_not_authorized_for_specified_publish_id",
  ],
  401: ["access_token_invalid", "scope_not_authorized", "token_not_authorized_for_specified_publish_id"],
  403: [
    ...OF_ACCOUNT,
    "spam_risk_text",
    "spam_risk",
    "spam_risk_too_many_pending_share",
    "unaudited_client_can_only_post_to_private_accounts",
    "url_ownership_unverified",
    "privacy_level_option_mismatch",
  ],
  429: ["rate_limit_exceeded"],
};

export const TIKTOK: Dialect = {
  title: "TikTok",
  refusal(answer) {
    const problem = problemOf(answer);
    return problem && classify(problem, answer);
  },
  documents(answer) {
    const code = problemOf(answer)?.code;
    return code !== undefined && (DOCUMENTED[answer.status]?.includes(code) ?? false);
  },
  waitSeconds: retryAfter,
  heldBack: [],
};

function classify({ code, message, reference }: Problem, { status, headers }: Answered): Failure | Unknown | Duplicate {
  const [verdict, advice, more = {}] = (Object.hasOwn(ENTRIES, code) && ENTRIES[code]) || byStatus(status);
  const marks = [code, reference && `reference ${reference}`].filter(Boolean).join(", ");
  const sentence = `${quoting(advice, "TikTok", message)} (${marks})`;
  return outcomeOf(verdict, sentence, { ...more, retryAfterSeconds: retryAfter(headers) ?? more.waitSeconds });
}

/** Whether TikTok does not take a video in chunks of this size and number. */
export function areChunksRefused(answer: Answered | Lost): boolean {
  if (answer.kind === "lost") return false;
  const problem = problemOf(answer);
  return /^invalid_params?$/.test(problem?.code ?? "") && /\bchunk/i.test(problem?.message ?? "");
}

/** For codes that are not in the table. */
function byStatus(status: number): Entry {
  if (status === 401) return RECONNECT;
  if (status === 429) return PACE;
  if (status === 408 || status >= 500) return PASSING;
  return ["rejected", "TikTok refused this."];
}
