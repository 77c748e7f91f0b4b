import { z } from "zod";
import { milliseconds, seconds } from "../setting-types";

/** The moods of this platform alone; every name begins with the platform's (settings.ts takes them up). */
export const FACEBOOK_SETTINGS = {
  /**
   * In development mode posts cannot be advertised, and what people without a role at the app write is not
   * notified.
   */
  facebook_app_mode: z.enum(["live", "development"]).default("live"),
  facebook_require_appsecret_proof: z.boolean().default(true),
  facebook_listing_lag_ms: milliseconds.default(1500),
  /**
   * Lists break their pages off early: an empty first one, then ever fewer items than asked for, each with a
   * next.
   */
  facebook_short_pages: z.boolean().default(false),
  /**
   * How Graph gives texts back. Altered: white space folded, zero-width characters gone, `@[id]` become
   * names.
   */
  facebook_text_readback: z.enum(["exact", "altered"]).default("exact"),
  /** What the status of a finished video claims for `facebook_video_state_ms`, while it goes live as ever. */
  facebook_video_state: z.enum(["accurate", "not_started", "upload_complete", "ready_unpublished"]).default("accurate"),
  facebook_video_state_ms: milliseconds.default(20_000),
  /** Whether a second `finish` is acknowledged only; facebook was seen to make a second post of it. */
  facebook_finish_is_idempotent: z.boolean().default(false),
  /** What becomes of a vertical video that is sent to `/videos`. */
  facebook_vertical_videos: z.enum(["published", "draft"]).default("published"),
  facebook_code_seconds: seconds.default(600),
  facebook_short_token_seconds: seconds.default(5183),
  facebook_long_token_seconds: seconds.default(5_184_000),
  facebook_photo_max_bytes: z.number().int().min(1).default(4_194_304),
  facebook_reels_per_day: z.number().int().min(0).default(30),
  facebook_calls_per_hour: z.number().int().min(1).default(20_000),
};

/** What `realism: "production"` makes of them (settings.ts). */
export const FACEBOOK_PRODUCTION = {
  facebook_listing_lag_ms: 4_000,
  facebook_short_pages: true,
  facebook_text_readback: "altered",
  facebook_video_state: "not_started",
};
