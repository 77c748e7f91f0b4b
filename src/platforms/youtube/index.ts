import { type Checked, said } from "../../core/checks.ts";
import type { AccountAttributes } from "../context.ts";
import type { Platform } from "../platform.ts";
import type { EncodingRules, FileRules, PostRules, TextRules, TypeRules } from "../rules.ts";
import { comments } from "./comments.ts";
import { insights } from "./insights.ts";
import { FULL_SCOPE, oauth, READ_SCOPE, renewal, revoke, UPLOAD_SCOPE } from "./oauth.ts";
import { posts } from "./posts.ts";
import { sources } from "./sources.ts";

/**
 * YouTube channels. One login connects the one channel that the account owner selects.
 *
 * Login: oauth.ts. Calls: api.ts. Refusals: errors.ts. Publishing: posts.ts. Comments: comments.ts,
 * replies.ts. Facts with dates: docs/platforms/youtube.md.
 *
 * - Only videos can be published: the API has no posts of text or images.
 * - A Short has no setting: any upright or square video of at most three minutes is one.
 */
const MINUTE = 60;
const GIB = 1024 ** 3;

const NO_ANGLES = /[<>]/;
function angleProblems(text: string): readonly Checked[] {
  return NO_ANGLES.test(text) ? [said("must not have < or > on YouTube.", "angle_brackets")] : [];
}

const BLANK: Checked = { message: "must not be blank.", check: { kind: "empty" } };

const NO_ANGLES_RULE = ["must not have < or >"];

const utf8 = new TextEncoder();
/** The caption becomes the description. */
const text: TextRules = {
  max: 5000,
  measure: (value) => utf8.encode(value).byteLength,
  unit: "bytes",
  problems: angleProblems,
  also: NO_ANGLES_RULE,
};
const title: TextRules = {
  max: 100,
  measure: (value) => [...value].length,
  unit: "characters",
  problems: (value) => [...angleProblems(value), ...(value.trim() === "" ? [BLANK] : [])],
  also: [...NO_ANGLES_RULE, "must not be blank"],
};

// YouTube takes 50 MB; covers are sent from memory.
const cover: FileRules = { mimes: ["image/jpeg", "image/png"], maxBytes: 8 * 1024 ** 2 };

/** YouTube documents what it takes, not what it refuses; it converts every video. */
const encoding: EncodingRules = {
  codecs: ["H.264", "HEVC", "ProRes", "MPEG-4 Visual", "MPEG-2", "H.263", "VP8", "VP9", "AV1"],
  others: "warned",
};

function rules({ long_uploads: long }: AccountAttributes): PostRules {
  const video: FileRules = {
    mimes: ["video/mp4", "video/quicktime", "video/webm", "video/x-msvideo"],
    maxBytes: 256 * GIB,
    // Unverified channels have a lower limit. If the status is unknown, YouTube decides.
    maxSeconds: long === "eligible" || long === "disallowed" ? 15 * MINUTE : 12 * 60 * MINUTE,
    encoding,
  };
  const short: FileRules = {
    // The orientation of an AVI is not known before the upload.
    mimes: ["video/mp4", "video/quicktime", "video/webm"],
    maxBytes: video.maxBytes,
    maxSeconds: 3 * MINUTE,
    maxRatio: 1,
    encoding,
  };
  const one = (file: FileRules): TypeRules => ({
    text,
    title,
    privacy: ["public", "private", "unlisted"],
    media: { min: 1, max: 1, of: { video: 1 }, alone: [] },
    files: { video: file },
    items: { min: 1, max: 1 },
    cover,
  });
  return { post: one(video), reel: one(short) };
}

export const youtube = {
  name: "youtube",
  sources,
  rules,
  accountKinds: [
    {
      says: "channels that were not verified at youtube.com/verify when they were connected",
      attributes: { long_uploads: "eligible" },
    },
  ],
  quotas: [
    { of: "uploads", most: 100, perSeconds: 24 * 3600, scope: "app" },
    { of: "units", most: 10_000, perSeconds: 24 * 3600, scope: "app" },
  ],
  oauth,
  grants: { publish: { app: "google", renewal, revoke } },
  capabilities: {
    publish: { grant: "publish", scopes: [UPLOAD_SCOPE, READ_SCOPE] },
    comments: { grant: "publish", scopes: [FULL_SCOPE] },
    replies: { grant: "publish", scopes: [FULL_SCOPE] },
    insights: { grant: "publish", scopes: [READ_SCOPE] },
  },
  posts,
  comments,
  insights,
  // YouTube API Services Developer Policies, III.E.4: stored data is deleted or its authorization checked.
  uncheckedDays: 30,
} satisfies Platform;
