import type { AccountAttributes } from "../context.ts";
import type { Platform } from "../platform.ts";
import type { FileRules, PostRules, TextRules, TypeRules } from "../rules.ts";
import { ads } from "./ads/index.ts";
import { adsGrant, adsLogin } from "./ads/login.ts";
import { PUBLISH_SCOPE } from "./api.ts";
import { READ_SCOPE, WRITE_SCOPE } from "./business-api.ts";
import { commentGrant, commentLogin } from "./business-login.ts";
import { comments } from "./comments.ts";
import { deauthorizing } from "./deauthorize.ts";
import { INSIGHTS_SCOPES, insights } from "./insights.ts";
import { oauth, renewal, revoke } from "./oauth.ts";
import { posts } from "./posts.ts";
import { advice, conflicts } from "./settings.ts";
import { sources } from "./sources.ts";

/**
 * TikTok accounts, by Login Kit and the Content Posting API (Direct Post): one account per login.
 *
 * Login: oauth.ts. Calls and errors: api.ts and errors.ts. The account's own settings: creator.ts. Sending:
 * upload.ts and chunks.ts. Publishing: posts.ts and task.ts. Look-ups: find.ts. Comments, by another product
 * with a login of its own: comments.ts and the business-… files. Boosts, by a third product: the folder ads.
 * Facts with dates: docs/platforms/tiktok.md.
 *
 * - TikTok has no text-only posts, and no call that deletes a post.
 */
const MB = 1024 * 1024;

/**
 * The limit of a video's title. Photo posts may have 4,000, but the media type is known only after the files
 * are probed.
 */
const text: TextRules = { max: 2_200, measure: (value) => value.length, unit: "characters" };

const video: FileRules = {
  mimes: ["video/mp4", "video/quicktime", "video/webm"],
  maxBytes: 4 * 1024 * MB,
  // The account's own limits are read before each post.
  maxSeconds: 10 * 60,
  minWidth: 360,
  minHeight: 360,
  maxWidth: 4096,
  maxHeight: 4096,
  encoding: { codecs: ["H.264", "HEVC", "VP8", "VP9"], minFps: 23, maxFps: 60 },
};

/**
 * 1080p, landscape or portrait: TikTok refused 1254×1254 and 1086×1448 (trypostit/trypost#120,
 * gitroomhq/postiz-app#1875). No side below 360 pixels.
 */
const image: FileRules = {
  mimes: ["image/jpeg", "image/webp"],
  pulledFrom: "verified_domain",
  maxBytes: 20 * MB,
  minWidth: 360,
  minHeight: 360,
  maxWidth: 1920,
  maxHeight: 1920,
  maxShortSide: 1080,
};

const single = { min: 1, max: 1 };
/** Without a privacy value, a post is as public as the account allows. */
const privacy = ["public", "private"] as const;
const one: TypeRules = {
  text,
  privacy,
  media: { min: 1, max: 1, of: { video: 1 }, alone: [] },
  files: { video },
  items: single,
  conflicts,
  advice,
};
const any: TypeRules = {
  text,
  privacy,
  media: { min: 1, max: 35, of: { image: 35, video: 1 }, alone: ["video"] },
  files: { image, video },
  items: single,
  conflicts,
  advice,
};

const postRules: PostRules = { post: any, reel: one };

const rules = (_attributes: AccountAttributes): PostRules => postRules;

export const tiktok = {
  name: "tiktok",
  sources,
  rules,
  oauth,
  additionalLogins: [commentLogin, adsLogin],
  grants: { publish: { app: "tiktok", renewal, revoke }, comments: commentGrant, ads: adsGrant },
  capabilities: {
    publish: { grant: "publish", scopes: [PUBLISH_SCOPE] },
    comments: { grant: "comments", scopes: [WRITE_SCOPE] },
    replies: { grant: "comments", scopes: [READ_SCOPE, WRITE_SCOPE] },
    // Its scopes are undocumented numbers: calls without permission are refused.
    ads: { grant: "ads", scopes: [] },
    insights: { grant: "publish", scopes: INSIGHTS_SCOPES },
  },
  posts,
  comments,
  insights,
  ads,
  deauthorizing,
  // By all apps of the account together; TikTok says "about".
  quotas: [{ of: "posts", most: 15, perSeconds: 86_400, scope: "account" }],
} satisfies Platform;
