import { z } from "zod";
import { milliseconds, seconds } from "../setting-types";

const version = z.string().regex(/^\d{6}$/);

/** Settings of this platform; all names start with the platform's name (part of settings.ts). */
export const LINKEDIN_SETTINGS = {
  linkedin_code_seconds: seconds.default(1800),
  linkedin_access_token_seconds: seconds.default(5_184_000),
  linkedin_refresh_token_seconds: seconds.default(31_536_000),
  /** Only approved partners get them. */
  linkedin_gives_refresh_tokens: z.boolean().default(true),
  /** How long a new token is rejected as revoked. */
  linkedin_activation_lag_ms: milliseconds.default(0),
  /** Versions outside this range return 426. */
  linkedin_oldest_version: version.default("202601"),
  linkedin_newest_version: version.default("202609"),
  linkedin_acl_names: z.enum(["organization", "organizationTarget", "both"]).default("both"),
  /** The tier of the Community Management API. `development` has low rate limits and no batches. */
  linkedin_tier: z.enum(["development", "standard"]).default("standard"),
  /** Calls per UTC day: of the app, and of one member through it; 0 uses the tier's limit. */
  linkedin_app_calls_per_day: z.number().int().min(0).default(0),
  linkedin_member_calls_per_day: z.number().int().min(0).default(0),
  /** Per day and member, for the app that has only the self-serve products. */
  linkedin_self_serve_calls_per_day: z.number().int().min(1).default(150),
  /** The kind of 429 error that the fault `rate_limit` returns. */
  linkedin_throttle: z.enum(["burst", "application_day", "member_day"]).default("burst"),
  linkedin_comment_throttle_ms: milliseconds.default(60_000),
  /** The delay before the list of an author's posts shows a new post. A read by URN finds it at once. */
  linkedin_listing_lag_ms: milliseconds.default(0),
  /** The field of a comment that contains its URN, if any. */
  linkedin_comment_urns: z.enum(["both", "commentUrn", "$URN", "absent"]).default("both"),
  /** The order of comments in lists, which is undocumented. */
  linkedin_comment_order: z.enum(["newest", "oldest"]).default("newest"),
  linkedin_post_urns: z.enum(["share", "ugcPost", "mixed"]).default("mixed"),
  /** `share`: lists return a ugcPost as a share URN with the same timestamp. */
  linkedin_listed_urns: z.enum(["as_created", "share"]).default("as_created"),
  /**
   * Where a create call returns the id: in the header, percent-encoded (`encoded`), only in `location`, or
   * nowhere.
   */
  linkedin_created_id: z.enum(["header", "encoded", "location", "absent"]).default("header"),
  /** How long the same text of one author is rejected as a duplicate; 0 disables the check. */
  linkedin_duplicate_window_ms: milliseconds.default(600_000),
  /** The same window for a text whose post was deleted. */
  linkedin_deleted_duplicate_window_ms: milliseconds.default(86_400_000),
  /** The URN in a duplicate error: the existing post, or a URN that never existed. */
  linkedin_duplicate_names: z.enum(["post", "ghost"]).default("post"),
  /** A post whose file is not ready: rejected, or accepted and never published. */
  linkedin_early_posts: z.enum(["refused", "fail_later"]).default("refused"),
  /** How long a post with files is accepted but not yet published. */
  linkedin_publish_requested_ms: milliseconds.default(0),
  linkedin_upload_url_seconds: seconds.default(3600),
  linkedin_video_part_bytes: z.number().int().min(1).max(4_194_304).default(4_194_304),
};

/** Overrides for `realism: "production"` (settings.ts). */
export const LINKEDIN_PRODUCTION = {
  linkedin_gives_refresh_tokens: false,
  linkedin_activation_lag_ms: 2_000,
  linkedin_acl_names: "organizationTarget",
  linkedin_tier: "development",
  linkedin_listing_lag_ms: 4_000,
  linkedin_comment_urns: "absent",
  linkedin_comment_order: "oldest",
  linkedin_listed_urns: "share",
  linkedin_created_id: "encoded",
  linkedin_duplicate_names: "ghost",
  linkedin_early_posts: "fail_later",
  linkedin_publish_requested_ms: 4_000,
};
