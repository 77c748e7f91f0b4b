import type { RuleSources } from "../rule-sources.ts";

/** Where the rules of this platform were read, and when. */
export const sources = {
  of: {
    texts: { asOf: "2026-11-22", source: "docs.x.com/fundamentals/counting-characters; twitter-text 3.1" },
    comments: { asOf: "2026-11-22", source: "docs.x.com/x-api/posts/create-post: an answer is a post" },
    counts: { asOf: "2026-11-22", source: "docs.x.com/x-api/media/introduction, text of 2026-08-22" },
    files: { asOf: "2026-11-22", source: "docs.x.com/x-api/media/quickstart/best-practices, text of 2026-08-22" },
    settings: { asOf: "2026-11-25", source: "OpenAPI 2.167 of 2026-08-22; changelog of 2026-06-03" },
    scopes: { asOf: "2026-11-22", source: "docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code" },
    quotas: { asOf: "2026-11-22", source: "docs.x.com/x-api/fundamentals/rate-limits, text of 2026-08-22" },
    prices: { asOf: "2026-11-22", source: "docs.x.com/x-api/getting-started/pricing, text of 2026-08-13" },
    permalinks: { asOf: "2026-11-22", source: "docs.x.com/x-api/posts/create-post (data.id)" },
  },
} as const satisfies RuleSources;
