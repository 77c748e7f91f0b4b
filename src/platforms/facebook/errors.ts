import type { SaidCode } from "../context.ts";
import { BY_HAND } from "../meta/error-table.ts";
import { codesOf, errorOf, type GraphErrors, inWordsOf, rowOf } from "../meta/errors.ts";
import { PRIVATE_REPLY_ROWS } from "../meta/private-replies.ts";
import type { Row } from "../refusals.ts";
import type { Answered, Lost } from "../request.ts";

/** Errors that only Facebook returns; they come before the shared rows (meta/error-table.ts). */
const HOURS = 3600;
const NEW_PAGES = "Facebook does not support this for the new Pages experience.";

const rows: readonly Row[] = [
  ...PRIVATE_REPLY_ROWS,
  ["190/2069032", "disconnected", "Facebook requires the Page's own connection. Reconnect the Page."],
  ["200/2069030", "rejected", NEW_PAGES, { code: "unsupported_by_platform" }],
  ["200/2069031", "rejected", NEW_PAGES, { code: "unsupported_by_platform" }],
  ["368/1346003", "rejected", "Facebook classified the text as abusive. Rewrite it.", { code: "content_refused" }],
  ["382", "rejected", "The video is too small for Facebook. Send a larger one.", { code: "media_invalid" }],
  [
    "389",
    "rejected",
    "Facebook could not fetch the media file. Check that its URL is public.",
    { code: "media_unreachable" },
  ],
  ["506", "duplicate", "Facebook reports that this post repeats the previous one."],
  ["6000", "rejected", "Facebook could not process the video. Try another file.", { code: "media_invalid" }],
  ["6001", "rejected", "The video is too large for Facebook. Send a smaller one.", { code: "media_invalid" }],
  ["1349125", "rejected", "Facebook does not accept the file's format. Convert the file.", { code: "media_invalid" }],
  ["1363040", "rejected", "Facebook requires an aspect ratio of 9:16.", { code: "media_invalid" }],
  ["1363047", "unclear", "Facebook's video service is unavailable."],
  ["1363127", "rejected", "Facebook requires a resolution of at least 540×960.", { code: "media_invalid" }],
  ["1363128", "rejected", "Facebook requires a duration of 3 to 90 seconds.", { code: "media_invalid" }],
  ["1363129", "rejected", "Facebook requires 24 to 60 frames per second.", { code: "media_invalid" }],
  [
    "1366046",
    "rejected",
    "Facebook accepts photos as JPEG, PNG, GIF, TIFF or BMP of at most 4 MB.",
    { code: "media_invalid" },
  ],
  // Only this service has the photos: if they were posted, one of its own calls did it and lost the answer.
  ["1366051", "duplicate", "Facebook reports that these photos were already posted."],
  ["1404006", "rejected", `Facebook requires a security check. ${BY_HAND}`, { code: "account_restricted" }],
  [
    "1404078",
    "rejected",
    `Facebook requires the Page publishing authorization. ${BY_HAND}`,
    { code: "account_restricted" },
  ],
  [
    "1404102",
    "rejected",
    "Facebook rejected the post because of its Community Standards.",
    { code: "content_refused" },
  ],
  [
    "1404112",
    "throttled",
    "Facebook has temporarily limited this account.",
    { wait: 3 * HOURS, code: "account_restricted", limit: "account" },
  ],
  ["1609005", "rejected", "Facebook could not read the link in the post. Check the link.", { code: "content_refused" }],
  ["1609008", "rejected", "Facebook does not allow this facebook.com link in a post.", { code: "content_refused" }],
  ["1609010", "unclear", "Facebook's link service is unavailable."],
  [
    "2061006",
    "rejected",
    "Facebook does not accept the link in the post. Change the link.",
    { code: "content_refused" },
  ],
  ["2069019", "rejected", "Facebook does not accept the file. Try another file.", { code: "media_invalid" }],
  ["4854002", "rejected", `Facebook requires a confirmation of identity. ${BY_HAND}`, { code: "account_restricted" }],
];

export const FACEBOOK_ERRORS: GraphErrors = { title: "Facebook", account: "Page", site: "facebook.com", rows };

/**
 * Whether a refusal is about the request itself: its file, text or link, a policy, or a check that the
 * account owner must pass. The table lists these rejections. Any other refusal may mean that Facebook has
 * already carried out the call, or lost the object.
 */
export function isAboutRequest(answer: Answered | Lost): boolean {
  const error = errorOf(answer);
  const [, reason] = (error && rowOf(FACEBOOK_ERRORS, codesOf(error))) ?? [];
  return reason === "rejected" && error !== null && error.code !== 803 && error.error_subcode !== 33;
}

/** Whether Facebook could not fetch the file of the call. */
export function isUnfetched(answer: Answered | Lost): boolean {
  return errorOf(answer)?.code === 389;
}

/** Meaning of an error number outside an error answer, such as in the status of a video. */
export function adviceFor(number: number): { readonly advice: string; readonly code: SaidCode } | null {
  const [, , advice, { code = "media_invalid" } = {}] = rowOf(FACEBOOK_ERRORS, [`${number}`]) ?? [];
  return advice === undefined ? null : { advice: inWordsOf(FACEBOOK_ERRORS, advice), code };
}
