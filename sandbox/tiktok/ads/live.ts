// The objects of all ad accounts, for the rest of the sandbox.

import type { LiveAd } from "../../platform";
import type { Sandbox } from "../../sandbox";
import { ADVERTISERS } from "./advertisers";
import { settle } from "./delivery";
import { impressionsOf, reachOf } from "./metrics";
import { type Ad, type Adgroup, type Campaign, type Picture, pictureOf } from "./picture";
import { adgroupStatus, adStatus, campaignStatus } from "./standing";
import type { BudgetMode, ObjectRow } from "./store";

export function liveAds(sandbox: Sandbox): LiveAd[] {
  const now = sandbox.now();
  return ADVERTISERS.flatMap((advertiser) => {
    settle(sandbox, advertiser);
    const picture = pictureOf(sandbox, advertiser);
    return [
      ...picture.campaigns.map((campaign) => liveCampaign(sandbox, picture, campaign)),
      ...picture.adgroups.map((adgroup) => liveAdgroup(sandbox, picture, adgroup, now)),
      ...picture.ads.map((ad) => liveAd(sandbox, picture, ad, now)),
    ];
  });
}

function liveCampaign(sandbox: Sandbox, picture: Picture, { row, spec, ...campaign }: Campaign): LiveAd {
  const starts = campaign.adgroups.map((adgroup) => adgroup.spec.startsAt);
  const ends = campaign.adgroups.map((adgroup) => adgroup.spec.endsAt ?? Number.POSITIVE_INFINITY);
  return {
    ...common(sandbox, picture, row, campaign.spent.total),
    parent_id: null,
    post_id: campaign.adgroups.flatMap(({ ads }) => ads)[0]?.spec.tiktok_item_id ?? null,
    effective_status: campaignStatus({ row, spec, ...campaign }),
    budget_kind: kindOf(spec.budget_mode),
    start_at: starts.length > 0 ? sandbox.iso(Math.min(...starts)) : null,
    end_at: ends.length > 0 && Number.isFinite(Math.max(...ends)) ? sandbox.iso(Math.max(...ends)) : null,
  };
}

function liveAdgroup(sandbox: Sandbox, picture: Picture, adgroup: Adgroup, now: number): LiveAd {
  const { row, spec, ads, spent } = adgroup;
  return {
    ...common(sandbox, picture, row, spent.total),
    parent_id: row.campaign_id,
    post_id: ads[0]?.spec.tiktok_item_id ?? null,
    effective_status: adgroupStatus(picture, adgroup, now),
    budget_kind: kindOf(spec.budget_mode),
    start_at: sandbox.iso(spec.startsAt),
    end_at: spec.endsAt === null ? null : sandbox.iso(spec.endsAt),
  };
}

function liveAd(sandbox: Sandbox, picture: Picture, ad: Ad, now: number): LiveAd {
  return {
    ...common(sandbox, picture, ad.row, ad.spent),
    parent_id: ad.row.adgroup_id,
    post_id: ad.spec.tiktok_item_id,
    effective_status: adStatus(picture, ad, now),
    budget_kind: null,
    start_at: null,
    end_at: null,
  };
}

function common(sandbox: Sandbox, { advertiser: { id, currency } }: Picture, row: ObjectRow, spent: number) {
  return {
    platform: "tiktok",
    account_id: id,
    id: row.id,
    kind: row.kind,
    name: row.name,
    status: row.is_deleted ? "DELETED" : row.is_on ? "ENABLE" : "DISABLE",
    budget_minor: row.budget,
    currency,
    spend_minor: Math.floor(spent + 1e-6),
    impressions: impressionsOf({ spent, currency }),
    reach: reachOf({ spent, currency }),
    created_at: sandbox.iso(row.created_at),
  };
}

function kindOf(mode: BudgetMode): LiveAd["budget_kind"] {
  if (mode === "BUDGET_MODE_INFINITE") return null;
  return mode === "BUDGET_MODE_TOTAL" ? "lifetime" : "daily";
}
