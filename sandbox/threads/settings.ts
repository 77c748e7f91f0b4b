import { z } from "zod";
import { milliseconds, seconds } from "../setting-types";

const quota = z.number().int().min(0);

/** The moods of this platform alone; every name begins with the platform's (settings.ts takes them up). */
export const THREADS_SETTINGS = {
  /**
   * In development mode only testers who accepted their invitation can log in, and what others write is not
   * notified.
   */
  threads_app_mode: z.enum(["live", "development"]).default("live"),
  /** How a notification holds what it tells. */
  threads_webhook_values: z.enum(["object", "list"]).default("object"),
  threads_code_seconds: seconds.default(3600),
  threads_short_token_seconds: seconds.default(3600),
  threads_long_token_seconds: seconds.default(5_184_000),
  /** A long-lived token must be this old to be refreshed. */
  threads_refresh_age_seconds: z.number().int().min(0).default(86_400),
  threads_container_seconds: seconds.default(86_400),
  /** How late `/me/threads` and `/me/replies` show what is live. A read by id finds it at once. */
  threads_listing_lag_ms: milliseconds.default(1500),
  /**
   * How lists and reads give texts back. Altered: white space folded, and the first tag, which became the
   * topic, is gone.
   */
  threads_text_readback: z.enum(["exact", "altered"]).default("exact"),
  /** How many publish calls of each container are told that it does not exist, although it is FINISHED. */
  threads_publish_race: z.number().int().min(0).default(0),
  /** What publishing a container a second time does: refused as lost, the same id again, or a second post. */
  threads_second_publish: z.enum(["lost", "same", "doubled"]).default("lost"),
  /** How long a published container goes on reading FINISHED before its post is there. */
  threads_late_publish_ms: milliseconds.default(0),
  /** How long a new post cannot be answered. */
  threads_reply_lag_ms: milliseconds.default(0),
  /**
   * What the faults `error` and `accept_then_error` say of a publishing call: a service error, or that it
   * looked suspicious.
   */
  threads_outage: z.enum(["service", "suspicious"]).default("service"),
  /** Where an error that has a name bears it. */
  threads_error_names: z.enum(["code", "message", "error_user_msg"]).default("code"),
  threads_permalink_host: z.enum(["www.threads.com", "www.threads.net"]).default("www.threads.com"),
  /** Of 24 moving hours. */
  threads_posts_per_day: quota.default(250),
  threads_replies_per_day: quota.default(1000),
  threads_deletes_per_day: quota.default(100),
  threads_calls_per_hour: z.number().int().min(1).default(48_000),
};

/** What `realism: "production"` makes of them (settings.ts). */
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
};
