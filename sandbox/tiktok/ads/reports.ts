// Reports: spend and results by object, and by day or hour in the ad account's time zone.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../../sandbox";
import { jsonList } from "../business-api";
import { badParam, ok } from "../business-errors";
import type { Advertiser } from "./advertisers";
import { type AdsEnv, adsEndpoint, jsonIn, PAGING, pageOf, readAdsQuery } from "./api";
import { type Figures, metricsOf } from "./metrics";
import { type Ad, type Picture, pictureOf } from "./picture";
import { narrowed, ReportFilters } from "./report-filters";
import { DAY_MS, localDay, localHour } from "./times";

const LEVELS = {
  AUCTION_AD: "ad_id",
  AUCTION_ADGROUP: "adgroup_id",
  AUCTION_CAMPAIGN: "campaign_id",
  AUCTION_ADVERTISER: "advertiser_id",
} as const;
type Level = keyof typeof LEVELS;
/** The levels above each level, which are also valid dimensions. */
const ABOVE: Readonly<Record<Level, readonly string[]>> = {
  AUCTION_AD: ["ad_id", "adgroup_id", "campaign_id", "advertiser_id"],
  AUCTION_ADGROUP: ["adgroup_id", "campaign_id", "advertiser_id"],
  AUCTION_CAMPAIGN: ["campaign_id", "advertiser_id"],
  AUCTION_ADVERTISER: ["advertiser_id"],
};
const TIMES: readonly string[] = ["stat_time_day", "stat_time_hour"];

const date = z.iso.date();
const flag = z.enum(["true", "false"]).transform((text) => text === "true");
const Report = z.object({
  report_type: z.literal("BASIC", "The sandbox has reports of the type BASIC only."),
  service_type: z.literal("AUCTION").default("AUCTION"),
  data_level: z.enum(["AUCTION_AD", "AUCTION_ADGROUP", "AUCTION_CAMPAIGN", "AUCTION_ADVERTISER"]),
  dimensions: jsonList.pipe(z.array(z.string()).min(1).max(4)),
  metrics: jsonList.default(["spend", "impressions"]),
  start_date: date.optional(),
  end_date: date.optional(),
  query_lifetime: flag.default(false),
  filtering: jsonIn(ReportFilters).default([]),
  order_field: z.string().optional(),
  order_type: z.enum(["ASC", "DESC"]).default("DESC"),
  query_mode: z.enum(["REGULAR", "CHUNK"]).default("REGULAR"),
  enable_total_metrics: flag.default(false),
  ...PAGING(1000),
});
type Requested = z.output<typeof Report>;

export function reportRoutes(sandbox: Sandbox) {
  const app = new Hono<AdsEnv>();
  app.get("/integrated/get/", ...adsEndpoint(sandbox, "ads_insights"), (c) => {
    const { advertiser, requested } = readAdsQuery(sandbox, c, Report);
    checkDimensions(requested);
    const days = daysOf(requested);
    const picture = pictureOf(sandbox, advertiser);
    const ads = narrowed(picture, sandbox.now(), requested.filtering, requested.data_level);
    const lines = linesOf(sandbox, picture, { ads, days }, requested);
    const metrics = [...new Set([...requested.metrics, ...(requested.order_field ? [requested.order_field] : [])])];
    const rows = lines.map(({ dimensions, figures }) => ({ dimensions, metrics: metricsOf(figures, metrics) }));
    const { shown, page_info } = pageOf(ordered(rows, requested), requested);
    const list = shown.map((row) => ({ ...row, metrics: only(row.metrics, requested.metrics) }));
    if (!requested.enable_total_metrics) return ok({ list, page_info });
    const spent = lines.reduce((sum, { figures }) => sum + figures.spent, 0);
    const all: Figures = { spent, currency: advertiser.currency, names: {} };
    return ok({ list, page_info, total_metrics: metricsOf(all, requested.metrics) });
  });
  return app;
}

const only = (metrics: Record<string, string>, wanted: readonly string[]) =>
  Object.fromEntries(Object.entries(metrics).filter(([name]) => wanted.includes(name)));

