import type { RuleSources } from "../rule-sources.ts";

/** Where the rules of this platform were read, and when. */
export const sources = {
  of: {
    texts: {
      asOf: "2026-11-22",
      source: "developers.tiktok.com/doc/content-posting-api-reference-direct-post (title, description)",
    },
    comments: { asOf: "2026-11-22", source: "business-api.tiktok.com/portal/docs (business/comment/create)" },
    counts: { asOf: "2026-11-22", source: "developers.tiktok.com/doc/content-posting-api-reference-photo-post" },
    files: { asOf: "2026-11-22", source: "developers.tiktok.com/doc/content-posting-api-media-transfer-guide" },
    settings: {
      asOf: "2026-11-22",
      source: "developers.tiktok.com/doc/content-sharing-guidelines and the reference of creator_info/query",
    },
    scopes: { asOf: "2026-11-22", source: "developers.tiktok.com/doc/tiktok-api-scopes" },
    quotas: { asOf: "2026-11-22", source: "developers.tiktok.com/doc/tiktok-api-v2-rate-limit, text of 2026-08-04" },
    prices: { asOf: "2026-11-22", source: "developers.tiktok.com: calls are free" },
    permalinks: {
      asOf: "2026-11-22",
      source: "developers.tiktok.com/doc/content-posting-api-reference-get-video-status",
    },
  },
} as const satisfies RuleSources;
