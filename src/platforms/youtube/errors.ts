import { z } from "zod";
import { type RefusalTable, type Row, retryAfter } from "../refusals.ts";
import { type Answered, parseBody } from "../request.ts";

/**
 * YouTube's refusals.
 *
 * - `errors[].reason` decides, never the message: a 403 may be a quota, a rate limit, a scope or a refusal, a
 *   400 may be a limit that ends tomorrow. Without a known reason, `details[].reason` and `status` decide.
 * - The project's quotas reset at midnight Pacific time. When the channel's own limit resets is not
 *   published.
 * - A quota of a day is also refused as a rate (429 `rateLimitExceeded`): `details[].metadata` or the message
 *   names the limit, such as “Video Uploads per day” (checked 2026-11-28).
 */

const words = z.string().optional().catch(undefined);
const Metadata = z.object({ quota_limit: words, quota_unit: words }).optional().catch(undefined);
const Reason = z
  .object({ reason: words, message: words, metadata: Metadata })
  .catch({ reason: undefined, message: undefined, metadata: undefined });
const ErrorBody = z.object({
  error: z.object({
    code: z.number().optional().catch(undefined),
    message: words,
    status: words,
    errors: z.array(Reason).optional().catch(undefined),
    details: z.array(Reason).optional().catch(undefined),
  }),
});

interface YouTubeError {
  /** The reasons in the body, the most specific first. */
  readonly reasons: readonly string[];
  readonly message: string | null;
}

/** Our own reason: a quota of a day, refused as a rate. */
const DAILY = "dailyQuotaExceeded";
/** As Google writes the period of a quota: “… per day”, `…PerDayPerProject`, `1/d/{project}`. */
const PER_DAY = /per[ _-]?day|\/d\//i;

/** YouTube's error; null if the body does not have its form and so comes from a gateway. */
export function errorOf(answer: Answered): YouTubeError | null {
  const error = parseBody(ErrorBody, answer)?.error;
  if (!error) return null;
  const listed = [...(error.errors ?? []), ...(error.details ?? [])];
  const message = error.message ?? listed.find((one) => one.message !== undefined)?.message ?? null;
  const limits = [message, ...listed.flatMap(({ metadata }) => [metadata?.quota_limit, metadata?.quota_unit])];
  const isDaily = answer.status === 429 && limits.some((limit) => PER_DAY.test(limit ?? ""));
  const named = [isDaily ? DAILY : undefined, ...listed.map(({ reason }) => reason), error.status];
  const reasons = named.filter((one) => one !== undefined);
  return reasons.length === 0 && message === null && error.code === undefined ? null : { reasons, message };
}

const HOUR_SECONDS = 3600;

const BY_HAND = "Sign in at youtube.com, follow its instructions, then reconnect the channel.";
const RECONNECT = "YouTube no longer accepts the connection.";
const SCOPE = "A permission is missing. Reconnect the channel and leave all boxes checked.";
const QUOTA = "This service has used its YouTube quota for today. The quota resets at midnight Pacific time.";
const DAILY_QUOTA =
  "This service has used a daily quota of its YouTube project, such as that of video uploads. It resets at midnight Pacific time.";
const PACE = "YouTube limits the rate of this service's requests.";
const NOT_SET_UP = "The YouTube Data API is not enabled for our app. The operator of this service must enable it.";
const OUR_REQUEST = "YouTube did not accept the form of our request. Report this to the operator of this service.";
const PASSING = "YouTube had a temporary error.";
const NO_VIDEO = "YouTube does not find the video. It was deleted, or belongs to another channel.";
const NO_COMMENT = "YouTube does not find the comment. It was deleted, or is held for review.";

