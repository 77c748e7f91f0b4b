import { said } from "../../core/checks.ts";
import type { AccountAttributes } from "../context.ts";
import { FACEBOOK_LOGIN_SETTINGS, signedRequests } from "../meta/deauthorize.ts";
import { locationConflicts } from "../meta/location.ts";
import { ADS_SCOPES } from "../meta/login.ts";
import { usedUpAt } from "../meta/usage.ts";
import type { Platform } from "../platform.ts";
import type { EncodingRules, FileRules, MediaCountRules, PostRules, SettingProblem, WantedSettings } from "../rules.ts";
import { ads, adsImpossible } from "./ads.ts";
import { loginOfApp } from "./api.ts";
import { comments } from "./comments.ts";
import { INSTAGRAM_ERRORS } from "./errors.ts";
import { insights } from "./insights.ts";
import { conversations, messages } from "./messages.ts";
import { inspect, oauth, renewal, revoke } from "./oauth.ts";
import { posts } from "./posts.ts";
import { sources } from "./sources.ts";
import { caption as text } from "./text.ts";
import { webhooks } from "./webhooks.ts";

/**
 * Instagram business and creator accounts. Every post needs an image or a video, which Instagram fetches by
 * URL.
 *
 * Login: oauth.ts. Calls: api.ts, meta/graph.ts. Errors: errors.ts. Publishing: posts.ts, containers.ts.
 * Look-ups: find.ts. Comments: comments.ts. Messages: messages.ts, their sender: page.ts. Boosts: ads.ts,
 * meta/ads/. Webhooks: webhooks.ts. Facts with dates: docs/platforms/instagram.md.
 */

const MB = 1024 * 1024;
const jpeg: FileRules = { mimes: ["image/jpeg"], maxBytes: 8 * MB, shownWidth: 1440 };
const image: FileRules = { ...jpeg, minRatio: 3 / 4, maxRatio: 1.91, maxAltText: 1000 };
const encoding: EncodingRules = {
  codecs: ["H.264", "HEVC"],
  chroma: ["4:2:0"],
  minFps: 23,
  maxFps: 60,
  audioCodecs: ["AAC", "HE-AAC"],
  maxChannels: 2,
  maxHz: 48_000,
};
const movie = { mimes: ["video/mp4", "video/quicktime"], minSeconds: 3, encoding };
const reel: FileRules = {
  ...movie,
  maxBytes: 300 * MB,
  maxSeconds: 15 * 60,
  maxWidth: 1920,
  minRatio: 0.01,
  maxRatio: 10,
};
const storyVideo: FileRules = { ...movie, maxBytes: 100 * MB, maxSeconds: 60, minRatio: 0.1, maxRatio: 10 };

const single = { min: 1, max: 1 };
const carousel: MediaCountRules = { min: 1, max: 10, of: { image: 10, video: 10 }, alone: [] };
const oneVideo: MediaCountRules = { min: 1, max: 1, of: { video: 1 }, alone: [] };
const oneOfEither: MediaCountRules = { min: 1, max: 1, of: { image: 1, video: 1 }, alone: [] };

const ONE_COVER = "options.cover_url must not be sent for several files. Use cover_ms.";
/** The videos of a carousel have a frame as their cover. */
const coverConflicts = ({ options, files }: WantedSettings): readonly SettingProblem[] =>
  options.cover_url !== undefined && files > 1 ? [{ field: "options.cover_url", ...said(ONE_COVER, "one_cover") }] : [];
const conflicts = (wanted: WantedSettings) => [...coverConflicts(wanted), ...locationConflicts(wanted)];

const postRules: PostRules = {
  post: { text, media: carousel, files: { image, video: reel }, items: single, cover: jpeg, conflicts },
  reel: { text, media: oneVideo, files: { video: reel }, items: single, cover: jpeg, conflicts },
  story: { text, media: oneOfEither, files: { image: jpeg, video: storyVideo }, items: single },
};

const rules = (_attributes: AccountAttributes): PostRules => postRules;

/** In the dashboard of an app with Instagram Login. */
const LOGIN_SETTINGS = {
  deauthorize: "Instagram › API setup with Instagram login › Business login settings › Deauthorize callback URL",
  deletion: "Instagram › API setup with Instagram login › Business login settings › Data deletion request URL",
};

export const instagram = {
  name: "instagram",
  sources,
  rules,
  accountKinds: [{ says: "accounts that were connected with Instagram Login", attributes: { login: "instagram" } }],
  oauth,
  grants: {
    publish: { app: "instagram", renewal, inspect, revoke },
    ads: { app: "instagram", renewal, inspect, revoke },
  },
  capabilities: {
    publish: { grant: "publish", scopes: ["instagram_basic", "instagram_content_publish"] },
    comments: { grant: "publish", scopes: ["instagram_basic", "instagram_manage_comments"] },
    replies: { grant: "publish", scopes: ["instagram_basic", "instagram_manage_comments"] },
    messages: {
      grant: "publish",
      scopes: ["instagram_basic", "instagram_manage_comments", "instagram_manage_messages"],
    },
    ads: { grant: "ads", scopes: [...ADS_SCOPES, "instagram_basic"], impossible: adsImpossible },
    insights: { grant: "publish", scopes: ["instagram_basic", "instagram_manage_insights"] },
  },
  posts,
  comments,
  insights,
  messages,
  conversations,
  ads,
  webhooks,
  deauthorizing: signedRequests("instagram", (app) =>
    loginOfApp(app) === "instagram" ? LOGIN_SETTINGS : FACEBOOK_LOGIN_SETTINGS,
  ),
  usedUp: usedUpAt(INSTAGRAM_ERRORS),
  // The documentation names 50 and 100; the account's own limit is read.
  quotas: [{ of: "posts", most: 50, perSeconds: 86_400, scope: "account" }],
} satisfies Platform;
