import { z } from "zod";
import { milliseconds, seconds } from "../setting-types";

/** Settings of this platform; all names start with the platform's name (part of settings.ts). */
export const TWITTER_SETTINGS = {
  /** The accepted and returned names of read endpoints: version 2.167, the earlier ones, or both. */
  twitter_dialect: z.enum(["new", "old", "both"]).default("new"),
  twitter_code_seconds: seconds.default(30),
  twitter_access_token_seconds: seconds.default(7200),
  twitter_replay_kills_family: z.boolean().default(true),
  twitter_duplicate_window_ms: milliseconds.default(86_400_000),
  twitter_listing_lag_ms: milliseconds.default(0),
  twitter_replication_lag_ms: milliseconds.default(0),
  twitter_search_lag_ms: milliseconds.default(30_000),
  /** The delay before lists show a direct message; and whether external users accept messages. */
  twitter_message_lag_ms: milliseconds.default(0),
  twitter_receives_dm: z.boolean().default(true),
  twitter_video_max_ms: z.number().int().min(500).default(140_000),
  /** Multiplies every documented rate limit. */
  twitter_rate_limit_scale: z.number().min(0.001).max(1000).default(1),
  /** Posts per 24 hours: per account, and for the whole app. The first limit is undocumented. */
  twitter_posts_per_day: z.number().int().min(0).default(9_600),
  twitter_app_posts_per_day: z.number().int().min(0).default(10_000),
  /** The credits of our app, bought once; null: as many as it takes. At zero, paid calls are a 402. */
  twitter_credits_usd: z.number().min(0).max(1e9).nullable().default(null),
  /** Whether one object is charged once per UTC day. X calls that a soft guarantee. */
  twitter_daily_dedup: z.boolean().default(true),
  /** Whether the accounts own the app: their reads then cost a tenth of a cent. */
  twitter_app_owner: z.boolean().default(false),
  /** Who can be replied to: `enterprise` anyone, `self_serve` only users who mentioned the account. */
  twitter_plan: z.enum(["self_serve", "enterprise"]).default("self_serve"),
  /** Which of the two observed errors a reply to a user who did not mention the account gets. */
  twitter_not_summoned_shape: z.enum(["blank", "problem"]).default("blank"),
};

/** Overrides for `realism: "production"` (settings.ts). */
export const TWITTER_PRODUCTION = {
  twitter_listing_lag_ms: 4_000,
  twitter_replication_lag_ms: 2_000,
  twitter_message_lag_ms: 4_000,
  twitter_not_summoned_shape: "problem",
};
