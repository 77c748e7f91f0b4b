import type { RuleSources } from "../rule-sources.ts";

/** Where the rules of this platform were read, and when. */
export const sources = {
  of: {
    texts: {
      asOf: "2026-11-26",
      source: "the lexicon app.bsky.feed.post of @atproto/api (300 graphemes, 3,000 bytes)",
    },
    comments: { asOf: "2026-11-26", source: "the lexicon app.bsky.feed.post of @atproto/api: an answer is a post" },
    counts: {
      asOf: "2026-11-28",
      source:
        "the lexicons app.bsky.embed.images and app.bsky.embed.gallery of @atproto/api, of which the app shows ten; threads have no limit of their own",
    },
    files: {
      asOf: "2026-11-28",
      source: "the lexicon app.bsky.embed.images of @atproto/api 0.19.19; @atproto/pds 0.4.217 and 0.5.35, run by us",
    },
    settings: { asOf: "2026-11-26", source: "the lexicon app.bsky.feed.post of @atproto/api: no declarations" },
    scopes: { asOf: "2026-11-26", source: "atproto.com/specs/oauth (transition:generic)" },
    quotas: { asOf: "2026-11-26", source: "docs.bsky.app/docs/advanced-guides/rate-limits" },
    prices: { asOf: "2026-11-26", source: "docs.bsky.app: calls are free" },
    permalinks: {
      asOf: "2026-11-26",
      source: "the address of a post is made of the account's DID and the record's key, as the official app does",
    },
  },
  ofKind: {
    video: {
      asOf: "2026-11-26",
      source: "the lexicon app.bsky.embed.video; the default of the official distribution of @atproto/pds",
    },
  },
} as const satisfies RuleSources;
