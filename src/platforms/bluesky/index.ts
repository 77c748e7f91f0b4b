import type { Platform } from "../platform.ts";
import type { FileRules, PostRules, TypeRules } from "../rules.ts";
import { comments } from "./comments.ts";
import { insights } from "./insights.ts";
import { oauth } from "./oauth.ts";
import { posts } from "./posts.ts";
import { renewal, revoke } from "./sessions.ts";
import { sources } from "./sources.ts";
import { postText } from "./text.ts";

/**
 * Bluesky, and every other server of its network (AT Protocol). One login gives one account, on the server
 * that holds it.
 *
 * - Servers are run by anyone, in different versions: none is trusted, and no limit of one is.
 * - Who and where an account is: identity.ts. Login: oauth.ts, sessions.ts. Calls: api.ts. Publishing:
 *   posts.ts, records.ts. Comments: comments.ts. Facts with dates: docs/platforms/bluesky.md.
 */
const MB = 1_000_000;

const image: FileRules = {
  mimes: ["image/jpeg", "image/png", "image/webp"],
  // Servers before April 2026 take half of it: image-limit.ts.
  maxBytes: 2 * MB,
  maxAltText: 2_000,
  // Its picture server drops EXIF and does not turn the pixels (social-app issue 10714, 2026-06-03).
  ignoresTurn: true,
  copyBytes: 976_000,
};
const video: FileRules = {
  mimes: ["video/mp4"],
  // What the official distribution of a server takes.
  maxBytes: 50 * MB,
  maxSeconds: 600,
  maxAltText: 1_000,
};
/** What the official client shows of a gallery; more than four pictures are one. */
const MAX_IMAGES = 10;
const one: TypeRules = {
  text: postText,
  media: { min: 0, max: MAX_IMAGES, of: { image: MAX_IMAGES, video: 1 }, alone: ["video"] },
  files: { image, video },
  items: { min: 1, max: 1 },
};
const RULES: PostRules = { post: one, thread: { ...one, items: { min: 1, max: 25 } } };

const SCOPES = ["atproto", "transition:generic"];

export const bluesky = {
  name: "bluesky",
  sources,
  rules: () => RULES,
  quotas: [
    { of: "posts", most: 2_500, perSeconds: 3600, scope: "account" },
    { of: "posts", most: 17_500, perSeconds: 24 * 3600, scope: "account" },
    { of: "uploads", most: 1_000, perSeconds: 24 * 3600, scope: "app" },
  ],
  oauth,
  grants: { publish: { app: "bluesky", renewal, revoke } },
  capabilities: {
    publish: { grant: "publish", scopes: SCOPES },
    comments: { grant: "publish", scopes: SCOPES },
    replies: { grant: "publish", scopes: SCOPES },
    insights: { grant: "publish", scopes: SCOPES },
  },
  posts,
  comments,
  insights,
} satisfies Platform;
