import { z } from "zod";
import { milliseconds, seconds } from "../setting-types";

const count = z.number().int().min(0).max(1_000_000);

/**
 * How difficult the simulated TikTok is told to be, and the lifetimes it gives (settings.ts takes them up).
 */
export const TIKTOK_SETTINGS = {
  tiktok_code_seconds: seconds.default(300),
  tiktok_access_token_seconds: seconds.default(86_400),
  tiktok_refresh_token_seconds: seconds.default(31_536_000),
  /**
   * What becomes of a refresh token that was used: another takes its place, beside it or in place of it, or
   * it stays the only one.
   */
  tiktok_refresh_rotation: z.enum(["old_dies", "old_lives", "same"]).default("old_dies"),

  /** How a PKCE challenge is written: documented is hex, and some clients write base64url as elsewhere. */
  tiktok_challenges: z.enum(["hex", "either"]).default("hex"),

  /**
   * An app that was not audited: five posting accounts a day, private ones, and posts for nobody else to see.
   */
  tiktok_audited: z.boolean().default(true),
  tiktok_posting_users_per_day: count.default(1_000),
  /** Of one account, by all apps together. */
  tiktok_posts_per_day: count.default(15),
  tiktok_pending_drafts_per_day: count.default(5),
  /**
   * Calls a minute and token: asking what the account allows, each way to begin, asking for a task, and other
   * reads.
   */
  tiktok_creator_info_per_minute: count.default(20),
  tiktok_inits_per_minute: count.default(6),
  tiktok_status_per_minute: count.default(30),
  tiktok_reads_per_minute: count.default(600),

  /**
   * Hosts (with what is below them) and address prefixes that the app has proven, with spaces between; empty
   * for all.
   */
  tiktok_verified_urls: z.string().default(""),
  tiktok_upload_seconds: seconds.default(3_600),
  /**
   * In how many chunks the app may upload: as documented; in one of up to 64,000,000 bytes only, as some apps
   * since August 2026; or in several wherever the file allows it.
   */
  tiktok_chunk_counts: z.enum(["documented", "one", "several"]).default("documented"),
  /** Whether a chunk is answered as documented, or by a bare 200 as some have seen. */
  tiktok_chunk_answers: z.enum(["documented", "bare"]).default("documented"),
  /** How long a published post is moderated before its id is told, and listed. */
  tiktok_moderation_ms: milliseconds.default(1_000),
  tiktok_listing_lag_ms: milliseconds.default(1_000),
  /** Of the API for business. Calls a minute: of an account at each address, and of the whole app. */
  tiktok_business_calls_per_minute: count.default(40),
  tiktok_business_app_calls_per_minute: count.default(600),
  /**
   * By which name an order of comments is heeded: documents and the official client differ, the other one is
   * ignored.
   */
  tiktok_business_order_name: z.enum(["sort_order", "sort_type"]).default("sort_order"),
  /** How times of comments are written. */
  tiktok_business_times: z.enum(["text", "number"]).default("text"),
  /** How late a comment is listed that was accepted. */
  tiktok_business_comment_lag_ms: milliseconds.default(0),
  /** Pages of comments are half full, or empty, and have a next one all the same. */
  tiktok_business_short_pages: z.boolean().default(false),
  /** Of TikTok Ads. How long an ad is reviewed. */
  tiktok_ads_review_ms: milliseconds.default(8_000),
  /** How many times faster than in life money is spent: a day's in a minute. */
  tiktok_ads_speed: z.number().min(0).max(100_000).default(1_440),
  /**
   * How the repeat of a creation with the same `request_id` is answered: by one of two codes, or with what
   * the first one made.
   */
  tiktok_ads_repeats: z.enum(["40050", "40002", "same"]).default("40050"),
  /** How late lists show what was made. */
  tiktok_ads_read_lag_ms: milliseconds.default(0),
  /** Of a login at each address. */
  tiktok_ads_calls_per_minute: count.default(600),
  /** Usernames that no ad account is linked with (any more), with spaces between. */
  tiktok_ads_unlinked: z.string().default(""),
  /** Which ids a public post gets in the end. */
  tiktok_post_ids: z.enum(["one", "two", "never"]).default("one"),
};

/** What `realism: "production"` makes of them (settings.ts). */
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
