import { z } from "zod";
import { milliseconds, seconds } from "../setting-types";

/** The moods of this platform alone; every name begins with the platform's (settings.ts takes them up). */
export const TWITTER_SETTINGS = {
  /** The names of the read side: those of 2.167, the older ones, or both, understood and answered. */
  twitter_dialect: z.enum(["new", "old", "both"]).default("new"),
  twitter_code_seconds: seconds.default(30),
  twitter_access_token_seconds: seconds.default(7200),
  twitter_replay_kills_family: z.boolean().default(true),
  twitter_duplicate_window_ms: milliseconds.default(86_400_000),
  twitter_listing_lag_ms: milliseconds.default(0),
  twitter_replication_lag_ms: milliseconds.default(0),
  twitter_search_lag_ms: milliseconds.default(30_000),
  /** How late the lists of direct messages show one; and whether people from outside take any. */
  twitter_message_lag_ms: milliseconds.default(0),
  twitter_receives_dm: z.boolean().default(true),
  twitter_video_max_ms: z.number().int().min(500).default(140_000),
  /** Multiplies every documented allowance. */
  twitter_rate_limit_scale: z.number().min(0.001).max(1000).default(1),
  /** Posts in 24 hours: of one account, and of all through the app. The first is not in the documents. */
  twitter_posts_per_day: z.number().int().min(0).default(9_600),
  twitter_app_posts_per_day: z.number().int().min(0).default(10_000),
  /** Who may be answered: `enterprise` anyone, `self_serve` only those who mentioned the account. */
  twitter_plan: z.enum(["self_serve", "enterprise"]).default("self_serve"),
  /** Which of the two refusals seen in the wild an unsummoned reply gets. */
  twitter_not_summoned_shape: z.enum(["blank", "problem"]).default("blank"),
};

/** What `realism: "production"` makes of them (settings.ts). */
export const TWITTER_PRODUCTION = {
  twitter_listing_lag_ms: 4_000,
  twitter_replication_lag_ms: 2_000,
  twitter_message_lag_ms: 4_000,
  twitter_not_summoned_shape: "problem",
};