function checkDimensions({ dimensions, data_level }: Requested): void {
  const known = [...ABOVE[data_level], ...TIMES];
  const unknown = dimensions.find((dimension) => !known.includes(dimension));
  if (unknown !== undefined) throw badParam(`dimensions: ${unknown} does not go with ${data_level}.`);
  if (TIMES.every((time) => dimensions.includes(time))) throw badParam("dimensions: there may be one time dimension.");
}

/** The first and the last day in the ad account's time zone; null for the lifetime. */
function daysOf({ query_lifetime, dimensions, start_date, end_date }: Requested): { from: string; to: string } | null {
  if (query_lifetime) {
    if (dimensions.some((one) => TIMES.includes(one))) throw badParam("query_lifetime: allows no time dimension.");
    return null;
  }
  if (start_date === undefined || end_date === undefined) throw badParam("start_date: is required with end_date.");
  const count = (Date.parse(end_date) - Date.parse(start_date)) / DAY_MS + 1;
  const most = dimensions.includes("stat_time_hour") ? 1 : dimensions.includes("stat_time_day") ? 30 : 365;
  if (count < 1) throw badParam("end_date: must not lie before start_date.");
  if (count > most) throw badParam(`end_date: with these dimensions a report is about ${most} days at most.`);
  return { from: start_date, to: end_date };
}

interface Line {
  readonly dimensions: Readonly<Record<string, string>>;
  readonly figures: Figures;
}

function linesOf(
  sandbox: Sandbox,
  { advertiser }: Picture,
  { ads, days }: { ads: readonly Ad[]; days: { from: string; to: string } | null },
  { dimensions, data_level }: Requested,
): Line[] {
  const lines = new Map<string, { ad: Ad; values: Record<string, string>; spent: number }>();
  const lineAt = (ad: Ad, hour: number) => {
    const values = Object.fromEntries(dimensions.map((name) => [name, dimensionOf(advertiser, ad, name, hour)]));
    const key = JSON.stringify(values);
    const line = lines.get(key) ?? { ad, values, spent: 0 };
    lines.set(key, line);
    return line;
  };
  // With only one id dimension, every object has a row, even without data.
  const [only, second] = dimensions;
  if (only !== undefined && second === undefined && !TIMES.includes(only)) for (const ad of ads) lineAt(ad, 0);
  for (const ad of ads) {
    for (const { hour, spent } of hoursOf(sandbox, ad)) {
      const day = localDay(hour, advertiser.timezone);
      if (days && (day < days.from || day > days.to)) continue;
      lineAt(ad, hour).spent += spent;
    }
  }
  return [...lines.values()].map(({ ad, values, spent }) => ({
    dimensions: values,
    figures: { spent, currency: advertiser.currency, names: namesOf(ad, data_level) },
  }));
}

const hoursOf = (sandbox: Sandbox, { row }: Ad) =>
  sandbox.db.all<{ hour: number; spent: number }>(
    "SELECT hour, spent FROM tiktok_ads_hours WHERE ad_id = ? ORDER BY hour",
    row.id,
  );

function dimensionOf({ id, timezone }: Advertiser, { row }: Ad, dimension: string, hour: number): string {
  switch (dimension) {
    case "ad_id":
      return row.id;
    case "adgroup_id":
      return row.adgroup_id ?? "";
    case "campaign_id":
      return row.campaign_id;
    case "stat_time_day":
      return `${localDay(hour, timezone)} 00:00:00`;
    case "stat_time_hour":
      return localHour(hour, timezone);
    default:
      return id;
  }
}

function namesOf({ row, adgroup }: Ad, level: Level): Record<string, string> {
  const { campaign } = adgroup;
  const names: Readonly<Record<string, Record<string, string>>> = {
    campaign_id: { campaign_id: campaign.row.id, campaign_name: campaign.row.name },
    adgroup_id: { adgroup_id: adgroup.row.id, adgroup_name: adgroup.row.name },
    ad_id: { ad_name: row.name },
  };
  return Object.assign({}, ...ABOVE[level].map((name) => names[name]));
}

type Row = { dimensions: Readonly<Record<string, string>>; metrics: Record<string, string> };

function ordered(rows: readonly Row[], { order_field, order_type }: Requested): readonly Row[] {
  if (order_field === undefined) return rows;
  const of = ({ metrics }: Row) => Number(metrics[order_field] ?? 0);
  return rows.toSorted((a, b) => (order_type === "ASC" ? of(a) - of(b) : of(b) - of(a)));
}
