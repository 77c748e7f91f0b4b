import { z } from "zod";
import { LOGIN_PRODUCTS } from "../meta/login-configs";
import { milliseconds, seconds } from "../setting-types";

/** Settings of this platform; all names start with the platform's name (part of settings.ts). */
export const FACEBOOK_SETTINGS = {
  /**
   * The app's login product: `business` is Facebook Login for Business, whose dialog takes `config_id` in
   * place of `scope`; `classic` takes scopes only.
   */
  facebook_login_product: z.enum(LOGIN_PRODUCTS).default("either"),
  /**
   * In development mode, posts cannot be advertised, and content of people without a role at the app triggers
   * no webhooks.
   */
  facebook_app_mode: z.enum(["live", "development"]).default("live"),
  facebook_require_appsecret_proof: z.boolean().default(true),
  facebook_listing_lag_ms: milliseconds.default(1500),
  /**
   * Lists return short pages: an empty first one, then ever fewer items than requested, each with a next
   * page.
   */
  facebook_short_pages: z.boolean().default(false),
  /**
   * How Graph returns texts. `altered`: white space collapsed, zero-width characters removed, `@[id]`
   * replaced by names.
   */
  facebook_text_readback: z.enum(["exact", "altered"]).default("exact"),
  /**
   * The status that a finished video reports for `facebook_video_state_ms`, while it is published as usual.
   */
  facebook_video_state: z.enum(["accurate", "not_started", "upload_complete", "ready_unpublished"]).default("accurate"),
  facebook_video_state_ms: milliseconds.default(20_000),
  /** Whether a second `finish` has no effect; Facebook was seen to create a second post. */
  facebook_finish_is_idempotent: z.boolean().default(false),
  /** What happens to a vertical video that is sent to `/videos`. */
  facebook_vertical_videos: z.enum(["published", "draft"]).default("published"),
  /** Whether posts take `is_ai_generated`, which is not documented; no read shows it. */
  facebook_ai_labels: z.enum(["ignored", "accepted"]).default("ignored"),
  /** Metrics of insights that Facebook does not offer any more, comma-separated: one fails the whole call. */
  facebook_dead_metrics: z.string().default(""),
  /** How late the numbers of posts and of the days of a Page are. */
  facebook_insights_lag_ms: milliseconds.default(0),
  /** How many like the Page: with fewer than 100 it has no insights. */
  facebook_page_likes: z.number().int().min(0).default(1_000),
  facebook_code_seconds: seconds.default(600),
  facebook_short_token_seconds: seconds.default(5183),
  facebook_long_token_seconds: seconds.default(5_184_000),
  facebook_photo_max_bytes: z.number().int().min(1).default(4_194_304),
  facebook_reels_per_day: z.number().int().min(0).default(30),
  facebook_calls_per_hour: z.number().int().min(1).default(20_000),
};

/** Overrides for `realism: "production"` (settings.ts). */
export const FACEBOOK_PRODUCTION = {
  facebook_listing_lag_ms: 4_000,
  facebook_short_pages: true,
  facebook_insights_lag_ms: 86_400_000,
  facebook_text_readback: "altered",
  facebook_video_state: "not_started",
};
