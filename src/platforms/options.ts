import type { PostFields } from "./post-fields.ts";

/** How a post is published, beside its content. What an option means is in `posts/content/options.ts`. */
export const OPTIONS = [
  "privacy_level",
  "comments",
  "duets",
  "stitches",
  "title",
  "document",
  "cover_url",
  "cover_ms",
  "cover_index",
  "collaborators",
  "location_id",
  "playlist_id",
  "languages",
  "consent_given",
] as const;
export type Option = (typeof OPTIONS)[number];

/** Options that this service follows itself, on every platform: none is sent. */
export const OWN_OPTIONS = ["fit"] as const;
export type OwnOption = (typeof OWN_OPTIONS)[number];

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
  readonly title?: string | undefined;
  /** The pictures are posted as the pages of one document. */
  readonly document?: boolean | undefined;
  /** The address of the picture that is the cover of the video. */
  readonly cover_url?: string | undefined;
  /** The frame of the video that is its cover. */
  readonly cover_ms?: number | undefined;
  /** The picture that is the cover, from 0. */
  readonly cover_index?: number | undefined;
  readonly collaborators?: readonly string[] | undefined;
  /** A Page with a location at Meta's platforms, a place at X. */
  readonly location_id?: string | undefined;
  /** A playlist of the channel that the video is added to. */
  readonly playlist_id?: string | undefined;
  /** The languages of the texts, as BCP 47 tags. */
  readonly languages?: readonly string[] | undefined;
  /** Kept with the post as evidence, and not sent. */
  readonly consent_given?: boolean | undefined;
  /** "strict": a file that does not fit the platform is refused, and no copy of it is made. */
  readonly fit?: "strict" | undefined;
}

export type OptionFields = PostFields<Option>;
