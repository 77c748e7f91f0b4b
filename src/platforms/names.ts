/** The platforms of the specification (spec 2.2), in its order; extensions follow. */
export const PLATFORM_NAMES = [
  "facebook",
  "instagram",
  "youtube",
  "linkedin",
  "tiktok",
  "threads",
  "twitter",
  "bluesky",
] as const;
export type PlatformName = (typeof PLATFORM_NAMES)[number];

export const POST_TYPES = ["post", "reel", "story", "tweet", "thread"] as const;
export type PostType = (typeof POST_TYPES)[number];

/**
 * What can be done as a channel; each adapter declares those that it supports. `comments`: writing under its
 * own posts; `replies`: reading and answering other people's comments there; `messages`: sending messages to
 * their authors; `insights`: reading what its posts and the account achieved.
 */
export const CAPABILITIES = ["publish", "comments", "replies", "messages", "ads", "insights"] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** What a platform issues credentials for. One grant may serve several capabilities. */
export const GRANT_PURPOSES = ["publish", "comments", "messages", "ads"] as const;
export type GrantPurpose = (typeof GRANT_PURPOSES)[number];
