import type { AccountAttributes } from "../context.ts";
import { FACEBOOK_LOGIN_SETTINGS, signedRequests } from "../meta/deauthorize.ts";
import { locationConflicts } from "../meta/location.ts";
import { ADS_SCOPES } from "../meta/login.ts";
import { usedUpAt } from "../meta/usage.ts";
import type { Platform } from "../platform.ts";
import type { FileRules, MediaCountRules, PostRules, TextRules, WantedSettings } from "../rules.ts";
import { ads } from "./ads.ts";
import { collaboratorConflicts } from "./collaborators.ts";
import { comments } from "./comments.ts";
import { FACEBOOK_ERRORS } from "./errors.ts";
import { inspect, revoke } from "./grant.ts";
import { insights } from "./insights.ts";
import { conversations, messages } from "./messages.ts";
import { COMMENT_SCOPE, INSIGHTS_SCOPE, MESSAGE_SCOPE, oauth, READ_SCOPE } from "./oauth.ts";
import { posts } from "./posts.ts";
import { sources } from "./sources.ts";
import { webhooks } from "./webhooks.ts";

/**
 * Facebook Pages. One login returns several Pages, each with its own token.
 *
 * Login: oauth.ts. Calls: meta/graph.ts. Errors: errors.ts and meta/errors.ts. Publishing: posts.ts.
 * Look-ups: find.ts. Comments: comments.ts. Messages: messages.ts. Boosts: ads.ts, meta/ads/.
 * Webhooks: webhooks.ts. Facts with dates: docs/platforms/facebook.md.
 */

const MB = 1024 * 1024;

const text: TextRules = { max: 63_206, measure: (value) => [...value].length, unit: "characters" };
// The documentation allows 10 MB; refusals were seen from 4 MB on.
const photo: FileRules = { mimes: ["image/jpeg", "image/png", "image/bmp", "image/tiff"], maxBytes: 4 * MB };
// A GIF is sent as a photo, which does not move.
const gif: FileRules = { mimes: ["image/gif"], maxBytes: 4 * MB, standsStill: true };
// Facebook documents no limit, nor whether a story shows an alt text. This is the limit of Meta's other
// platforms.
const ALT_TEXT = { maxAltText: 1000 };
const video: FileRules = { mimes: ["video/mp4", "video/quicktime"], maxBytes: 1024 * MB, maxSeconds: 4 * 3600 };
const reel: FileRules = {
  mimes: ["video/mp4"],
  maxBytes: 1024 * MB,
  minSeconds: 3,
  maxSeconds: 90,
  minWidth: 540,
  minHeight: 960,
  // 9:16, with room for a pixel of rounding.
  minRatio: 0.55,
  maxRatio: 0.575,
  encoding: {
    codecs: ["H.264", "HEVC", "VP9", "AV1"],
    minFps: 24,
    maxFps: 60,
    audioCodecs: ["AAC", "HE-AAC"],
  },
};
const storyVideo: FileRules = { mimes: ["video/mp4"], maxBytes: 1024 * MB, maxSeconds: 60 };

// Not documented: that of photos.
const cover: FileRules = { mimes: ["image/jpeg", "image/png"], maxBytes: photo.maxBytes };

const single = { min: 1, max: 1 };
const album: MediaCountRules = { min: 0, max: 10, of: { image: 10, gif: 10, video: 1 }, alone: ["video"] };
const oneVideo: MediaCountRules = { min: 1, max: 1, of: { video: 1 }, alone: [] };
const oneOfEither: MediaCountRules = { min: 1, max: 1, of: { image: 1, video: 1 }, alone: [] };

const reelConflicts = (wanted: WantedSettings) => [...locationConflicts(wanted), ...collaboratorConflicts(wanted)];

const postRules: PostRules = {
  post: {
    text,
    media: album,
    files: { image: { ...photo, ...ALT_TEXT }, gif: { ...gif, ...ALT_TEXT }, video },
    items: single,
    cover,
    conflicts: locationConflicts,
  },
  reel: { text, media: oneVideo, files: { video: reel }, items: single, cover, conflicts: reelConflicts },
  story: { text, media: oneOfEither, files: { image: photo, video: storyVideo }, items: single },
};

const rules = (_attributes: AccountAttributes): PostRules => postRules;

export const facebook = {
  name: "facebook",
  sources,
  rules,
  quotas: [{ of: "reels", most: 30, perSeconds: 24 * 3600, scope: "account" }],
  oauth,
  grants: { publish: { app: "facebook", revoke, inspect }, ads: { app: "facebook", revoke, inspect } },
  capabilities: {
    publish: { grant: "publish", scopes: ["pages_manage_posts", "pages_read_engagement"] },
    comments: { grant: "publish", scopes: [COMMENT_SCOPE, "pages_read_engagement"] },
    replies: { grant: "publish", scopes: [COMMENT_SCOPE, "pages_read_engagement", READ_SCOPE] },
    messages: { grant: "publish", scopes: [MESSAGE_SCOPE, "pages_read_engagement"] },
    ads: { grant: "ads", scopes: [...ADS_SCOPES, "pages_read_engagement"] },
    insights: { grant: "publish", scopes: [INSIGHTS_SCOPE, "pages_read_engagement"] },
  },
  posts,
  comments,
  insights,
  messages,
  conversations,
  ads,
  webhooks,
  deauthorizing: signedRequests("facebook", () => FACEBOOK_LOGIN_SETTINGS),
  usedUp: usedUpAt(FACEBOOK_ERRORS),
} satisfies Platform;
