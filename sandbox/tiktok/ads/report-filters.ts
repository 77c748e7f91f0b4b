// Report filters, which are JSON within JSON. Deleted objects are excluded unless requested.

import { z } from "zod";
import { parseJson } from "../../json";
import { badParam } from "../business-errors";
import type { Ad, Picture } from "./picture";
import { adgroupStatus, adStatus, campaignStatus, isAmong, PRIMARY_STATUSES } from "./standing";

const MOST_IDS = 100;

export const ReportFilters = z.array(
  z.strictObject({
    field_name: z.string(),
    filter_type: z.enum(["IN", "MATCH"]),
    filter_value: z.string(),
  }),
);
type Filter = z.output<typeof ReportFilters>[number];

const IDS: Readonly<Record<string, (ad: Ad) => string>> = {
  ad_ids: ({ row }) => row.id,
  adgroup_ids: ({ row }) => row.adgroup_id ?? "",
  campaign_ids: ({ row }) => row.campaign_id,
};
const NAMES: Readonly<Record<string, (ad: Ad) => string>> = {
  ad_name: ({ row }) => row.name,
  adgroup_name: ({ adgroup }) => adgroup.row.name,
  campaign_name: ({ adgroup }) => adgroup.campaign.row.name,
};
type Standing = (picture: Picture, ad: Ad, at: number) => string;
const STATUSES: Readonly<Record<string, Standing>> = {
  ad_status: adStatus,
  adgroup_status: (picture, { adgroup }, at) => adgroupStatus(picture, adgroup, at),
  campaign_status: (_picture, { adgroup }) => campaignStatus(adgroup.campaign),
};
/** The status filter of each level that excludes deleted objects. */
const OWN_STATUS: Readonly<Record<string, string>> = {
  AUCTION_AD: "ad_status",
  AUCTION_ADGROUP: "adgroup_status",
  AUCTION_CAMPAIGN: "campaign_status",
};

export function narrowed(picture: Picture, at: number, filters: readonly Filter[], level: string): Ad[] {
  const tests = filters.map((filter) => testOf(picture, at, filter));
  const own = OWN_STATUS[level];
  if (own !== undefined && !filters.some(({ field_name }) => Object.hasOwn(STATUSES, field_name))) {
    tests.push((ad) => isAmong(STATUSES[own]?.(picture, ad, at) ?? "", "STATUS_NOT_DELETE"));
  }
  return picture.ads.filter((ad) => tests.every((test) => test(ad)));
}

function testOf(picture: Picture, at: number, { field_name, filter_type, filter_value }: Filter): (ad: Ad) => boolean {
  const name = Object.hasOwn(NAMES, field_name) ? NAMES[field_name] : undefined;
  if (name && filter_type === "MATCH") return (ad) => name(ad).includes(filter_value);
  const id = Object.hasOwn(IDS, field_name) ? IDS[field_name] : undefined;
  const status = Object.hasOwn(STATUSES, field_name) ? STATUSES[field_name] : undefined;
  if (filter_type !== "IN" || (!id && !status)) throw badParam(`filtering: ${field_name} ${filter_type} is not known.`);
  const values = valuesOf(filter_value);
  if (id) return (ad) => values.includes(id(ad));
  const wanted = z.array(z.enum(PRIMARY_STATUSES)).safeParse(values);
  if (!wanted.success) throw badParam("filtering: a status is not known.");
  return (ad) => wanted.data.some((primary) => isAmong(status?.(picture, ad, at) ?? "", primary));
}

function valuesOf(text: string): string[] {
  const parsed = z.array(z.string()).min(1).max(MOST_IDS).safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw badParam(`filtering: filter_value must be a list of at most ${MOST_IDS} texts, as JSON.`);
}
