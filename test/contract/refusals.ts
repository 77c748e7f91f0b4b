import type { FACTS } from "./facts.ts";

/**
 * How each platform says no, in its own form: one refusal of each meaning that its contract documents for
 * publishing calls.
 */
export interface Refused {
  readonly name: string;
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * One final refusal of each platform's publishing calls, and the code with which its post then fails.
 */
export const FINAL: Readonly<Record<keyof typeof FACTS, readonly [Refused, code: string]>> = {
  facebook: [graph(1_404_102), "content_refused"],
  instagram: [graph(25, 2_207_050), "account_restricted"],
  threads: [graph(100), "platform_rejected"],
  youtube: [google(400, "invalidTitle"), "content_invalid"],
  linkedin: [linkedin(422, "FIELD_LENGTH_TOO_LONG", 0), "content_invalid"],
  tiktok: [tiktok(403, "spam_risk_user_banned_from_posting"), "account_restricted"],
  twitter: [x(403, "Forbidden", "You are not permitted to perform this action."), "platform_rejected"],
  bluesky: [xrpc(400, "InvalidRequest", "Invalid record: Invalid datetime at $.record.createdAt"), "platform_rejected"],
};

function graph(code: number, subcode?: number, status = 400): Refused {
  const more = subcode === undefined ? {} : { error_subcode: subcode };
  const error = { message: `(#${code}) No.`, type: "OAuthException", code, ...more, fbtrace_id: "AbC" };
  return { name: subcode === undefined ? `${code}` : `${code}/${subcode}`, status, body: { error } };
}

const GRAPH = [
  graph(3),
  graph(4),
  graph(10),
  graph(10, undefined, 403),
  graph(17),
  graph(32),
  graph(100),
  graph(100, 33),
  graph(102),
  graph(104),
  graph(190),
  graph(190, 460, 401),
  graph(190, 463),
  graph(200),
  graph(283),
  graph(341),
  graph(368),
  graph(613),
  graph(803),
  graph(80_001),
  graph(2635),
];

function google(status: number, reason: string): Refused {
  const error = { code: status, message: "No.", errors: [{ message: "No.", domain: "global", reason }] };
  return { name: reason, status, body: { error } };
}

function tiktok(status: number, code: string): Refused {
  return { name: code, status, body: { data: {}, error: { code, message: "No.", log_id: "2026" } } };
}

function linkedin(status: number, code: string, serviceErrorCode: number): Refused {
  return { name: code, status, body: { status, code, serviceErrorCode, message: "No." } };
}

function x(status: number, title: string, detail: string, type = "about:blank"): Refused {
  return { name: title, status, body: { title, detail, type, status } };
}

function xrpc(status: number, error: string, message: string): Refused {
  return { name: error, status, body: { error, message } };
}

/** How each platform says that a permission is missing, whatever the account may do. */
export const LACKS: Readonly<Record<keyof typeof FACTS, Refused>> = {
  facebook: graph(10),
  instagram: graph(10),
  threads: graph(10),
  youtube: google(403, "insufficientPermissions"),
  linkedin: linkedin(403, "ACCESS_DENIED", 100),
  tiktok: tiktok(401, "scope_not_authorized"),
  twitter: x(403, "Forbidden", "Your client app lacks the required scopes."),
  bluesky: xrpc(403, "ScopeMissingError", 'Missing required scope "repo:app.bsky.feed.post?action=create"'),
};

export const REFUSALS: Readonly<Record<keyof typeof FACTS, readonly Refused[]>> = {
  facebook: [...GRAPH, graph(389), graph(1_404_006), graph(1_404_102), graph(1_609_005), graph(368, 1_346_003)],
  instagram: [
    ...GRAPH,
    graph(4, 2_207_051),
    graph(9, 2_207_042),
    graph(24, 2_207_006),
    graph(24, 2_207_008),
    graph(25, 2_207_050),
    graph(9007, 2_207_027),
    graph(36_004, 2_207_010),
    graph(-2, 2_207_020),
  ],
  threads: [...GRAPH, graph(4, 2_207_051), graph(9, 2_207_042), graph(24, 4_279_009), graph(9007, 2_207_027)],
  youtube: [
    google(401, "authError"),
    google(401, "youtubeSignupRequired"),
    google(403, "insufficientPermissions"),
    google(403, "forbidden"),
    google(403, "quotaExceeded"),
    google(403, "rateLimitExceeded"),
    google(400, "uploadLimitExceeded"),
    google(400, "invalidTitle"),
  ],
  linkedin: [
    linkedin(401, "INVALID_ACCESS_TOKEN", 65_600),
    linkedin(401, "REVOKED_ACCESS_TOKEN", 65_601),
    linkedin(403, "ACCESS_DENIED", 100),
    linkedin(404, "NOT_FOUND", 0),
    linkedin(422, "FIELD_LENGTH_TOO_LONG", 0),
    linkedin(429, "TOO_MANY_REQUESTS", 101),
    linkedin(426, "NONEXISTENT_VERSION", 0),
  ],
  tiktok: [
    tiktok(401, "access_token_invalid"),
    tiktok(401, "scope_not_authorized"),
    tiktok(400, "invalid_params"),
    tiktok(403, "spam_risk_too_many_posts"),
    tiktok(403, "spam_risk_user_banned_from_posting"),
    tiktok(429, "rate_limit_exceeded"),
  ],
  twitter: [
    x(401, "Unauthorized", "Unauthorized"),
    x(402, "CreditsDepleted", "No credits.", "https://api.twitter.com/2/problems/credits"),
    x(403, "Forbidden", "You are not permitted to perform this action."),
    x(403, "Forbidden", "Your account is temporarily locked."),
    x(403, "Client Forbidden", "No.", "https://api.twitter.com/2/problems/client-forbidden"),
    x(400, "Invalid Request", "One or more parameters to your request was invalid."),
    x(429, "Too Many Requests", "Too Many Requests"),
  ],
  bluesky: [
    xrpc(400, "InvalidRequest", "No."),
    xrpc(400, "InvalidMimeType", "No."),
    xrpc(401, "invalid_token", "No."),
    xrpc(401, "AccountDeactivated", "No."),
    xrpc(403, "ScopeMissingError", "No."),
    xrpc(403, "AccountNotFound", "No."),
    xrpc(413, "PayloadTooLarge", "No."),
    xrpc(429, "RateLimitExceeded", "No."),
  ],
};
