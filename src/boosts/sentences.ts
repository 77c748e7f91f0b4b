import { factsOf } from "../platforms/facts.ts";
import type { Campaign } from "./table.ts";

/** What was done, for the API and the console. */

export const ACCEPTED = "The campaign is queued. You are notified when it is live.";

/** The message for an accepted campaign, by the platform's own term for it if it has one. */
export function acceptedSentence({ platform }: Pick<Campaign, "platform">): string {
  const { title, campaignTerm } = factsOf(platform);
  if (campaignTerm === undefined) return ACCEPTED;
  return `The ${campaignTerm} campaign is queued for ${title}. You are notified when it is live.`;
}

export const deletedSentence = ({ name }: Pick<Campaign, "name">): string =>
  `The campaign “${name}” was deleted; the platform will end it.`;
