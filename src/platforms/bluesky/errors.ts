import { z } from "zod";
import { type RefusalTable, type Row, retryAfter } from "../refusals.ts";
import { type Answered, parseBody } from "../request.ts";

/**
 * The meaning of refusals: `{ error, message }` from the account's server, whatever its version. The same
 * names come with different statuses, so that a name decides where there is one.
 */
const ErrorBody = z.object({ error: z.string().min(1), message: z.string().optional().catch(undefined) });

/** The name of an error; null if the body has none. */
export function errorName(answer: Answered): string | null {
  return parseBody(ErrorBody, answer)?.error ?? null;
}

/**
 * Refusals of the proof alone (proofs.ts): it lacks the server's nonce, came twice, or its time is off. They
 * say nothing about the connection.
 */
export const PROOF_REFUSALS: readonly string[] = ["use_dpop_nonce", "invalid_dpop_proof"];

const EXPIRED = "Bluesky no longer accepts the connection.";
const PAUSED_SECONDS = 30 * 60;
const FILE = { code: "media_invalid" } as const;

const ROWS: readonly Row[] = [
  [
    ["invalid_token", "InvalidToken", "ExpiredToken", "AuthMissing", "AuthenticationRequired"],
    "token_expired",
    EXPIRED,
  ],
  // The proof was refused before anything was done: another one is sent later.
  [PROOF_REFUSALS, "down", "The account's server did not accept the proof of this service's key."],
  // The same tokens work again as soon as the account is active. An account that has moved is found out when
  // it is located.
  [
    "AccountDeactivated",
    "throttled",
    "The account is deactivated. Activate it at Bluesky; the post waits until then.",
    { code: "account_restricted", wait: PAUSED_SECONDS, limit: null },
  ],
  [
    ["AccountTakedown", "RepoTakendown", "AccountSuspended", "RepoSuspended"],
    "disconnected",
    "Bluesky has suspended the account. Appeal there first.",
  ],
  ["AccountNotFound", "disconnected", "The account's server does not know the account any more."],
  ["ScopeMissingError", "permission_missing", "The connection lacks a permission. Reconnect and allow everything."],
  ["account_limit", "throttled", "The account's rate limit is reached.", { limit: "account" }],
  ["RateLimitExceeded", "throttled", "The account's server takes no more calls for now.", { limit: null }],
  [429, "throttled", "The account's server takes no more calls for now.", { limit: null }],
  [
    ["PayloadTooLarge", "PayloadTooLargeError", "BlobTooLarge"],
    "rejected",
    "A file is too large for the account's server.",
    FILE,
  ],
  [["InvalidMimeType", "InvalidSize"], "rejected", "The account's server does not accept a file.", FILE],
  ["InvalidSwap", "duplicate", "The account has this post already."],
  [
    { code: "InvalidRequest", words: /grapheme too big|string too (?:big|long)/i },
    "rejected",
    "The text is too long for Bluesky.",
    { code: "content_invalid" },
  ],
  [
    { code: "InvalidRequest", words: /blob too big/i },
    "rejected",
    "A file is larger than the account's server takes. Send a smaller one, or ask the server's operator to update it.",
    FILE,
  ],
  [
    { code: "InvalidRequest", words: /mime|unsupported/i },
    "rejected",
    "The account's server does not accept a file.",
    FILE,
  ],
  [
    { code: "InvalidRequest", words: /hiddenReplies/ },
    "rejected",
    "The post hides as many replies as Bluesky allows. Show one again first.",
  ],
  [
    { code: "InvalidRequest", words: /could not locate|could not find repo/i },
    "down",
    "The account's server does not show the account now.",
  ],
  [
    ["UpstreamFailure", "UpstreamTimeout", "NotEnoughResources", "InternalServerError"],
    "unclear",
    "The account's server had a temporary error.",
  ],
  [
    ["MethodNotImplemented", "XRPCNotSupported"],
    "disconnected",
    "The account's server does not offer this. The account may have moved.",
  ],
  ["InvalidRequest", "rejected", "Bluesky does not accept this post."],
  [404, "rejected", "The account's server does not find this."],
  [413, "rejected", "A file is too large for the account's server.", FILE],
];

/** The limits of an account, per hour and per day; other limits count calls from one address. */
const ACCOUNT_LIMIT = /^(?:5000|35000);/;

export const BLUESKY: RefusalTable = {
  title: "Bluesky",
  problemOf(answer) {
    const body = parseBody(ErrorBody, answer);
    if (body === null || answer.status < 400) return null;
    const { error, message = null } = body;
    const isAccounts = answer.status === 429 && ACCOUNT_LIMIT.test(answer.headers.get("ratelimit-policy") ?? "");
    const codes = [...(isAccounts ? ["account_limit"] : []), error];
    return { codes, text: message ?? "", quote: message, mark: `${answer.status} ${error}` };
  },
  rows: ROWS,
  documentedAt: [400, 401, 403, 404, 413, 429],
  heldBack: [503],
  waitSeconds(headers, now, wait) {
    const reset = Number.parseInt(headers.get("ratelimit-reset") ?? "", 10);
    return Number.isFinite(reset) ? Math.max(1, Math.ceil(reset - now / 1000)) : retryAfter(headers, now, wait);
  },
};
