import type { PostFields } from "./post-fields.ts";

/** How a post is published, beside its content. What an option means is in `posts/content/options.ts`. */
export const OPTIONS = ["privacy_level", "comments", "duets", "stitches"] as const;
export type Option = (typeof OPTIONS)[number];

/** TikTok's levels, the most public first. */
export const PRIVACY_LEVELS = [
  "PUBLIC_TO_EVERYONE",
  "FOLLOWER_OF_CREATOR",
  "MUTUAL_FOLLOW_FRIENDS",
  "SELF_ONLY",
] as const;
export type PrivacyLevel = (typeof PRIVACY_LEVELS)[number];

export interface PostOptions {
  readonly privacy_level?: PrivacyLevel | undefined;
  readonly comments?: boolean | undefined;
  readonly duets?: boolean | undefined;
  readonly stitches?: boolean | undefined;
}

export type OptionFields = PostFields<Option>;
