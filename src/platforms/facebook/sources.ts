import type { RuleSources } from "../rule-sources.ts";

/** Where the rules of this platform were read, and when. */
export const sources = {
  of: {
    texts: {
      asOf: "2026-11-21",
      source: "developers.facebook.com/docs/graph-api/reference/page/feed; the length is that of the website",
    },
    comments: { asOf: "2026-11-21", source: "developers.facebook.com/docs/graph-api/reference/object/comments" },
    counts: {
      asOf: "2026-11-21",
      source: "developers.facebook.com/docs/graph-api/reference/page/photos and /page/feed (attached_media)",
    },
    files: {
      asOf: "2026-11-21",
      source:
        "developers.facebook.com/docs/graph-api/reference/page/photos; refusal 1366046 from 4 MB on, seen by others",
    },
    settings: {
      asOf: "2026-11-22",
      source: "Meta's SDK description of 2026-04-15: page/videos, page/video_reels, page/feed",
    },
    scopes: { asOf: "2026-11-21", source: "developers.facebook.com/docs/permissions" },
    quotas: { asOf: "2026-11-21", source: "developers.facebook.com/docs/video-api/guides/reels-publishing" },
    prices: { asOf: "2026-11-21", source: "developers.facebook.com/docs/graph-api: calls are free" },
    permalinks: { asOf: "2026-11-21", source: "developers.facebook.com/docs/graph-api/reference/post (permalink_url)" },
  },
  ofKind: {
    video: {
      asOf: "2026-11-21",
      source: "developers.facebook.com/docs/video-api/guides/publishing and /reels-publishing",
    },
  },
} as const satisfies RuleSources;
