import { z } from "zod";
import { nextMidnight, SECOND } from "../../core/time.ts";
import type { Dialect } from "../answers.ts";
import type { Duplicate, Failure, LimitScope, SaidCode, Unknown } from "../context.ts";
import { quoting } from "../outcomes.ts";
import { outcomeOf, retryAfter, type Verdict } from "../refusals.ts";
import { type Answered, parseBody } from "../request.ts";

/**
 * What YouTube's refusals mean for us.
 *
 * - `errors[].reason` decides, never the message: a 403 may be a quota, a pace, a scope or a refusal, a 400
 *   may be a cap that ends tomorrow. `details[].reason` and `status` of the newer form tell where there is no
 *   known reason.
 * - The project's quota ends at midnight Pacific time, whoever asks; the channel's own cap at a time that
 *   nobody publishes.
 */

const words = z.string().optional().catch(undefined);
const Reason = z.object({ reason: words, message: words }).catch({ reason: undefined, message: undefined });
const ErrorBody = z.object({
  error: z.object({
    code: z.number().optional().catch(undefined),
    message: words,
    status: words,
    errors: z.array(Reason).optional().catch(undefined),
    details: z.array(Reason).optional().catch(undefined),
  }),
});

export interface Problem {
  /** The most telling first. */
  readonly reasons: readonly string[];
  readonly message: string | null;
}

/** YouTube's error; null when the body has not its form and so comes from something on the way. */
export function problemOf(answer: Answered): Problem | null {
  const error = parseBody(ErrorBody, answer)?.error;
  if (!error) return null;
  const listed = [...(error.errors ?? []), ...(error.details ?? [])];
  const reasons = [...listed.map(({ reason }) => reason), error.status].filter((one) => one !== undefined);
  const message = error.message ?? listed.find((one) => one.message !== undefined)?.message ?? null;
  return reasons.length === 0 && message === null && error.code === undefined ? null : { reasons, message };
}

type Entry = readonly [Verdict, advice: string, more?: More];
interface More {
  /** Seconds, where YouTube does not tell them; `midnight`: when the project's quota begins anew. */
  readonly wait?: number | "midnight";
  /** What the verdict alone does not say (Failure). */
  readonly code?: SaidCode;
  /** Whose allowance is used up meanwhile, for others too. */
  readonly limit?: LimitScope;
}

const QUOTA_ZONE = "America/Los_Angeles";
const HOUR_SECONDS = 3600;

const BY_HAND = "Sign in at youtube.com and see what it asks for, then connect again.";
const RECONNECT: Entry = ["token_expired", "YouTube no longer accepts the connection."];
const SCOPE: Entry = [
  "permission_missing",
  "YouTube was not allowed to give what this needs. Leave everything ticked when you connect.",
];
const QUOTA: Entry = [
  "throttled",
  "This service has used up its quota at YouTube for today: it begins anew at midnight Pacific time.",
  { wait: "midnight", limit: "app" },
];
const PACE: Entry = ["throttled", "YouTube asks this service to slow down."];
const NOT_SET_UP: Entry = [
  "blocked",
  "The YouTube Data API is not enabled for our app: the operator of this service must see to it.",
];
const OUR_REQUEST: Entry = ["rejected", "YouTube did not understand our request. Tell the operator of this service."];
const PASSING: Entry = ["unclear", "YouTube had a passing error."];
const NO_VIDEO: Entry = ["rejected", "YouTube does not find the video: it was deleted, or is not this channel's."];
const NO_COMMENT: Entry = ["rejected", "YouTube does not find the comment: it was deleted, or is held back."];

