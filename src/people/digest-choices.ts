/** How often a member receives the digest of a project by e-mail. */
export const DIGESTS = ["off", "daily", "weekly"] as const;
export type Digest = (typeof DIGESTS)[number];
