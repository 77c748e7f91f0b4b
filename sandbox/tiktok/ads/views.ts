// API views of campaigns, ad groups and ads.

import type { Sandbox } from "../../sandbox";
import type { Advertiser } from "./advertisers";
import { fromMinor } from "./money";
import { type Ad, type Adgroup, type Campaign, type Picture, pictureOf } from "./picture";
import { adgroupStatus, adStatus, campaignStatus } from "./standing";
import type { Kind, ObjectRow } from "./store";
import { toUtcText } from "./times";

export interface Shown {
  readonly row: ObjectRow;
  readonly status: string;
  readonly view: Readonly<Record<string, unknown>>;
}

/** All objects of one kind that the ad account ever had, newest first. */
export function shownObjects(sandbox: Sandbox, advertiser: Advertiser, kind: Kind): Shown[] {
  const picture = pictureOf(sandbox, advertiser);
  const now = sandbox.now();
  const all: Record<Kind, () => Shown[]> = {
    campaign: () => picture.campaigns.map((campaign) => shownCampaign(picture, campaign)),
    adgroup: () => picture.adgroups.map((adgroup) => shownAdgroup(picture, adgroup, now)),
    ad: () => picture.ads.map((ad) => shownAd(picture, ad, now)),
  };
  return all[kind]().toReversed();
}

/** The response for a new or changed object. */
export function viewOf(sandbox: Sandbox, advertiser: Advertiser, { kind, id }: ObjectRow): Shown["view"] {
  return shownObjects(sandbox, advertiser, kind).find(({ row }) => row.id === id)?.view ?? {};
}

function shownCampaign({ advertiser }: Picture, campaign: Campaign): Shown {
  const { row, spec } = campaign;
  const status = campaignStatus(campaign);
  return {
    row,
    status,
    view: {
      advertiser_id: row.advertiser_id,
      campaign_id: row.id,
      campaign_name: row.name,
      ...spec,
      budget: fromMinor(row.budget ?? 0, advertiser.currency),
      ...common(row, status),
    },
  };
}

function shownAdgroup(picture: Picture, adgroup: Adgroup, now: number): Shown {
  const { row, spec, campaign } = adgroup;
  const { startsAt, endsAt, rest, ...shown } = spec;
  const status = adgroupStatus(picture, adgroup, now);
  return {
    row,
    status,
    view: {
      advertiser_id: row.advertiser_id,
      campaign_id: row.campaign_id,
      campaign_name: campaign.row.name,
      objective_type: campaign.spec.objective_type,
      adgroup_id: row.id,
      adgroup_name: row.name,
      ...rest,
      ...shown,
      budget: fromMinor(row.budget ?? 0, picture.advertiser.currency),
      schedule_type: endsAt === null ? "SCHEDULE_FROM_NOW" : "SCHEDULE_START_END",
      schedule_start_time: toUtcText(startsAt),
      // TikTok returns a date far in the future if there is no end.
      schedule_end_time: endsAt === null ? "2038-01-01 00:00:00" : toUtcText(endsAt),
      ...common(row, status),
    },
  };
}

function shownAd(picture: Picture, ad: Ad, now: number): Shown {
  const { row, spec, adgroup } = ad;
  const { rest, ...shown } = spec;
  const status = adStatus(picture, ad, now);
  return {
    row,
    status,
    view: {
      advertiser_id: row.advertiser_id,
      campaign_id: row.campaign_id,
      campaign_name: adgroup.campaign.row.name,
      objective_type: adgroup.campaign.spec.objective_type,
      adgroup_id: adgroup.row.id,
      adgroup_name: adgroup.row.name,
      ad_id: row.id,
      ad_name: row.name,
      ...rest,
      ...shown,
      ...common(row, status),
    },
  };
}

const common = (row: ObjectRow, status: string) => ({
  operation_status: row.is_on ? "ENABLE" : "DISABLE",
  secondary_status: status,
  create_time: toUtcText(row.created_at),
  modify_time: toUtcText(row.modified_at),
});
