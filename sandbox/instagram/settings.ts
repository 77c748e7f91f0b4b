import { z } from "zod";
import { LOGIN_PRODUCTS } from "../meta/login-configs";
import { milliseconds, seconds } from "../setting-types";

/** Settings of this platform; all names start with the platform's name (part of settings.ts). */
export const INSTAGRAM_SETTINGS = {
  /**
   * The app's login product: `business` is Facebook Login for Business, whose dialog takes `config_id` in
   * place of `scope`; `classic` takes scopes only.
   */
  instagram_login_product: z.enum(LOGIN_PRODUCTS).default("either"),
  /**
   * In development mode, media cannot be advertised, and content of people without a role at the app triggers
   * no webhooks.
   */
  instagram_app_mode: z.enum(["live", "development"]).default("live"),
  instagram_require_appsecret_proof: z.boolean().default(true),
  /** The delay before lists show live posts. A read by id finds them at once. */
  instagram_listing_lag_ms: milliseconds.default(1500),
  /**
   * Lists return short pages: an empty first one, then ever fewer items than requested, each with a next
   * page.
   */
  instagram_short_pages: z.boolean().default(false),
  /** Posts per 24 hours. The documentation says both 50 and 100. */
  instagram_quota_total: z.number().int().min(0).default(100),
  instagram_containers_per_day: z.number().int().min(0).default(400),
  /** The result of a second publish call with one container, which is undocumented. */
  instagram_second_publish: z.enum(["refused", "same_id", "doubled"]).default("refused"),
  /** The delay before a published post is live; until then its container still reports that it is ready. */
  instagram_late_publish_ms: milliseconds.default(0),
  /** Instagram labels every post as AI-made by itself, whatever was declared. */
  instagram_labels_by_itself: z.boolean().default(false),
  /** Containers and posts exist but cannot be read by id. */
  instagram_unreadable: z.boolean().default(false),
  /** Whether a failed container reports its error by code, or only in the message. */
  instagram_error_status: z.enum(["code", "sentence", "number"]).default("code"),
  /** The error that replaces a lost publish response (faults `error`, `accept_then_error`). */
  instagram_outage: z.enum(["2", "2207001", "2207051", "2207085"]).default("2"),
  /** Instagram was seen to accept images that are not JPEG. */
  instagram_image_formats: z.enum(["jpeg", "any"]).default("jpeg"),
  /** How long a new post, and a day of the account, have no numbers. */
  instagram_insights_lag_ms: milliseconds.default(0),
  /** The code that refuses a breakdown that does not fit a metric of the account. */
  instagram_unfit_breakdown: z.enum(["100", "1"]).default("100"),
  /** Whether the exchange of a long-lived user token extends its lifetime. */
  instagram_prolongs: z.boolean().default(true),
  /** The two response formats of the code exchange of Instagram Login. */
  instagram_exchange: z.enum(["flat", "wrapped"]).default("flat"),
  instagram_boost_eligibility: z.enum(["ELIGIBLE", "NOT_ELIGIBLE"]).default("ELIGIBLE"),
  /** The documentation shows notifications with and without a list of changes. */
  instagram_webhook_shape: z.enum(["changes", "flat"]).default("changes"),
  /** Whether each comment triggers a second notification, as a comment on the ad that promotes the post. */
  instagram_webhook_twins: z.boolean().default(false),
  /** Which of the app's two secrets signs webhooks of Instagram Login; undocumented. */
  instagram_login_webhook_secret: z.enum(["app", "login"]).default("app"),
  /** The error number if the one private reply to a comment was already sent; sources name three. */
  instagram_spent_reply: z.enum(["10900", "1545133", "2534023"]).default("10900"),
  instagram_code_seconds: seconds.default(600),
  instagram_short_token_seconds: seconds.default(3600),
  instagram_long_token_seconds: seconds.default(5_184_000),
  instagram_calls_per_hour: z.number().int().min(1).default(20_000),
};

/** Overrides for `realism: "production"` (settings.ts). */
export const INSTAGRAM_PRODUCTION = {
  instagram_listing_lag_ms: 4_000,
  instagram_insights_lag_ms: 86_400_000,
  instagram_unfit_breakdown: "1",
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
