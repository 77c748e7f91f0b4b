import type { AccountAttributes } from "../context.ts";
import { signedRequests } from "../meta/deauthorize.ts";
import { usedUpAt } from "../meta/usage.ts";
import type { Platform } from "../platform.ts";
import type { FileRules, PostRules, TypeRules } from "../rules.ts";
import { comments } from "./comments.ts";
import { THREADS_ERRORS } from "./errors.ts";
import { insights } from "./insights.ts";
import { INSIGHTS_SCOPE, oauth, REPLY_SCOPES, REQUIRED_SCOPES, renewal } from "./oauth.ts";
import { posts } from "./posts.ts";
import { sources } from "./sources.ts";
import { textRules } from "./text.ts";
import { webhooks } from "./webhooks.ts";

/**
 * Threads. One login returns one profile.
 *
 * Login: oauth.ts. Calls: api.ts and meta/graph.ts. Errors: errors.ts and meta/errors.ts. Publishing:
 * posts.ts. Containers: containers.ts. Comments: comments.ts. Look-ups: find.ts. Text: text.ts.
 * Webhooks: webhooks.ts. Facts with dates: docs/platforms/threads.md.
 */

const MB = 1024 * 1024;
const MAX_ALT_TEXT = 1000;
const MAX_FILES = 20;
/** Threads documents no limit. */
const MAX_ITEMS = 25;

/** Threads itself scales images to a width of 320 to 1440 pixels. */
const image: FileRules = {
  mimes: ["image/jpeg", "image/png"],
  maxBytes: 8 * MB,
  shownWidth: 1440,
  maxAltText: MAX_ALT_TEXT,
  minRatio: 1 / 10,
  maxRatio: 10,
};
const video: FileRules = {
  mimes: ["video/mp4", "video/quicktime"],
  maxBytes: 1024 * MB,
  maxAltText: MAX_ALT_TEXT,
  maxSeconds: 300,
  maxWidth: 1920,
  minRatio: 1 / 100,
  maxRatio: 10,
  encoding: {
    codecs: ["H.264", "HEVC"],
    minFps: 23,
    maxFps: 60,
    audioCodecs: ["AAC", "HE-AAC"],
    maxChannels: 2,
    maxHz: 48_000,
  },
};

const post: TypeRules = {
  text: textRules,
  media: { min: 0, max: MAX_FILES, of: { image: MAX_FILES, video: MAX_FILES }, alone: [] },
  files: { image, video },
  items: { min: 1, max: 1 },
};
const postRules: PostRules = { post, thread: { ...post, items: { min: 1, max: MAX_ITEMS } } };

const rules = (_attributes: AccountAttributes): PostRules => postRules;

export const threads = {
  name: "threads",
  sources,
  rules,
  accountKinds: [{ says: "accounts that allow locations (`THREADS_LOCATION`)", attributes: { places: true } }],
  oauth,
  // Threads has no call to revoke a grant: the person removes the app in the settings.
  grants: { publish: { app: "threads", renewal } },
  capabilities: {
    publish: { grant: "publish", scopes: REQUIRED_SCOPES },
    comments: { grant: "publish", scopes: REQUIRED_SCOPES },
    replies: { grant: "publish", scopes: [...REQUIRED_SCOPES, ...REPLY_SCOPES] },
    insights: { grant: "publish", scopes: ["threads_basic", INSIGHTS_SCOPE] },
  },
  posts,
  comments,
  insights,
  webhooks,
  deauthorizing: signedRequests("threads", () => ({
    deauthorize: "Use cases › Access the Threads API › Settings › Uninstall Callback URL",
    deletion: "Use cases › Access the Threads API › Settings › Delete Callback URL",
  })),
  usedUp: usedUpAt(THREADS_ERRORS),
  quotas: [
    { of: "posts", most: 250, perSeconds: 86_400, scope: "account" },
    // Further items of a thread, and comments.
    { of: "replies", most: 1_000, perSeconds: 86_400, scope: "account" },
    { of: "deletions", most: 100, perSeconds: 86_400, scope: "account" },
  ],
} satisfies Platform;
