import type { Campaign } from "./table.ts";

/** What was done, for the API and the console. */

/** The message for an accepted campaign, for platforms with their own term for it. */
export const ACCEPTED = {
  tiktok: "The Spark Ads campaign is queued for TikTok. You are notified when it is live.",
  other: "The campaign is queued. You are notified when it is live.",
} as const;

export const acceptedSentence = ({ platform }: Pick<Campaign, "platform">): string =>
  platform === "tiktok" ? ACCEPTED.tiktok : ACCEPTED.other;

export const deletedSentence = ({ name }: Pick<Campaign, "name">): string =>
  `The campaign “${name}” was deleted; the platform will end it.`;
