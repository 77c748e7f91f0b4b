import { z } from "zod";
import { milliseconds, seconds } from "../setting-types";

/** The moods of this platform alone; every name begins with the platform's (settings.ts takes them up). */
export const INSTAGRAM_SETTINGS = {
  /**
   * In development mode media cannot be advertised, and what people without a role at the app write is not
   * notified.
   */
  instagram_app_mode: z.enum(["live", "development"]).default("live"),
  instagram_require_appsecret_proof: z.boolean().default(true),
  /** How late the lists show what is live. A read by id finds it at once. */
  instagram_listing_lag_ms: milliseconds.default(1500),
  /**
   * Lists break their pages off early: an empty first one, then ever fewer items than asked for, each with a
   * next.
   */
  instagram_short_pages: z.boolean().default(false),
  /** Posts in any 24 hours: documentation says 50 and 100. */
  instagram_quota_total: z.number().int().min(0).default(100),
  instagram_containers_per_day: z.number().int().min(0).default(400),
  /** What a second publishing call with one container comes to: nobody has written it down. */
  instagram_second_publish: z.enum(["refused", "same_id", "doubled"]).default("refused"),
  /** How long a published post is not live, and its container still calls itself ready. */
  instagram_late_publish_ms: milliseconds.default(0),
  /** Containers and posts cannot be read by their ids, although they are there. */
  instagram_unreadable: z.boolean().default(false),
  /** Whether a container that failed says so by its code, or by its sentence alone. */
  instagram_error_status: z.enum(["code", "sentence", "number"]).default("code"),
  /**
   * The error in place of a publishing call's answer that is lost (the faults `error`, `accept_then_error`).
   */
  instagram_outage: z.enum(["2", "2207001", "2207051", "2207085"]).default("2"),
  /** Images that are no JPEG were seen to be taken. */
  instagram_image_formats: z.enum(["jpeg", "any"]).default("jpeg"),
  /** Whether a person's long token is exchanged for one that lives longer. */
  instagram_prolongs: z.boolean().default(true),
  /** The two forms in which the code of Instagram Login is answered. */
  instagram_exchange: z.enum(["flat", "wrapped"]).default("flat"),
  instagram_boost_eligibility: z.enum(["ELIGIBLE", "NOT_ELIGIBLE"]).default("ELIGIBLE"),
  /** Documentation shows a notification with and without a list of changes. */
  instagram_webhook_shape: z.enum(["changes", "flat"]).default("changes"),
  /** Whether each comment is notified a second time, as one under the ad that its post was made into. */
  instagram_webhook_twins: z.boolean().default(false),
  /** With which of its two secrets an app of Instagram Login is notified: nobody has written it down. */
  instagram_login_webhook_secret: z.enum(["app", "login"]).default("app"),
  /** The number that says that the one private reply to a comment is spent: sources tell three. */
  instagram_spent_reply: z.enum(["10900", "1545133", "2534023"]).default("10900"),
  instagram_code_seconds: seconds.default(600),
  instagram_short_token_seconds: seconds.default(3600),
  instagram_long_token_seconds: seconds.default(5_184_000),
  instagram_calls_per_hour: z.number().int().min(1).default(20_000),
};

/** What `realism: "production"` makes of them (settings.ts). */
export const INSTAGRAM_PRODUCTION = {
  instagram_listing_lag_ms: 4_000,
  instagram_short_pages: true,
  instagram_quota_total: 50,
  instagram_late_publish_ms: 4_000,
  instagram_error_status: "sentence",
  instagram_outage: "2207051",
  instagram_exchange: "wrapped",
  instagram_second_publish: "doubled",
  instagram_webhook_shape: "flat",
  instagram_webhook_twins: true,
  instagram_login_webhook_secret: "login",
};
