import type { RuleSources } from "../rule-sources.ts";

/** Where the rules of this platform were read, and when. */
export const sources = {
  of: {
    texts: {
      asOf: "2026-11-21",
      source: "developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media (caption)",
    },
    comments: {
      asOf: "2026-11-21",
      source: "developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-media/comments",
    },
    counts: {
      asOf: "2026-11-21",
      source: "developers.facebook.com/docs/instagram-platform/content-publishing (carousels)",
    },
    files: {
      asOf: "2026-11-28",
      source:
        "developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media (image and video specifications); 3:4 was seen by others in 2026-05, unverified",
    },
    settings: {
      asOf: "2026-11-22",
      source: "Instagram changelog of 2026-06-22, 2026-04-22 and 2026-09-28; reference of ig-user/media",
    },
    scopes: { asOf: "2026-11-21", source: "developers.facebook.com/docs/permissions" },
    quotas: {
      asOf: "2026-11-21",
      source:
        "developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/content_publishing_limit: its pages name 50 and 100",
    },
    prices: { asOf: "2026-11-21", source: "developers.facebook.com/docs/instagram-platform: calls are free" },
    permalinks: {
      asOf: "2026-11-21",
      source: "developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-media (permalink)",
    },
  },
} as const satisfies RuleSources;
