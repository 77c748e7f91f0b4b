import type { RuleSources } from "../rule-sources.ts";

/** Where the rules of this platform were read, and when. */
export const sources = {
  of: {
    texts: {
      asOf: "2026-11-28",
      source:
        "developers.facebook.com/docs/threads/posts: 500 characters; refusals above 500 bytes were seen by others in 2026-08, unverified",
    },
    comments: { asOf: "2026-11-21", source: "developers.facebook.com/docs/threads/reply-management" },
    counts: { asOf: "2026-11-21", source: "developers.facebook.com/docs/threads/posts (carousels)" },
    files: { asOf: "2026-11-21", source: "developers.facebook.com/docs/threads/posts (media specifications)" },
    settings: {
      asOf: "2026-11-25",
      source: "developers.facebook.com/docs/threads/reference/publishing of 2026-04-20, and the location search",
    },
    scopes: { asOf: "2026-11-21", source: "developers.facebook.com/docs/threads/get-started" },
    quotas: { asOf: "2026-11-21", source: "developers.facebook.com/docs/threads/overview (rate limiting)" },
    prices: { asOf: "2026-11-21", source: "developers.facebook.com/docs/threads: calls are free" },
    permalinks: {
      asOf: "2026-11-21",
      source: "developers.facebook.com/docs/threads/reference/media-retrieval (permalink)",
    },
  },
} as const satisfies RuleSources;
