import { z } from "zod";
import { milliseconds } from "../../setting-types";

/** Settings of Meta's Marketing API, shared by both apps (part of settings.ts). */
export const ADS_SETTINGS = {
  /** Review time after an ad is created, or its content or audience changes. */
  ads_review_ms: milliseconds.default(8000),
  /**
   * The speed of ad spend: at 1440, a day's budget is spent within a minute. Schedules keep their normal
   * speed.
   */
  ads_speed: z.number().min(0).max(1_000_000).default(1440),
  /**
   * By what share a day may exceed its daily budget. Seven days of a week never exceed seven daily budgets.
   */
  ads_daily_overshoot: z.number().min(0).max(0.75).default(0),
  ads_listing_lag_ms: milliseconds.default(1500),
  /**
   * How lists of campaigns, ad sets and ads treat `filtering`, which Meta's own API description does not
   * contain.
   */
  ads_filtering: z.enum(["heeded", "ignored", "refused"]).default("heeded"),
  /** Limited access has 60 points per five minutes, full access 9000. */
  ads_access_tier: z.enum(["development_access", "standard_access"]).default("standard_access"),
  /** The subcode that rejects a creative although its post can be boosted. */
  ads_late_refusal: z.enum(["none", "1815199", "1815279", "1885183", "2875030", "2875039", "3686001"]).default("none"),
  ads_estimates_ready: z.boolean().default(true),
  /** The `account_status` of all ad accounts; null keeps each account's own. */
  ads_account_status: z.literal([1, 2, 3, 7, 8, 9, 100, 101]).nullable().default(null),
  /** Whether ad accounts with a payment method can pay. */
  ads_funding: z.boolean().default(true),
  /** Whether the ad accounts have a default beneficiary and payer for their ads. */
  ads_dsa_defaults: z.boolean().default(false),
  /** Meta was seen to append a date to the names of creatives. */
  ads_creative_names: z.enum(["kept", "extended"]).default("kept"),
  /** The user's language; a call's `locale` overrides it. */
  ads_language: z.enum(["en", "de"]).default("en"),
};

/** Overrides for `realism: "production"` (settings.ts). */
export const ADS_PRODUCTION = {
  ads_daily_overshoot: 0.75,
  ads_listing_lag_ms: 4_000,
  ads_filtering: "ignored",
  ads_access_tier: "development_access",
  ads_creative_names: "extended",
};
