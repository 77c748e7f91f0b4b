import type { AccountAttributes } from "../context.ts";
import type { Platform } from "../platform.ts";
import type { FileRules, PostRules, TypeRules } from "../rules.ts";
import { comments } from "./comments.ts";
import { insights } from "./insights.ts";
import { usedUp } from "./limits.ts";
import { MAX_CHUNKED_BYTES } from "./media.ts";
import { conversations, messages } from "./messages.ts";
import { MESSAGE_SCOPES, oauth, renewal, revoke } from "./oauth.ts";
import { posts } from "./posts.ts";
import { pricing } from "./prices.ts";
import { sources } from "./sources.ts";
import { hasPremium, postText } from "./text.ts";
import { webhooks } from "./webhooks.ts";

/**
 * X. One login gives one account.
 *
 * - OpenAPI 2.167 renamed response fields (`referenced_tweets` → `referenced_posts`, …) but neither paths nor
 *   request bodies. Which names an app gets is not documented, so both are read.
 * - Login: oauth.ts. Calls and errors: api.ts. Publishing: posts.ts. Uploads: media.ts. Comments:
 *   comments.ts, replies.ts. Messages: messages.ts. Facts with dates: docs/platforms/twitter.md.
 */

const MB = 1024 * 1024;
const MAX_ALT_TEXT = 1000;

function rules(attributes: AccountAttributes): PostRules {
  const isPremium = hasPremium(attributes);
  const text = postText(attributes);
  const image: FileRules = {
    mimes: ["image/jpeg", "image/png", "image/webp"],
    maxBytes: 5 * MB,
    maxAltText: MAX_ALT_TEXT,
  };
  const gif: FileRules = {
    mimes: ["image/gif"],
    maxBytes: 15 * MB,
    maxAltText: MAX_ALT_TEXT,
    maxWidth: 1280,
    maxHeight: 1080,
  };
  const video: FileRules = {
    mimes: ["video/mp4", "video/quicktime"],
    maxBytes: isPremium ? MAX_CHUNKED_BYTES : 512 * MB,
    minSeconds: 0.5,
    maxSeconds: isPremium ? 125 * 60 : 140,
    // Documented as 32×32 to 1280×1024; portrait is accepted as well.
    minWidth: 32,
    minHeight: 32,
    maxWidth: 1280,
    maxHeight: 1280,
    minRatio: 1 / 3,
    maxRatio: 3,
    encoding: {
      codecs: ["H.264"],
      chroma: ["4:2:0"],
      maxBitDepth: 8,
      maxFps: 60,
      // X names AAC-LC, and refuses the high-efficiency profiles.
      audioCodecs: ["AAC"],
      maxChannels: 2,
    },
  };
  const one: TypeRules = {
    text,
    media: { min: 0, max: 4, of: { image: 4, gif: 1, video: 1 }, alone: ["gif", "video"] },
    files: { image, gif, video },
    items: { min: 1, max: 1 },
  };
  return { post: one, tweet: one, thread: { ...one, items: { min: 1, max: 25 } } };
}

const WRITING = ["tweet.read", "tweet.write", "users.read"];

export const twitter = {
  name: "twitter",
  sources,
  rules,
  accountKinds: [{ says: "accounts with X Premium", attributes: { subscription_type: "Premium" } }],
  quotas: [
    { of: "posts", most: 100, perSeconds: 15 * 60, scope: "account" },
    { of: "posts", most: 10_000, perSeconds: 24 * 3600, scope: "app" },
    { of: "messages", most: 15, perSeconds: 15 * 60, scope: "account" },
    { of: "messages", most: 1_440, perSeconds: 24 * 3600, scope: "app" },
  ],
  pricing,
  oauth,
  grants: { publish: { app: "twitter", renewal, revoke } },
  capabilities: {
    publish: { grant: "publish", scopes: WRITING },
    comments: { grant: "publish", scopes: WRITING },
    replies: { grant: "publish", scopes: WRITING },
    messages: { grant: "publish", scopes: ["tweet.read", "users.read", ...MESSAGE_SCOPES] },
    insights: { grant: "publish", scopes: ["tweet.read", "users.read"] },
  },
  posts,
  comments,
  insights,
  messages,
  conversations,
  webhooks,
  usedUp,
} satisfies Platform;
