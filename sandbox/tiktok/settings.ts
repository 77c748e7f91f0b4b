import { z } from "zod";
import { milliseconds, seconds } from "../setting-types";

const count = z.number().int().min(0).max(1_000_000);

/** Behaviour and lifetimes of the simulated TikTok (part of settings.ts). */
export const TIKTOK_SETTINGS = {
  tiktok_code_seconds: seconds.default(300),
  tiktok_access_token_seconds: seconds.default(86_400),
  tiktok_refresh_token_seconds: seconds.default(31_536_000),
  /**
   * What happens to a refresh token on use: a new one replaces it, a new one is added, or it stays the only
   * one.
   */
  tiktok_refresh_rotation: z.enum(["old_dies", "old_lives", "same"]).default("old_dies"),

  /**
   * The encoding of PKCE challenges: hex as documented, or also the usual base64url, which some clients send.
   */
  tiktok_challenges: z.enum(["hex", "either"]).default("hex"),

  /**
   * False for an unaudited app: five posting accounts per day, only private accounts, and posts visible only
   * to their author.
   */
  tiktok_audited: z.boolean().default(true),
  tiktok_posting_users_per_day: count.default(1_000),
  /** Per account, across all apps. */
  tiktok_posts_per_day: count.default(15),
  tiktok_pending_drafts_per_day: count.default(5),
  /** Calls per minute and token: creator info, each way to start a post, post status, and other reads. */
  tiktok_creator_info_per_minute: count.default(20),
  tiktok_inits_per_minute: count.default(6),
  tiktok_status_per_minute: count.default(30),
  tiktok_reads_per_minute: count.default(600),

  /**
   * Hosts (with their subdomains) and URL prefixes that the app has verified, space-separated; empty allows
   * all.
   */
  tiktok_verified_urls: z.string().default(""),
  tiktok_upload_seconds: seconds.default(3_600),
  /**
   * Number of chunks that the app may upload: as documented; only one of up to 64,000,000 bytes, as for some
   * apps since August 2026; or several wherever the file size allows it.
   */
  tiktok_chunk_counts: z.enum(["documented", "one", "several"]).default("documented"),
  /** Whether a chunk receives the documented response, or a bare 200 as some clients have observed. */
  tiktok_chunk_answers: z.enum(["documented", "bare"]).default("documented"),
  /** How long a published post is moderated before its id is returned and listed. */
  tiktok_moderation_ms: milliseconds.default(1_000),
  tiktok_listing_lag_ms: milliseconds.default(1_000),
  /** API for Business. Calls per minute: per account and endpoint, and for the whole app. */
  tiktok_business_calls_per_minute: count.default(40),
  tiktok_business_app_calls_per_minute: count.default(600),
  /**
   * The accepted name of the sort parameter of comments; the other one is ignored. The documentation and the
   * official client differ.
   */
  tiktok_business_order_name: z.enum(["sort_order", "sort_type"]).default("sort_order"),
  /** The format of comment times. */
  tiktok_business_times: z.enum(["text", "number"]).default("text"),
  /** The delay before a new comment is listed. */
  tiktok_business_comment_lag_ms: milliseconds.default(0),
  /** Returns half-full or empty pages of comments that still have a next page. */
  tiktok_business_short_pages: z.boolean().default(false),
  /** TikTok Ads. The review time of an ad. */
  tiktok_ads_review_ms: milliseconds.default(8_000),
  /** The speed of ad spend: by default, one day's spend in one minute. */
  tiktok_ads_speed: z.number().min(0).max(100_000).default(1_440),
  /**
   * The response to a repeated creation with the same `request_id`: one of two error codes, or the original
   * result.
   */
  tiktok_ads_repeats: z.enum(["40050", "40002", "same"]).default("40050"),
  /** The delay before lists show new objects. */
  tiktok_ads_read_lag_ms: milliseconds.default(0),
  /** Per login and endpoint. */
  tiktok_ads_calls_per_minute: count.default(600),
  /** Usernames that are not linked to any ad account (any more), space-separated. */
  tiktok_ads_unlinked: z.string().default(""),
  /** Which ids a public post finally gets. */
  tiktok_post_ids: z.enum(["one", "two", "never"]).default("one"),
};

/** Overrides for `realism: "production"` (settings.ts). */
export const TIKTOK_PRODUCTION = {
  tiktok_chunk_answers: "bare",
  tiktok_moderation_ms: 20_000,
  tiktok_listing_lag_ms: 20_000,
  tiktok_business_times: "number",
  tiktok_business_comment_lag_ms: 4_000,
  tiktok_business_short_pages: true,
  tiktok_ads_repeats: "40002",
  tiktok_ads_read_lag_ms: 4_000,
  tiktok_post_ids: "two",
};