const ROWS: readonly Row[] = [
  [
    ["authError", "authorizationRequired", "expired", "required", "UNAUTHENTICATED"],
    "token_expired",
    RECONNECT,
    { at: [401] },
  ],
  [
    "youtubeSignupRequired",
    "disconnected",
    "This Google account has no YouTube channel. Create one at youtube.com, then reconnect.",
    { at: [401, 403] },
  ],
  [
    "authenticatedUserNotChannel",
    "disconnected",
    "This Google account has no YouTube channel. Create one at youtube.com, then reconnect.",
    { at: [403] },
  ],
  [
    "authenticatedUserAccountClosed",
    "disconnected",
    `YouTube has closed this account. ${BY_HAND}`,
    { at: [403], code: "account_restricted" },
  ],
  [
    "authenticatedUserAccountSuspended",
    "disconnected",
    `YouTube has suspended this account. ${BY_HAND}`,
    { at: [403], code: "account_restricted" },
  ],
  [
    "accountDelegationForbidden",
    "disconnected",
    `This Google account may not act for the channel. ${BY_HAND}`,
    { at: [403] },
  ],
  [["insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"], "permission_missing", SCOPE, { at: [403] }],
  [["quotaExceeded", "dailyLimitExceeded"], "throttled", QUOTA, { at: [403], wait: "midnight", limit: "app" }],
  [DAILY, "throttled", DAILY_QUOTA, { at: [429], wait: "midnight", limit: "app" }],
  [
    ["rateLimitExceeded", "userRateLimitExceeded", "uploadRateLimitExceeded", "RATE_LIMIT_EXCEEDED"],
    "throttled",
    PACE,
    { at: [403, 429] },
  ],
  [
    "uploadLimitExceeded",
    "throttled",
    "This channel has reached its daily upload limit. Verify the channel at youtube.com/verify to raise it.",
    { wait: HOUR_SECONDS, code: "account_restricted", limit: "account" },
  ],
  [["accessNotConfigured", "SERVICE_DISABLED"], "blocked", NOT_SET_UP, { at: [403] }],
  [
    "invalidTitle",
    "rejected",
    "YouTube does not accept the title: 1 to 100 characters, without < and >.",
    { code: "content_invalid" },
  ],
  [
    "invalidDescription",
    "rejected",
    "YouTube does not accept the description: at most 5,000 bytes, without < and >.",
    { code: "content_invalid" },
  ],
  ["invalidTags", "rejected", "YouTube does not accept the tags.", { code: "content_invalid" }],
  [
    "invalidCategoryId",
    "rejected",
    "YouTube does not know this category in the channel's country. Choose another one.",
    { code: "content_invalid" },
  ],
  ["invalidPublishAt", "rejected", "YouTube does not accept the time of publication."],
  ["invalidFilename", "rejected", "YouTube does not accept the name of the file."],
  ["invalidVideoMetadata", "rejected", "YouTube does not accept the video's details.", { code: "content_invalid" }],
  [
    [
      "defaultLanguageNotSet",
      "invalidRecordingDetails",
      "invalidVideoGameRating",
      "mediaBodyRequired",
      "missingRequiredParameter",
      "unexpectedParameter",
      "incompatibleParameters",
      "invalidFilters",
      "invalidPageToken",
      "channelOrVideoIdMissing",
      "parentIdMissing",
    ],
    "rejected",
    OUR_REQUEST,
  ],
  [
    "badContent",
    "rejected",
    "YouTube does not accept this file type. Send the video as MP4.",
    { code: "media_invalid" },
  ],
  ["forbidden", "rejected", "YouTube does not allow this channel to do that.", { at: [403] }],
  [
    "forbiddenPrivacySetting",
    "rejected",
    "This channel may not use that privacy setting. Choose another one.",
    { at: [403], code: "unsupported_by_platform" },
  ],
  ["forbiddenLicenseSetting", "rejected", "This channel may not use that license.", { at: [403] }],
  [
    "commentsDisabled",
    "rejected",
    "Comments are turned off for this video.",
    { at: [403], code: "unsupported_by_platform" },
  ],
  [
    "ineligibleAccount",
    "rejected",
    `YouTube does not let this channel comment. ${BY_HAND}`,
    { at: [403], code: "account_restricted" },
  ],
  ["commentTextRequired", "rejected", "The comment must not be blank.", { code: "content_invalid" }],
  ["commentTextTooLong", "rejected", "The comment is too long for YouTube.", { code: "content_invalid" }],
  ["invalidCommentMetadata", "rejected", "YouTube does not accept the comment.", { code: "content_invalid" }],
  ["invalidCustomEmoji", "rejected", "YouTube does not know an emoji of the comment.", { code: "content_invalid" }],
  ["operationNotSupported", "rejected", "YouTube has no comments there.", { code: "unsupported_by_platform" }],
  [["parentCommentNotFound", "commentNotFound", "commentThreadNotFound"], "rejected", NO_COMMENT, { at: [404] }],
  ["parentCommentIsPrivate", "rejected", "This comment cannot be answered: only its author sees it."],
  ["videoNotFound", "rejected", NO_VIDEO, { at: [404] }],
  ["channelNotFound", "rejected", "YouTube does not find the channel.", { at: [404] }],
  ["playlistNotFound", "rejected", "YouTube does not find the playlist.", { at: [404] }],
  [
    ["playlistItemsNotAccessible", "playlistOperationUnsupported"],
    "rejected",
    "YouTube does not let this channel add to the playlist.",
    { at: [400, 403] },
  ],
  ["playlistContainsMaximumNumberOfVideos", "rejected", "The playlist is full.", { at: [403] }],
  ["alreadyExists", "down", "YouTube is still busy with an upload like this one.", { at: [409] }],
  ["ALREADY_EXISTS", "down", "YouTube is still busy with an upload like this one.", { at: [409] }],
  [["internalError", "backendError", "processingFailure"], "unclear", PASSING],
  // By status, for reasons without a row.
  [401, "token_expired", RECONNECT, { at: [] }],
  [429, "throttled", PACE, { at: [] }],
  [408, "unclear", PASSING, { at: [] }],
  [409, "down", "YouTube is busy with the same thing.", { at: [] }],
];

export const YOUTUBE: RefusalTable = {
  title: "YouTube",
  problemOf(answer) {
    const error = answer.status >= 200 && answer.status < 300 ? null : errorOf(answer);
    if (error === null) return null;
    const { reasons, message } = error;
    const mark = reasons.find((reason) => reason !== DAILY) ?? `status ${answer.status}`;
    return { codes: reasons, text: "", quote: message, mark };
  },
  rows: ROWS,
  documentedAt: [400],
  waitSeconds: retryAfter,
  zone: "America/Los_Angeles",
  heldBack: [],
};
