// The status of objects: the review by its clock and outcome, and the effective statuses. These depend on the
// review, the parents, the ad account and the post.

import type { Sandbox } from "../../sandbox";
import type { Json, JsonObject } from "../fields";
import { findAdAccount, troubleOf } from "./accounts";
import { promotedBy } from "./promoted";
import { type Ad, type AdSet, adSets, ads, type Campaign, type Creative, campaigns, creatives } from "./store";

export const EFFECTIVE_STATUSES = [
  "ACTIVE",
  "PAUSED",
  "DELETED",
  "ARCHIVED",
  "IN_PROCESS",
  "WITH_ISSUES",
  "CAMPAIGN_PAUSED",
  "ADSET_PAUSED",
  "PENDING_REVIEW",
  "DISAPPROVED",
  "PREAPPROVED",
  "PENDING_BILLING_INFO",
] as const;
export type EffectiveStatus = (typeof EFFECTIVE_STATUSES)[number];

/** A marker in the name of any of the four objects, or in the post's text, that fails the review. */
const REJECTED = "[ads:reject]";

/** An ad with all objects that its status depends on. */
export interface Tree {
  ad: Ad;
  adSet: AdSet;
  campaign: Campaign;
  creative: Creative;
}

export function treeOf(sandbox: Sandbox, ad: Ad): Tree {
  return {
    ad,
    adSet: adSets.get(sandbox, ad.adset_id),
    campaign: campaigns.get(sandbox, ad.campaign_id),
    creative: creatives.get(sandbox, ad.content.creative_id),
  };
}

export const reviewEnd = (sandbox: Sandbox, { review_from }: Ad) => review_from + sandbox.settings.all.ads_review_ms;

function isRejected(sandbox: Sandbox, { ad, adSet, campaign, creative }: Tree): boolean {
  const texts = [ad.name, adSet.name, campaign.name, creative.name, promotedBy(sandbox, creative)?.text ?? ""];
  return texts.some((text) => text.includes(REJECTED));
}

export function adStatus(sandbox: Sandbox, tree: Tree): EffectiveStatus {
  const { ad, adSet, campaign, creative } = tree;
  if (ad.status === "DELETED" || ad.status === "ARCHIVED") return ad.status;
  const waited = sandbox.now() - ad.review_from;
  const { ads_review_ms } = sandbox.settings.all;
  // A paused ad is reviewed as well.
  if (waited < ads_review_ms / 4) return "IN_PROCESS";
  if (waited < ads_review_ms) return "PENDING_REVIEW";
  if (isRejected(sandbox, tree)) return "DISAPPROVED";
  if (!promotedBy(sandbox, creative)) return "WITH_ISSUES";
  const account = findAdAccount(sandbox, ad.account_id);
  const trouble = account && troubleOf(account);
  if (trouble === "disabled") return "WITH_ISSUES";
  if (ad.status === "PAUSED") return "PAUSED";
  if (campaign.status === "PAUSED") return "CAMPAIGN_PAUSED";
  if (adSet.status === "PAUSED") return "ADSET_PAUSED";
  return trouble === "billing" ? "PENDING_BILLING_INFO" : "ACTIVE";
}

/** Whether the ad would deliver, apart from its review and schedule. */
export function mayDeliver(sandbox: Sandbox, tree: Tree): boolean {
  const account = findAdAccount(sandbox, tree.ad.account_id);
  const isOn = [tree.ad, tree.adSet, tree.campaign].every(({ status }) => status === "ACTIVE");
  const isSound = account !== null && troubleOf(account) === null && promotedBy(sandbox, tree.creative) !== null;
  return isOn && isSound && !isRejected(sandbox, tree);
}

export function adSetStatus(sandbox: Sandbox, adSet: AdSet): EffectiveStatus {
  if (adSet.status !== "ACTIVE") return adSet.status;
  if (campaigns.get(sandbox, adSet.campaign_id).status === "PAUSED") return "CAMPAIGN_PAUSED";
  return issuesBelow(sandbox, adSet).length > 0 ? "WITH_ISSUES" : "ACTIVE";
}

export function campaignStatus(sandbox: Sandbox, campaign: Campaign): EffectiveStatus {
  if (campaign.status !== "ACTIVE") return campaign.status;
  return issuesBelow(sandbox, campaign).length > 0 ? "WITH_ISSUES" : "ACTIVE";
}

export function reviewFeedback(sandbox: Sandbox, tree: Tree): JsonObject | null {
  if (sandbox.now() < reviewEnd(sandbox, tree.ad) || !isRejected(sandbox, tree)) return null;
  const reason = "Your ad was rejected because its text contains [ads:reject].";
  return { global: { UNACCEPTABLE_BUSINESS_PRACTICES: reason }, placement_specific: {} };
}

export function issuesOf(sandbox: Sandbox, tree: Tree): JsonObject[] {
  const status = adStatus(sandbox, tree);
  if (status !== "WITH_ISSUES") return [];
  const isGone = promotedBy(sandbox, tree.creative) === null;
  return [
    {
      level: "AD",
      error_code: isGone ? 1885557 : 1815089,
      error_summary: isGone ? "Promoted post unavailable" : "Ad account disabled",
      error_message: isGone
        ? "The post that this ad promotes was deleted, or is no longer public."
        : "This ad account cannot run ads.",
      error_type: "HARD_ERROR",
    },
  ];
}

/** The issues of the ads below an object, each with its ad. */
export function issuesBelow(sandbox: Sandbox, parent: Campaign | AdSet): Json[] {
  return ads
    .list(sandbox, parent.kind === "campaign" ? "campaign_id" : "adset_id", parent.id)
    .flatMap((ad) => issuesOf(sandbox, treeOf(sandbox, ad)).map((issue) => ({ ...issue, mid: ad.id })));
}
