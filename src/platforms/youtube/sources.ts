import type { RuleSources } from "../rule-sources.ts";

/** Where the rules of this platform were read, and when. */
export const sources = {
  of: {
    texts: {
      asOf: "2026-11-22",
      source: "developers.google.com/youtube/v3/docs/videos (snippet.title, snippet.description)",
    },
    comments: {
      asOf: "2026-11-22",
      source: "developers.google.com/youtube/v3/docs/comments; the length is that of the website",
    },
    counts: { asOf: "2026-11-22", source: "developers.google.com/youtube/v3/docs/videos/insert" },
    files: {
      asOf: "2026-11-22",
      source: "developers.google.com/youtube/v3/docs/videos/insert; support.google.com/youtube/answer/71673 (lengths)",
    },
    settings: {
      asOf: "2026-11-22",
      source: "developers.google.com/youtube/v3/docs/videos and /thumbnails/set; @googleapis/youtube 39.0.0",
    },
    scopes: { asOf: "2026-11-22", source: "developers.google.com/identity/protocols/oauth2/scopes#youtube" },
    quotas: {
      asOf: "2026-11-22",
      source: "developers.google.com/youtube/v3/determine_quota_cost, revision history up to 2026-11-03",
    },
    prices: {
      asOf: "2026-11-22",
      source: "developers.google.com/youtube/v3/getting-started: calls cost units of a quota, no money",
    },
    permalinks: { asOf: "2026-11-22", source: "developers.google.com/youtube/v3/docs/videos (id)" },
  },
} as const satisfies RuleSources;
