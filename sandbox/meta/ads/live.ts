// The ad objects with budget and results, for the rest of the sandbox.

import type { LiveAd } from "../../platform";
import type { Sandbox } from "../../sandbox";
import { findAdAccount } from "./accounts";
import { settle } from "./delivery";
import { allFigures } from "./insights";
import { adSetStatus, adStatus, campaignStatus, treeOf } from "./status";
import {
  type Ad,
  type AdSet,
  type AdsPlatform,
  adSets,
  ads,
  type Campaign,
  type Creative,
  campaigns,
  creatives,
} from "./store";

/** The objects that an app created, newest first, including deleted ones. */
export function liveAds(sandbox: Sandbox, platform: AdsPlatform): LiveAd[] {
  const all = campaigns.list(sandbox, "platform", platform);
  for (const { id } of all) settle(sandbox, id);
  const ownAds = ads.list(sandbox, "platform", platform);
  const postOf = new Map(creatives.list(sandbox, "platform", platform).map((one) => [one.id, postBehind(one)]));
  const adsBelow = (row: Campaign | AdSet) =>
    ownAds.filter((ad) => (row.kind === "campaign" ? ad.campaign_id : ad.adset_id) === row.id);
  const postOfAd = (ad: Ad | undefined) => postOf.get(ad?.content.creative_id ?? "") ?? null;
  const live = (row: Campaign | AdSet | Creative | Ad, effective: string, own: readonly Ad[]): LiveAd => {
    const { spend, impressions, reach } = allFigures(
      sandbox,
      row.account_id,
      own.map(({ id }) => id),
    );
    return {
      platform,
      account_id: `act_${row.account_id}`,
      id: row.id,
      kind: row.kind,
      parent_id: row.adset_id ?? row.campaign_id,
      post_id: row.kind === "creative" ? (postOf.get(row.id) ?? null) : postOfAd(own[0]),
      name: row.name,
      status: row.status,
      effective_status: effective,
      budget_minor: null,
      budget_kind: null,
      currency: findAdAccount(sandbox, row.account_id)?.currency ?? null,
      spend_minor: spend,
      impressions,
      reach,
      start_at: null,
      end_at: null,
      created_at: sandbox.iso(row.created_at),
    };
  };
  return [
    ...all.map((row) => ({ ...live(row, campaignStatus(sandbox, row), adsBelow(row)), ...budgetOf(row) })),
    ...adSets.list(sandbox, "platform", platform).map((row) => ({
      ...live(row, adSetStatus(sandbox, row), adsBelow(row)),
      ...budgetOf(row),
      start_at: sandbox.iso(row.content.start_at),
      end_at: row.content.end_at === null ? null : sandbox.iso(row.content.end_at),
    })),
    ...creatives.list(sandbox, "platform", platform).map((row) => live(row, row.status, [])),
    ...ownAds.map((row) => live(row, adStatus(sandbox, treeOf(sandbox, row)), [row])),
  ];
}

const postBehind = ({ content }: Creative) => content.media_id ?? content.story_id;

function budgetOf({ content }: Campaign | AdSet): Pick<LiveAd, "budget_minor" | "budget_kind"> {
  const { daily_budget, lifetime_budget } = content;
  if (lifetime_budget !== null) return { budget_minor: lifetime_budget, budget_kind: "lifetime" };
  return { budget_minor: daily_budget, budget_kind: daily_budget === null ? null : "daily" };
}
