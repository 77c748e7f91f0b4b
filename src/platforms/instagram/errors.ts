import type { SaidCode } from "../context.ts";
import { BY_HAND } from "../meta/error-table.ts";
import { errorOf, type GraphErrors, inWordsOf, rowOf } from "../meta/errors.ts";
import { PRIVATE_REPLY_ROWS } from "../meta/private-replies.ts";
import type { Row } from "../refusals.ts";
import type { Answered, Lost } from "../request.ts";

/**
 * Errors that only Instagram returns; they come before the shared rows (instagram.md §2.8). The pairs of code
 * and subcode are not reliable, so the subcode alone decides; `code` may be negative.
 *
 * Codes -1 and -2 leave open whether a publishing call was carried out. For a container this does not matter:
 * it is not public, and another one is created.
 */
const HOURS = 3600;
const MEDIA = { code: "media_invalid" } as const;
const CONTENT = { code: "content_invalid" } as const;

const rows: readonly Row[] = [
  ...PRIVATE_REPLY_ROWS,
  ["-1", "unclear", "Instagram had a temporary error."],
  ["-2", "unclear", "Instagram did not finish in time."],
  ["2207001", "unclear", "Instagram had a temporary error."],
  ["2207003", "unclear", "Instagram took too long to fetch the media file."],
  ["2207004", "rejected", "Instagram accepts images of at most 8 MB.", MEDIA],
  ["2207005", "rejected", "Instagram accepts only JPEG images.", MEDIA],
  ["2207006", "rejected", "Instagram does not find the container of this post."],
  ["2207008", "rejected", "Instagram has lost the container of this post."],
  ["2207009", "rejected", "Instagram accepts images with aspect ratios from 3:4 to 1.91:1.", MEDIA],
  ["2207010", "rejected", "Instagram accepts captions of at most 2,200 characters.", CONTENT],
  ["2207020", "rejected", "The container of this post at Instagram has expired."],
  ["2207023", "rejected", "Instagram does not support this media type.", CONTENT],
  ["2207026", "rejected", "Instagram does not accept the video's format. Send it as MP4 (H.264, AAC).", MEDIA],
  ["2207027", "down", "Instagram is still processing the media."],
  ["2207028", "rejected", "Instagram accepts 2 to 10 files in a carousel.", CONTENT],
  ["2207032", "unclear", "Instagram could not process the media. Try another file."],
  ["2207035", "rejected", "Instagram does not accept a tag. Remove it.", CONTENT],
  ["2207036", "rejected", "Instagram does not accept a tag. Remove it.", CONTENT],
  ["2207037", "rejected", "Instagram does not accept a product tag. Remove it.", CONTENT],
  ["2207040", "rejected", "Instagram accepts fewer tags. Remove some.", CONTENT],
  ["2207042", "throttled", "This account has reached Instagram's limit of posts in 24 hours.", { limit: "account" }],
  [
    "2207050",
    "rejected",
    `Instagram has restricted the account, or it is inactive. ${BY_HAND}`,
    { code: "account_restricted" },
  ],
  [
    "2207051",
    "throttled",
    "Instagram has paused publishing for this account because of suspected spam.",
    { wait: 3 * HOURS, code: "account_restricted", limit: "account" },
  ],
  [
    "2207052",
    "rejected",
    "Instagram could not fetch the media file. Check that its URL is public.",
    { code: "media_unreachable" },
  ],
  ["2207053", "unclear", "Instagram could not upload the media."],
  ["2207057", "rejected", "The video has no frame at the cover's time. Choose another time.", CONTENT],
  ["2207073", "rejected", "Instagram cannot delete media of this type by API.", { code: "unsupported_by_platform" }],
  ["2207077", "unclear", "Instagram could not fetch the video."],
  ["2207081", "rejected", "The account has no trial reels.", { code: "unsupported_by_platform" }],
  ["2207082", "unclear", "Instagram could not fetch the video."],
  ["2207085", "unclear", "Instagram failed."],
];

export const INSTAGRAM_ERRORS: GraphErrors = {
  title: "Instagram",
  account: "account",
  site: "instagram.com",
  rows,
};

/** The subcode of a refusal; null if there is none. Some subcodes appear as `code`. */
export function subcodeOf(answer: Answered | Lost): number | null {
  const error = errorOf(answer);
  if (error?.error_subcode !== undefined) return error.error_subcode;
  return typeof error?.code === "number" && error.code > 999 ? error.code : null;
}

/** Why a container will never be ready; null if a new one may work. Instagram returns only the number. */
export function faultOf(number: number | null): { readonly message: string; readonly code: SaidCode } | null {
  if (number === null || OVER.has(number)) return null;
  const [, reason, sentence, { code = "media_invalid" } = {}] = rowOf(INSTAGRAM_ERRORS, [`${number}`]) ?? [];
  if (reason !== "rejected" || sentence === undefined) return null;
  return { message: `${inWordsOf(INSTAGRAM_ERRORS, sentence)} (Instagram error ${number})`, code };
}

/** These report an expired or lost container, not a bad file. */
const OVER: ReadonlySet<number> = new Set([2207006, 2207008, 2207020]);
