import { z } from "zod";
import { milliseconds } from "../../setting-types";

/** The moods of Meta's Marketing API, alike for both apps (settings.ts takes them up). */
export const ADS_SETTINGS = {
  /** From making an ad, or changing what it shows to whom, to the reviewers' word. */
  ads_review_ms: milliseconds.default(8000),
  /**
   * How much faster than in life budgets are spent: at 1440 a day's is gone within a minute. The schedule is
   * not hastened.
   */
  ads_speed: z.number().min(0).max(1_000_000).default(1440),
  /**
   * By how much of a daily budget a day may spend more; seven days of a week never spend more than seven
   * budgets.
   */
  ads_daily_overshoot: z.number().min(0).max(0.75).default(0),
  ads_listing_lag_ms: milliseconds.default(1500),
  /**
   * What becomes of `filtering` on lists of campaigns, ad sets and ads: it is not in Meta's own description.
   */
  ads_filtering: z.enum(["heeded", "ignored", "refused"]).default("heeded"),
  /** Limited access has 60 points in five minutes, full access 9000. */
  ads_access_tier: z.enum(["development_access", "standard_access"]).default("standard_access"),
  /** With which subcode a creative is refused although its post may be boosted. */
  ads_late_refusal: z.enum(["none", "1815199", "1815279", "1885183", "2875030", "2875039", "3686001"]).default("none"),
  ads_estimates_ready: z.boolean().default(true),
  /** The `account_status` of all ad accounts; null: each its own. */
  ads_account_status: z.literal([1, 2, 3, 7, 8, 9, 100, 101]).nullable().default(null),
  /** Whether the ad accounts that pay can pay. */
  ads_funding: z.boolean().default(true),
  /** Whether the ad accounts name who benefits and pays for all of their ads. */
  ads_dsa_defaults: z.boolean().default(false),
  /** Meta was seen to append a date to the names of creatives. */
  ads_creative_names: z.enum(["kept", "extended"]).default("kept"),
  /** The person's language, which a call's `locale` goes over. */
  ads_language: z.enum(["en", "de"]).default("en"),
};

/** What `realism: "production"` makes of them (settings.ts). */
export const ADS_PRODUCTION = {
  ads_daily_overshoot: 0.75,
  ads_listing_lag_ms: 4_000,
  ads_filtering: "ignored",
  ads_access_tier: "development_access",
  ads_creative_names: "extended",
};
