import { z } from "zod";
import { milliseconds, seconds } from "../setting-types";

/** The settings of this platform; every name starts with the platform's (settings.ts includes them). */
export const YOUTUBE_SETTINGS = {
  youtube_code_seconds: seconds.default(600),
  youtube_access_token_seconds: seconds.default(3600),
  /** The project's publishing status is "Testing": refresh tokens last a week. */
  youtube_testing: z.boolean().default(false),
  /** How long access is granted; 0 without an end. */
  youtube_grant_seconds: z.number().int().min(0).default(0),
  /** Whether all channels are brand accounts of one Google account: revoking one login revokes all. */
  youtube_one_google_account: z.boolean().default(false),
  /** The answer to a Google account without a channel. */
  youtube_no_channel: z.enum(["empty", "signup_required"]).default("empty"),
  /** Whether the token may be a query parameter. */
  youtube_query_token: z.enum(["refused", "taken"]).default("refused"),

  /** The project's daily quotas, which reset at midnight Pacific time. */
  youtube_uploads_per_day: z.number().int().min(0).default(100),
  youtube_units_per_day: z.number().int().min(0).default(10_000),
  /** The channel's own limit in 24 hours; the real number is not published. */
  youtube_channel_uploads_per_day: z.number().int().min(0).default(100),

  /**
   * Whether owners have turned the comments of their videos off; those of videos made for kids always are.
   */
  youtube_comments: z.enum(["on", "off"]).default("on"),

  youtube_session_seconds: seconds.default(604_800),
  /** Whether a session still answers after its video exists. */
  youtube_finished_session: z.enum(["kept", "gone"]).default("kept"),
  /**
   * How many openings of a session for each video (known by its title and all else that is said of it) meet a
   * passing conflict (409).
   */
  youtube_session_conflicts: z.number().int().min(0).default(0),
  /** Only the first half of a chunk of several units is stored. */
  youtube_partial_storage: z.boolean().default(false),
  /** The last byte is answered by 308; the video exists, and the next call reports it. */
  youtube_silent_end: z.boolean().default(false),
  /** The answer to bytes that overlap or leave a gap; they are never stored. */
  youtube_misplaced_bytes: z.enum(["range", "refuse"]).default("range"),

  /** How late the list of uploads shows a video, other reads find it by its id, and its file is described. */
  youtube_listing_lag_ms: milliseconds.default(1500),
  youtube_replication_lag_ms: milliseconds.default(0),
  youtube_file_details_ms: milliseconds.default(1000),
  /** Whether the name given with `Slug` is shown again. */
  youtube_file_names: z.boolean().default(true),
  /** How titles and descriptions are shown. Trimmed: white space folded. */
  youtube_text_readback: z.enum(["exact", "trimmed"]).default("exact"),
};

/** Their values with `realism: "production"` (settings.ts). */
export const YOUTUBE_PRODUCTION = {
  youtube_no_channel: "signup_required",
  youtube_finished_session: "gone",
  youtube_session_conflicts: 1,
  youtube_partial_storage: true,
  youtube_silent_end: true,
  youtube_misplaced_bytes: "refuse",
  youtube_listing_lag_ms: 4_000,
  youtube_replication_lag_ms: 2_000,
  youtube_file_details_ms: 4_000,
  youtube_text_readback: "trimmed",
};
