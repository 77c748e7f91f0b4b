import { BY_HAND } from "../meta/error-table.ts";
import { errorOf, type GraphErrors, isGone } from "../meta/errors.ts";
import type { Row } from "../refusals.ts";
import type { Answered, Lost } from "../request.ts";
import { MAX_LINKS } from "./text.ts";

/** Errors that only Threads returns; they come before the shared rows (meta/error-table.ts). */
const HOUR = 3600;
/** The 24-hour window moves, so room returns gradually. */
export const QUOTA_PAUSE_SECONDS = HOUR / 2;
const LOST = "{title} does not find the container of this post.";
const QUOTA = "This {account} has reached {title}'s limit in 24 hours.";

const rows: readonly Row[] = [
  [
    "1/2207052",
    "rejected",
    "{title} could not fetch the media file. Check that its URL is public.",
    { code: "media_unreachable" },
  ],
  [
    "4/2207051",
    "throttled",
    "{title} has temporarily blocked this {account} because of suspicious activity.",
    { wait: 3 * HOUR, code: "account_restricted", limit: "account" },
  ],
  ["9", "throttled", QUOTA, { wait: QUOTA_PAUSE_SECONDS, limit: "account" }],
  ["24", "down", LOST],
  ["2207027", "down", "{title} is still processing the post."],
  ["2207042", "throttled", QUOTA, { wait: QUOTA_PAUSE_SECONDS, limit: "account" }],
  ["4279009", "down", LOST],
  ["4279013", "rejected", `{title} has restricted this {account}. ${BY_HAND}`, { code: "account_restricted" }],
  [
    "THREADS_API__LINK_LIMIT_EXCEEDED",
    "rejected",
    `{title} found too many links in the post. It accepts at most ${MAX_LINKS} different ones, and also counts addresses without https://. Remove links.`,
    { code: "content_invalid" },
  ],
  [
    { code: "100", words: /\btext must be at most\b/i },
    "rejected",
    "The text is too long for {title}, which may count bytes of UTF-8: 500. Shorten it.",
    { code: "content_invalid" },
  ],
  [
    "THREADS_API__FEATURE_NOT_AVAILABLE",
    "rejected",
    "{title} offers this only to profiles that are linked with an Instagram account.",
    { code: "unsupported_by_platform" },
  ],
];

export const THREADS_ERRORS: GraphErrors = { title: "Threads", account: "profile", site: "threads.com", rows };

const subcodeOf = (answer: Answered | Lost): number | null => errorOf(answer)?.error_subcode ?? null;

/**
 * Whether Threads does not find the object of the call. A new object may not be found everywhere yet; a
 * container may also be used up.
 */
export function isLost(answer: Answered | Lost): boolean {
  return subcodeOf(answer) === 4_279_009 || errorOf(answer)?.code === 24 || isGone(answer);
}

/** Whether the call was blocked as suspicious. A blocked publishing call may still have published. */
export function isHeldBack(answer: Answered | Lost): boolean {
  return subcodeOf(answer) === 2_207_051;
}

export function isUnfetchable(answer: Answered | Lost): boolean {
  return subcodeOf(answer) === 2_207_052;
}