const ENTRIES: Readonly<Record<string, Entry>> = {
  authError: RECONNECT,
  authorizationRequired: RECONNECT,
  expired: RECONNECT,
  required: RECONNECT,
  UNAUTHENTICATED: RECONNECT,
  youtubeSignupRequired: [
    "disconnected",
    "This Google account has no YouTube channel. Create one at youtube.com first.",
  ],
  authenticatedUserNotChannel: [
    "disconnected",
    "This Google account has no YouTube channel. Create one at youtube.com first.",
  ],
  authenticatedUserAccountClosed: [
    "disconnected",
    `YouTube has closed this account. ${BY_HAND}`,
    { code: "account_restricted" },
  ],
  authenticatedUserAccountSuspended: [
    "disconnected",
    `YouTube has suspended this account. ${BY_HAND}`,
    { code: "account_restricted" },
  ],
  accountDelegationForbidden: ["disconnected", `YouTube does not let this login act for the channel. ${BY_HAND}`],
  insufficientPermissions: SCOPE,
  ACCESS_TOKEN_SCOPE_INSUFFICIENT: SCOPE,
  quotaExceeded: QUOTA,
  dailyLimitExceeded: QUOTA,
  rateLimitExceeded: PACE,
  userRateLimitExceeded: PACE,
  uploadRateLimitExceeded: PACE,
  RATE_LIMIT_EXCEEDED: PACE,
  uploadLimitExceeded: [
    "throttled",
    "This channel has uploaded as many videos as YouTube lets it in a day. Verifying it at youtube.com/verify may raise that.",
    { wait: HOUR_SECONDS, code: "account_restricted", limit: "account" },
  ],
  accessNotConfigured: NOT_SET_UP,
  SERVICE_DISABLED: NOT_SET_UP,
  invalidTitle: [
    "rejected",
    "YouTube does not accept the title: 1 to 100 characters, without < and >.",
    { code: "content_invalid" },
  ],
  invalidDescription: [
    "rejected",
    "YouTube does not accept the description: at most 5,000 bytes, without < and >.",
    { code: "content_invalid" },
  ],
  invalidTags: ["rejected", "YouTube does not accept the tags.", { code: "content_invalid" }],
  invalidCategoryId: [
    "rejected",
    "YouTube does not know this category in the channel's country. Choose another one.",
    { code: "content_invalid" },
  ],
  invalidPublishAt: ["rejected", "YouTube does not accept the time of publication."],
  invalidFilename: ["rejected", "YouTube does not accept the name of the file."],
  invalidVideoMetadata: [
    "rejected",
    "YouTube does not accept what is said about the video.",
    { code: "content_invalid" },
  ],
  defaultLanguageNotSet: OUR_REQUEST,
  invalidRecordingDetails: OUR_REQUEST,
  invalidVideoGameRating: OUR_REQUEST,
  mediaBodyRequired: OUR_REQUEST,
  missingRequiredParameter: OUR_REQUEST,
  unexpectedParameter: OUR_REQUEST,
  incompatibleParameters: OUR_REQUEST,
  invalidFilters: OUR_REQUEST,
  invalidPageToken: OUR_REQUEST,
  badContent: [
    "rejected",
    "YouTube does not accept a file of this kind. Send the video as MP4.",
    { code: "media_invalid" },
  ],
  forbidden: ["rejected", "YouTube does not allow this channel to do that."],
  forbiddenPrivacySetting: [
    "rejected",
    "YouTube does not allow this channel that privacy setting. Choose another one.",
    { code: "unsupported_by_platform" },
  ],
  forbiddenLicenseSetting: ["rejected", "YouTube does not allow this channel that licence."],
  commentsDisabled: ["rejected", "Comments are turned off for this video.", { code: "unsupported_by_platform" }],
  ineligibleAccount: [
    "rejected",
    `YouTube does not let this channel comment. ${BY_HAND}`,
    { code: "account_restricted" },
  ],
  commentTextRequired: ["rejected", "YouTube wants a comment that is not blank.", { code: "content_invalid" }],
  commentTextTooLong: ["rejected", "The comment is too long for YouTube.", { code: "content_invalid" }],
  invalidCommentMetadata: ["rejected", "YouTube does not accept the comment.", { code: "content_invalid" }],
  invalidCustomEmoji: ["rejected", "YouTube does not know an emoji of the comment.", { code: "content_invalid" }],
  operationNotSupported: ["rejected", "YouTube has no comments there.", { code: "unsupported_by_platform" }],
  channelOrVideoIdMissing: OUR_REQUEST,
  parentIdMissing: OUR_REQUEST,
  parentCommentNotFound: NO_COMMENT,
  commentNotFound: NO_COMMENT,
  commentThreadNotFound: NO_COMMENT,
  parentCommentIsPrivate: ["rejected", "YouTube lets nobody answer this comment: only its author sees it."],
  videoNotFound: NO_VIDEO,
  channelNotFound: ["rejected", "YouTube does not find the channel."],
  playlistNotFound: ["rejected", "YouTube does not find the list of the channel's uploads."],
  alreadyExists: ["down", "YouTube is still busy with an upload like this one."],
  ALREADY_EXISTS: ["down", "YouTube is still busy with an upload like this one."],
  internalError: PASSING,
  backendError: PASSING,
  processingFailure: PASSING,
};

/** With which statuses YouTube documents a reason. */
function statusesOf(reason: string): readonly number[] {
  if (/^(?:authError|authorizationRequired|expired|required|UNAUTHENTICATED)$/.test(reason)) return [401];
  if (reason === "youtubeSignupRequired") return [401, 403];
  if (/NotFound$/.test(reason)) return [404];
  if (/^already_?exists$/i.test(reason)) return [409];
  if (/rate_?limit_?exceeded$/i.test(reason)) return [403, 429];
  const isForbidden =
    /^(?:forbidden|insufficient|ACCESS_|SERVICE_|access|quota|daily|authenticated|accountDelegation|commentsDisabled|ineligible)/;
  return isForbidden.test(reason) ? [403] : [400];
}

export const YOUTUBE: Dialect = {
  title: "YouTube",
  refusal(answer, now) {
    const problem = answer.status >= 200 && answer.status < 300 ? null : problemOf(answer);
    return problem && classify(problem, answer, now);
  },
  documents(answer) {
    const reason = problemOf(answer)?.reasons.find((one) => Object.hasOwn(ENTRIES, one));
    return reason !== undefined && statusesOf(reason).includes(answer.status);
  },
  waitSeconds: retryAfter,
  heldBack: [],
};

function classify(
  { reasons, message }: Problem,
  { status, headers }: Answered,
  now: number,
): Failure | Unknown | Duplicate {
  const reason = reasons.find((one) => Object.hasOwn(ENTRIES, one));
  const [verdict, advice, { wait, code, limit } = {}] = (reason && ENTRIES[reason]) || byStatus(status);
  const sentence = `${quoting(advice, "YouTube", message)} (${reasons[0] ?? `status ${status}`})`;
  const retryAfterSeconds =
    wait === "midnight" ? Math.ceil((nextMidnight(now, QUOTA_ZONE) - now) / SECOND) : (retryAfter(headers) ?? wait);
  return outcomeOf(verdict, sentence, { code, limit, retryAfterSeconds });
}

/** For reasons that are not in the table. */
function byStatus(status: number): Entry {
  if (status === 401) return RECONNECT;
  if (status === 429) return PACE;
  if (status === 408 || status >= 500) return PASSING;
  if (status === 409) return ["down", "YouTube is busy with the same thing."];
  if (status >= 300 && status < 400) return ["down", "YouTube sent us elsewhere."];
  return ["rejected", "YouTube refused this."];
}
