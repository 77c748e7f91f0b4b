import { z } from "zod";
import { milliseconds, seconds } from "../setting-types";

/** Settings of this platform; all names start with the platform's name (part of settings.ts). */
export const YOUTUBE_SETTINGS = {
  youtube_code_seconds: seconds.default(600),
  youtube_access_token_seconds: seconds.default(3600),
  /** The project's publishing status is "Testing": refresh tokens expire after a week. */
  youtube_testing: z.boolean().default(false),
  /** How long access is granted; 0 means without expiry. */
  youtube_grant_seconds: z.number().int().min(0).default(0),
  /** Whether all channels are brand accounts of one Google account: revoking one login revokes all. */
  youtube_one_google_account: z.boolean().default(false),
  /** The response to a Google account without a channel. */
  youtube_no_channel: z.enum(["empty", "signup_required"]).default("empty"),
  /** Whether the project has enabled the YouTube Analytics API, which it does apart from the Data API. */
  youtube_analytics_api: z.enum(["enabled", "disabled"]).default("enabled"),
  /** How late reports of the Analytics API are. */
  youtube_analytics_lag_ms: milliseconds.default(0),
  /** Whether the token can be a query parameter. */
  youtube_query_token: z.enum(["refused", "taken"]).default("refused"),

  /** The project's daily quotas, which reset at midnight Pacific time. */
  youtube_uploads_per_day: z.number().int().min(0).default(100),
  youtube_units_per_day: z.number().int().min(0).default(10_000),
  /** How uploads beyond the quota are refused: 403 `quotaExceeded`, or 429 as since May 2026. */
  youtube_uploads_refusal: z.enum(["quota", "rate_limit"]).default("quota"),
  /** The channel's own limit per 24 hours; the real number is not published. */
  youtube_channel_uploads_per_day: z.number().int().min(0).default(100),

  /**
   * The response to a video that declares paid product placement, refused for new videos or for updates as
   * well; which accounts may is not documented.
   */
  youtube_paid_placement: z.enum(["taken", "refused_at_opening", "refused"]).default("taken"),
  /** How many videos a playlist holds. */
  youtube_playlist_most: z.number().int().min(0).default(5000),

  /** Whether the channel may set pictures of its videos: it must have been verified. */
  youtube_thumbnails: z.enum(["allowed", "unverified"]).default("allowed"),

  /**
   * Whether owners have disabled comments on their videos. Comments on videos made for kids are always
   * disabled.
   */
  youtube_comments: z.enum(["on", "off"]).default("on"),

  youtube_session_seconds: seconds.default(604_800),
  /** Whether a session still responds after its video exists. */
  youtube_finished_session: z.enum(["kept", "gone"]).default("kept"),
  /**
   * How many attempts to open a session meet a temporary conflict (409), for each video. Equal metadata
   * identifies a video.
   */
  youtube_session_conflicts: z.number().int().min(0).default(0),
  /** Stores only the first half of a chunk of several units. */
  youtube_partial_storage: z.boolean().default(false),
  /** The last byte is answered with 308; the video exists, and the next call reports it. */
  youtube_silent_end: z.boolean().default(false),
  /** The response to bytes that overlap or leave a gap; they are never stored. */
  youtube_misplaced_bytes: z.enum(["range", "refuse"]).default("range"),

  /**
   * The delay before the list of uploads shows a video, other reads find it by id, and its file details
   * are available.
   */
  youtube_listing_lag_ms: milliseconds.default(1500),
  youtube_replication_lag_ms: milliseconds.default(0),
  youtube_file_details_ms: milliseconds.default(1000),
  /** Whether the file name sent in `Slug` is returned. */
  youtube_file_names: z.boolean().default(true),
  /** How titles and descriptions are returned. `trimmed`: white space collapsed. */
  youtube_text_readback: z.enum(["exact", "trimmed"]).default("exact"),
};

/** Overrides for `realism: "production"` (settings.ts). */
export const YOUTUBE_PRODUCTION = {
  youtube_no_channel: "signup_required",
  youtube_uploads_refusal: "rate_limit",
  youtube_finished_session: "gone",
  youtube_session_conflicts: 1,
  youtube_partial_storage: true,
  youtube_silent_end: true,
  youtube_misplaced_bytes: "refuse",
  youtube_listing_lag_ms: 4_000,
  youtube_analytics_lag_ms: 86_400_000,
  youtube_replication_lag_ms: 2_000,
  youtube_file_details_ms: 4_000,
  youtube_text_readback: "trimmed",
};
