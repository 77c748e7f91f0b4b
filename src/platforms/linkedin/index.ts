import type { AccountAttributes } from "../context.ts";
import type { Platform } from "../platform.ts";
import type { FileRules, PostRules, TextRules } from "../rules.ts";
import { whyUnreadable } from "./account.ts";
import { comments } from "./comments.ts";
import { INSIGHTS_SCOPES, insights, whyUnmeasured } from "./insights.ts";
import { COMMENT_SCOPES, inspect, oauth, REPLY_SCOPES, renewal, revoke } from "./oauth.ts";
import { posts } from "./posts.ts";
import { sources } from "./sources.ts";

/**
 * LinkedIn. One login connects the person and the organizations (pages) that they may post as, with one
 * token.
 *
 * Login: oauth.ts. Calls: api.ts. Refusals: errors.ts. Text: commentary.ts. Publishing: posts.ts. Uploads:
 * media.ts. Look-ups: find.ts. Comments: comments.ts, replies.ts. Facts with dates:
 * docs/platforms/linkedin.md.
 */

const KB = 1024;
const MB = 1024 * KB;
const MAX_ALT_TEXT = 4086;

/** LinkedIn accepts 3,000. Whether our backslashes count is not documented, so this leaves room for them. */
const text: TextRules = { max: 2_950, measure: (value) => value.length, unit: "characters" };
/** The size in bytes is not documented; other clients send up to 8 MB. */
const image: FileRules = {
  mimes: ["image/jpeg", "image/png"],
  maxBytes: 8 * MB,
  maxAltText: MAX_ALT_TEXT,
  maxPixels: 36_152_319,
};
const gif: FileRules = { ...image, mimes: ["image/gif"] };
const video: FileRules = {
  mimes: ["video/mp4"],
  minBytes: 75 * KB,
  maxBytes: 500 * MB,
  maxAltText: MAX_ALT_TEXT,
  minSeconds: 3,
  maxSeconds: 30 * 60,
  minRatio: 1 / 2.4,
  maxRatio: 2.4,
};
/** Microsoft's page names the five formats. */
const document: FileRules = {
  mimes: [
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.ms-powerpoint",
    "application/msword",
  ],
  maxBytes: 100 * MB,
  maxPages: 300,
  maxAltText: MAX_ALT_TEXT,
};

const cover: FileRules = { mimes: ["image/jpeg", "image/png"], maxBytes: 2 * MB };

const postRules: PostRules = {
  post: {
    text,
    media: { min: 0, max: 20, of: { image: 20, gif: 1, video: 1, document: 1 }, alone: ["gif", "video", "document"] },
    files: { image, gif, video, document },
    items: { min: 1, max: 1 },
    cover,
  },
};

const rules = (_attributes: AccountAttributes): PostRules => postRules;

export const linkedin = {
  name: "linkedin",
  sources,
  rules,
  quotas: [
    { of: "calls", most: 150, perSeconds: 24 * 3600, scope: "account" },
    { of: "calls", most: 100_000, perSeconds: 24 * 3600, scope: "app" },
    { of: "comments", most: 1, perSeconds: 60, scope: "account" },
  ],
  oauth,
  grants: { publish: { app: "linkedin", renewal, revoke, inspect } },
  // The scopes of publishing depend on the account. A grant that lacks them is not stored (oauth.ts).
  capabilities: {
    publish: { grant: "publish", scopes: [] },
    // One product grants both, and a person allows all of it or nothing.
    comments: { grant: "publish", scopes: COMMENT_SCOPES },
    replies: { grant: "publish", scopes: REPLY_SCOPES, impossible: whyUnreadable },
    insights: { grant: "publish", scopes: INSIGHTS_SCOPES, impossible: whyUnmeasured },
  },
  posts,
  comments,
  insights,
} satisfies Platform;
