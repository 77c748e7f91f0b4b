// The status of campaigns, ad groups and ads at a given time, as TikTok's values: `secondary_status` and the
// derived `primary_status`.

import type { Ad, Adgroup, Campaign, Picture, Spent } from "./picture";
import type { BudgetMode, ObjectRow } from "./store";

/** Smaller amounts (of a minor unit) count as zero. */
const DUST = 0.01;

/** The remaining budget in minor units; infinite without a budget. */
function leftOf(row: ObjectRow, mode: BudgetMode, spent: Spent): number {
  if (row.budget === null || mode === "BUDGET_MODE_INFINITE") return Number.POSITIVE_INFINITY;
  return row.budget - (mode === "BUDGET_MODE_TOTAL" ? spent.total : spent.today);
}

const isUsedUp = (left: number): boolean => left < DUST;

export const leftOfCampaign = ({ row, spec, spent }: Campaign): number => leftOf(row, spec.budget_mode, spent);
export const leftOfAdgroup = ({ row, spec, spent, campaign }: Adgroup): number =>
  campaign.spec.budget_optimize_on ? Number.POSITIVE_INFINITY : leftOf(row, spec.budget_mode, spent);

export function campaignStatus({ row, ...campaign }: Campaign): string {
  if (row.is_deleted) return "CAMPAIGN_STATUS_DELETE";
  if (!row.is_on) return "CAMPAIGN_STATUS_DISABLE";
  return isUsedUp(leftOfCampaign({ row, ...campaign })) ? "CAMPAIGN_STATUS_BUDGET_EXCEED" : "CAMPAIGN_STATUS_ENABLE";
}

export function adgroupStatus(picture: Picture, adgroup: Adgroup, at: number): string {
  const { row, campaign } = adgroup;
  if (row.is_deleted) return "ADGROUP_STATUS_DELETE";
  if (isOver(adgroup, at)) return "ADGROUP_STATUS_TIME_DONE";
  if (!row.is_on) return "ADGROUP_STATUS_DISABLE";
  if (!campaign.row.is_on) return "ADGROUP_STATUS_CAMPAIGN_DISABLE";
  const ads = adgroup.ads.filter((ad) => !ad.row.is_deleted);
  if (ads.length === 0) return "ADGROUP_STATUS_CREATE";
  const hurdles = ads.map((ad) => hurdleOf(ad, at));
  if (!hurdles.includes(null)) {
    const last = hurdles.at(-1);
    if (last === "AUDIT" || last === "REAUDIT") return `ADGROUP_STATUS_${last}`;
    return last === "DENY" ? "ADGROUP_STATUS_AUDIT_DENY" : "ADGROUP_STATUS_ASSET_AUTHORIZATION_LOST";
  }
  return `ADGROUP_STATUS_${flowOf(picture, adgroup, at)}`;
}

export function adStatus(picture: Picture, ad: Ad, at: number): string {
  const { row, adgroup } = ad;
  if (row.is_deleted) return "AD_STATUS_DELETE";
  if (isOver(adgroup, at)) return "AD_STATUS_DONE";
  if (!row.is_on) return "AD_STATUS_DISABLE";
  if (!adgroup.row.is_on) return "AD_STATUS_ADGROUP_DISABLE";
  if (!adgroup.campaign.row.is_on) return "AD_STATUS_CAMPAIGN_DISABLE";
  const hurdle = hurdleOf(ad, at);
  if (hurdle === "LOST") return ad.loss.status;
  if (hurdle === "DENY") return row.verdict === "denied" ? "AD_STATUS_AUDIT_DENY" : "AD_STATUS_TRANSCODING_FAIL";
  return `AD_STATUS_${hurdle ?? flowOf(picture, adgroup, at)}`;
}

/** Whether the ad shows and spends. */
export const isDelivering = (picture: Picture, ad: Ad, at: number): boolean =>
  adStatus(picture, ad, at) === "AD_STATUS_DELIVERY_OK";

const isOver = ({ spec }: Adgroup, at: number): boolean => spec.endsAt !== null && spec.endsAt <= at;

/** What prevents the ad itself from delivering; null if nothing does. */
function hurdleOf({ row, loss }: Ad, at: number): "LOST" | "AUDIT" | "REAUDIT" | "DENY" | null {
  if (loss.from <= at) return "LOST";
  if ((row.review_until ?? 0) > at) return row.was_reviewed ? "REAUDIT" : "AUDIT";
  return row.verdict === null ? null : "DENY";
}

/** Schedule or budget conditions that prevent delivery. */
function flowOf({ book }: Picture, adgroup: Adgroup, at: number): string {
  if (adgroup.spec.startsAt > at) return "NOT_START";
  if (isUsedUp(book.balance)) return "BALANCE_EXCEED";
  if (isUsedUp(leftOfCampaign(adgroup.campaign))) return "CAMPAIGN_EXCEED";
  return isUsedUp(leftOfAdgroup(adgroup)) ? "BUDGET_EXCEED" : "DELIVERY_OK";
}

export const PRIMARY_STATUSES = [
  "STATUS_ALL",
  "STATUS_NOT_DELETE",
  "STATUS_DELIVERY_OK",
  "STATUS_NOT_DELIVERY",
  "STATUS_DISABLE",
  "STATUS_TIME_DONE",
  "STATUS_DELETE",
] as const;

export function isAmong(secondary: string, primary: (typeof PRIMARY_STATUSES)[number]): boolean {
  if (primary === "STATUS_ALL") return true;
  const own = primaryOf(secondary);
  return primary === "STATUS_NOT_DELETE" ? own !== "STATUS_DELETE" : own === primary;
}

function primaryOf(secondary: string): string {
  if (secondary.endsWith("_DELETE")) return "STATUS_DELETE";
  if (secondary.endsWith("_DISABLE")) return "STATUS_DISABLE";
  if (secondary.endsWith("_DONE")) return "STATUS_TIME_DONE";
  return /_(?:DELIVERY_OK|STATUS_ENABLE)$/.test(secondary) ? "STATUS_DELIVERY_OK" : "STATUS_NOT_DELIVERY";
}
