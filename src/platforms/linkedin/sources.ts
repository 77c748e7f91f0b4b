import type { RuleSources } from "../rule-sources.ts";

/** Where the rules of this platform were read, and when. */
export const sources = {
  of: {
    texts: {
      asOf: "2026-11-22",
      source: "learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api, version 202609",
    },
    comments: {
      asOf: "2026-11-22",
      source: "learn.microsoft.com/linkedin/marketing/community-management/shares/comments-api, version 202609",
    },
    counts: {
      asOf: "2026-11-22",
      source: "learn.microsoft.com/linkedin/marketing/community-management/shares/multiimage-post-api, version 202609",
    },
    files: {
      asOf: "2026-11-22",
      source:
        "learn.microsoft.com/linkedin/marketing/community-management/shares/images-api, version 202609; the size in bytes is that of other clients",
    },
    settings: {
      asOf: "2026-11-25",
      source: "the schema of /rest/posts (li-lms-2026-05) and the Videos API (thumbnails)",
    },
    scopes: { asOf: "2026-11-22", source: "learn.microsoft.com/linkedin/marketing/community-management (permissions)" },
    quotas: { asOf: "2026-11-22", source: "learn.microsoft.com/linkedin/shared/api-guide/concepts/rate-limits" },
    prices: { asOf: "2026-11-22", source: "learn.microsoft.com/linkedin/marketing: calls are free" },
    permalinks: {
      asOf: "2026-11-22",
      source: "the address of a post is made of its URN, as LinkedIn's own share links are",
    },
  },
  ofKind: {
    document: {
      asOf: "2026-11-28",
      source: "learn.microsoft.com/linkedin/marketing/community-management/shares/documents-api, li-lms-2024-11",
    },
    video: {
      asOf: "2026-11-25",
      source: "learn.microsoft.com/linkedin/marketing/community-management/shares/videos-api, li-lms-2026-05",
    },
  },
} as const satisfies RuleSources;
