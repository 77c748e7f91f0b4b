import { ACCOUNT_METRICS, type AccountMetric, POST_METRICS, type PostMetric } from "../platforms/insights.ts";
import { whole } from "./numbers.ts";

/** Examples of the document. */

const OWN: Partial<Record<PostMetric, number>> = { views: 340, reach: 210, likes: 9, comments: 2, shares: 1, saves: 4 };

export const EXAMPLE_POST_INSIGHTS = {
  post_id: 42,
  channel_id: 12,
  channel_type: "instagram",
  post_type: "post",
  published_at: "2026-11-20T09:00:00.000+00:00",
  state: "current",
  reason: null,
  as_of: "2026-11-22T18:00:00.000+00:00",
  next_read_at: "2026-11-23T18:00:00.000+00:00",
  scope: "organic",
  metrics: whole(POST_METRICS, OWN),
  missing: { impressions: "not_offered", reposts: "no_permission" },
  names: { views: "views", reach: "reach", likes: "likes", comments: "comments", shares: "shares", saves: "saved" },
  definitions: { views: "instagram.views.2025-04" },
  raw: { views: 340, reach: 210, likes: 9, comments: 2, shares: 1, saved: 4 },
  days: [{ day: "2026-11-22", metrics: OWN }],
} as const;

const DAY: Partial<Record<AccountMetric, number>> = { followers: 1260, views: 88, reach: 60 };

export const EXAMPLE_CHANNEL_INSIGHTS = {
  channel_id: 12,
  channel_type: "instagram",
  state: "current",
  reason: null,
  as_of: "2026-11-22",
  next_read_at: null,
  collects: true,
  price: null,
  followers: 1260,
  totals: whole(ACCOUNT_METRICS, { views: 88, reach: 60 }),
  names: { followers: "followers_count", views: "views", reach: "reach" },
  days: [{ day: "2026-11-22", metrics: whole(ACCOUNT_METRICS, DAY) }],
  posts: { measured: 1, likes: 9, comments: 2, shares: 1 },
} as const;

export const EXAMPLE_TOP_POST = {
  post_id: 42,
  channel_id: 12,
  channel_type: "instagram",
  published_at: "2026-11-20T09:00:00.000+00:00",
  permalink: "https://www.instagram.com/p/Cx1/",
  as_of: "2026-11-22T18:00:00.000+00:00",
  value: 9,
  metrics: whole(POST_METRICS, OWN),
} as const;
