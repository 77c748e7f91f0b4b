import { z } from "zod";
import { milliseconds, seconds } from "../setting-types";

const quota = z.number().int().min(0);

/** Settings of this platform; all names start with the platform's name (part of settings.ts). */
export const THREADS_SETTINGS = {
  /**
   * In development mode, only testers who accepted their invitation can log in, and other users' content
   * triggers no webhooks.
   */
  threads_app_mode: z.enum(["live", "development"]).default("live"),
  /** The format of the value in a notification. */
  threads_webhook_values: z.enum(["object", "list"]).default("object"),
  threads_code_seconds: seconds.default(3600),
  threads_short_token_seconds: seconds.default(3600),
  threads_long_token_seconds: seconds.default(5_184_000),
  /** The minimum age of a long-lived token before it can be refreshed. */
  threads_refresh_age_seconds: z.number().int().min(0).default(86_400),
  threads_container_seconds: seconds.default(86_400),
  /** The delay before `/me/threads` and `/me/replies` show live posts. A read by id finds them at once. */
  threads_listing_lag_ms: milliseconds.default(1500),
  /** What the limit of 500 counts: characters, as documented, or bytes, as posts were refused in 2026. */
  threads_text_counts: z.enum(["characters", "bytes"]).default("characters"),
  /**
   * How reads and lists return texts. `altered`: white space collapsed, and the first tag removed, because it
   * became the topic.
   */
  threads_text_readback: z.enum(["exact", "altered"]).default("exact"),
  /** How many publish calls of each container fail with "does not exist", although it is FINISHED. */
  threads_publish_race: z.number().int().min(0).default(0),
  /** The result of a second publish of a container: an error, the same id, or a second post. */
  threads_second_publish: z.enum(["lost", "same", "doubled"]).default("lost"),
  /** How long a published container still reports FINISHED before its post exists. */
  threads_late_publish_ms: milliseconds.default(0),
  /** How long a new post cannot be replied to. */
  threads_reply_lag_ms: milliseconds.default(0),
  /**
   * The error of the faults `error` and `accept_then_error` on a publish call: a service error, or
   * "suspicious activity".
   */
  threads_outage: z.enum(["service", "suspicious"]).default("service"),
  /** The position of an error's name. */
  threads_error_names: z.enum(["code", "message", "error_user_msg"]).default("code"),
  /** The code that refuses a name of a metric that is not offered. */
  threads_unknown_metric: z.enum(["100", "1"]).default("100"),
  threads_permalink_host: z.enum(["www.threads.com", "www.threads.net"]).default("www.threads.com"),
  /** Per 24 hours (sliding window). */
  threads_posts_per_day: quota.default(250),
  threads_replies_per_day: quota.default(1000),
  threads_deletes_per_day: quota.default(100),
  threads_calls_per_hour: z.number().int().min(1).default(48_000),
};

/** Overrides for `realism: "production"` (settings.ts). */
export const THREADS_PRODUCTION = {
  threads_webhook_values: "list",
  threads_listing_lag_ms: 4_000,
  threads_text_readback: "altered",
  threads_publish_race: 1,
  threads_second_publish: "doubled",
  threads_late_publish_ms: 4_000,
  threads_reply_lag_ms: 4_000,
  threads_outage: "suspicious",
  threads_error_names: "error_user_msg",
  threads_unknown_metric: "1",
};
