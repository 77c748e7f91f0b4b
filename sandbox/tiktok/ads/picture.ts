// A snapshot of an ad account: all objects with their relations and their spend.

import type { Sandbox } from "../../sandbox";
import { type Advertiser, type Book, readBook } from "./advertisers";
import { type Loss, linkedAccounts, lossOf, NO_LOSS } from "./identities";
import {
  type AdgroupSpec,
  type AdSpec,
  adgroupSpec,
  adSpec,
  type CampaignSpec,
  campaignSpec,
  listObjects,
  type ObjectRow,
} from "./store";
import { localDayAround } from "./times";

export interface Campaign {
  readonly row: ObjectRow;
  readonly spec: CampaignSpec;
  readonly adgroups: Adgroup[];
  readonly spent: Spent;
}
export interface Adgroup {
  readonly row: ObjectRow;
  readonly spec: AdgroupSpec;
  readonly campaign: Campaign;
  readonly ads: Ad[];
  readonly spent: Spent;
}
export interface Ad {
  readonly row: ObjectRow;
  readonly spec: AdSpec;
  readonly adgroup: Adgroup;
  readonly loss: Loss;
  /** Total, in minor units. */
  readonly spent: number;
}

/** In minor units, with fractions. */
export interface Spent {
  total: number;
  /** The spend of the current day in the ad account's time zone. */
  today: number;
}

export interface Picture {
  readonly advertiser: Advertiser;
  readonly book: Book;
  readonly campaigns: readonly Campaign[];
  readonly adgroups: readonly Adgroup[];
  readonly ads: readonly Ad[];
}

/**
 * The account at the time of the last delivery computation. Each computation creates a snapshot and updates
 * it.
 */
export function pictureOf(sandbox: Sandbox, advertiser: Advertiser): Picture {
  const book = readBook(sandbox, advertiser);
  const spent = spentOf(sandbox, advertiser, book.settledAt);
  const rows = listObjects(sandbox, advertiser.id);
  const linked = linkedAccounts(sandbox, advertiser);
  const nothing = (): Spent => ({ total: 0, today: 0 });
  const campaigns = new Map<string, Campaign>();
  const adgroups = new Map<string, Adgroup>();
  const ads: Ad[] = [];
  for (const row of rows) {
    if (row.kind !== "campaign") continue;
    campaigns.set(row.id, { row, spec: campaignSpec(row), adgroups: [], spent: nothing() });
  }
  for (const row of rows) {
    const campaign = campaigns.get(row.campaign_id);
    if (row.kind !== "adgroup" || !campaign) continue;
    const adgroup = { row, spec: adgroupSpec(row), campaign, ads: [], spent: nothing() };
    adgroups.set(row.id, adgroup);
    campaign.adgroups.push(adgroup);
  }
  for (const row of rows) {
    const adgroup = adgroups.get(row.adgroup_id ?? "");
    if (row.kind !== "ad" || !adgroup) continue;
    const spec = adSpec(row);
    const own = spent.get(row.id) ?? nothing();
    const ad = {
      row,
      spec,
      adgroup,
      loss: row.is_deleted ? NO_LOSS : lossOf(sandbox, advertiser, linked, spec),
      spent: own.total,
    };
    ads.push(ad);
    adgroup.ads.push(ad);
    addSpent(ad, own);
  }
  return { advertiser, book, campaigns: [...campaigns.values()], adgroups: [...adgroups.values()], ads };
}

/** Adds the spend of an ad to the ad, its ad group and its campaign. */
export function addSpent({ adgroup }: Ad, more: Spent): void {
  for (const { spent } of [adgroup, adgroup.campaign]) {
    spent.total += more.total;
    spent.today += more.today;
  }
}

function spentOf(sandbox: Sandbox, { id, timezone }: Advertiser, at: number): Map<string, Spent> {
  const rows = sandbox.db.all<{ ad_id: string; total: number; today: number }>(
    `SELECT h.ad_id, sum(h.spent) AS total, sum(iif(h.hour >= ?, h.spent, 0)) AS today FROM tiktok_ads_hours h
     JOIN tiktok_ads_objects o ON o.id = h.ad_id WHERE o.advertiser_id = ? GROUP BY h.ad_id`,
    localDayAround(at, timezone).from,
    id,
  );
  return new Map(rows.map(({ ad_id, total, today }) => [ad_id, { total, today }]));
}
