import { z } from "zod";
import { milliseconds, seconds } from "../setting-types";

const version = z.string().regex(/^\d{6}$/);

/** The settings of this platform; every name starts with the platform's (settings.ts includes them). */
export const LINKEDIN_SETTINGS = {
  linkedin_code_seconds: seconds.default(1800),
  linkedin_access_token_seconds: seconds.default(5_184_000),
  linkedin_refresh_token_seconds: seconds.default(31_536_000),
  /** Only approved partners get them. */
  linkedin_gives_refresh_tokens: z.boolean().default(true),
  /** How long a new token is refused as revoked. */
  linkedin_activation_lag_ms: milliseconds.default(0),
  /** Other versions answer 426. */
  linkedin_oldest_version: version.default("202601"),
  linkedin_newest_version: version.default("202609"),
  linkedin_acl_names: z.enum(["organization", "organizationTarget", "both"]).default("both"),
  /** The tier of the Community Management API; `development` has small allowances and no batches. */
  linkedin_tier: z.enum(["development", "standard"]).default("standard"),
  /** Calls a UTC day: of the app, and of one member through it; 0 for those of the tier. */
  linkedin_app_calls_per_day: z.number().int().min(0).default(0),
  linkedin_member_calls_per_day: z.number().int().min(0).default(0),
  /** A day and member, of the app that has the self-serve products only. */
  linkedin_self_serve_calls_per_day: z.number().int().min(1).default(150),
  /** Which 429 the fault `rate_limit` is. */
  linkedin_throttle: z.enum(["burst", "application_day", "member_day"]).default("burst"),
  linkedin_comment_throttle_ms: milliseconds.default(60_000),
  /** How late the list of an author's posts shows one. A read by URN finds it at once. */
  linkedin_listing_lag_ms: milliseconds.default(0),
  /** Under which name a comment tells its URN, if it does. */
  linkedin_comment_urns: z.enum(["both", "commentUrn", "$URN", "absent"]).default("both"),
  /** In which order comments are listed is not documented. */
  linkedin_comment_order: z.enum(["newest", "oldest"]).default("newest"),
  linkedin_post_urns: z.enum(["share", "ugcPost", "mixed"]).default("mixed"),
  /** `share`: the list of posts names a ugcPost by a share of the same time. */
  linkedin_listed_urns: z.enum(["as_created", "share"]).default("as_created"),
  /** Where a create tells the id: `encoded` with percent signs, `location` alone, or nowhere. */
  linkedin_created_id: z.enum(["header", "encoded", "location", "absent"]).default("header"),
  /** For so long the same text of one author is refused; 0 never. */
  linkedin_duplicate_window_ms: milliseconds.default(600_000),
  /** The same for a text whose post was deleted meanwhile. */
  linkedin_deleted_duplicate_window_ms: milliseconds.default(86_400_000),
  /** What the refusal of a duplicate names: the post that is there, or a URN that never was. */
  linkedin_duplicate_names: z.enum(["post", "ghost"]).default("post"),
  /** A post whose file is not ready: refused, or taken and never published. */
  linkedin_early_posts: z.enum(["refused", "fail_later"]).default("refused"),
  /** For so long a post with files is only accepted. */
  linkedin_publish_requested_ms: milliseconds.default(0),
  linkedin_upload_url_seconds: seconds.default(3600),
  linkedin_video_part_bytes: z.number().int().min(1).max(4_194_304).default(4_194_304),
};

/** Their values with `realism: "production"` (settings.ts). */
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
