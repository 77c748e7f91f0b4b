// Lists of campaigns, ad groups and ads: filters, pages, and an optional read delay.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../../sandbox";
import { jsonList, read } from "../business-api";
import { ok } from "../business-errors";
import { type AdsContext, type AdsEnv, adsEndpoint, chosenOf, jsonIn, PAGING, pageOf, readAdsQuery } from "./api";
import { isAmong, PRIMARY_STATUSES } from "./standing";
import type { Kind } from "./store";
import { utcTime } from "./times";
import { type Shown, shownObjects } from "./views";

const ids = z.array(z.string()).min(1).max(100).optional();
const FILTERS = {
  campaign_ids: ids,
  adgroup_ids: ids,
  ad_ids: ids,
  campaign_name: z.string().optional(),
  adgroup_name: z.string().optional(),
  ad_name: z.string().optional(),
  objective_type: z.string().optional(),
  primary_status: z.enum(PRIMARY_STATUSES).default("STATUS_NOT_DELETE"),
  secondary_status: z.string().optional(),
  creation_filter_start_time: utcTime.optional(),
  creation_filter_end_time: utcTime.optional(),
};
const Filters = z.object(FILTERS);
type Filters = z.output<typeof Filters>;
const List = z.object({
  filtering: jsonIn(z.looseObject({})).optional(),
  fields: jsonList.optional(),
  ...PAGING(1000),
});
/** Only for ads. */
const AdFilters = Filters.extend({ modified_after: utcTime.optional() });

export function listRoutes(sandbox: Sandbox) {
  const app = new Hono<AdsEnv>();
  const endpoint = adsEndpoint(sandbox, "ads_read");
  app.get("/campaign/get/", ...endpoint, (c) => list(sandbox, c, "campaign"));
  app.get("/adgroup/get/", ...endpoint, (c) => list(sandbox, c, "adgroup"));
  app.get("/ad/get/", ...endpoint, (c) => list(sandbox, c, "ad"));
  return app;
}

function list(sandbox: Sandbox, c: AdsContext, kind: Kind): Response {
  const { advertiser, requested } = readAdsQuery(sandbox, c, List);
  const sent = requested.filtering ?? {};
  const filters = read(sandbox, kind === "ad" ? AdFilters : Filters, sent);
  const modifiedAfter = kind === "ad" ? AdFilters.parse(sent).modified_after : undefined;
  const latest = sandbox.now() - sandbox.settings.all.tiktok_ads_read_lag_ms;
  const found = shownObjects(sandbox, advertiser, kind).filter(
    (shown) =>
      shown.row.created_at <= latest && shown.row.modified_at >= (modifiedAfter ?? 0) && isWanted(shown, filters),
  );
  const { shown, page_info } = pageOf(found, requested);
  return ok({ list: shown.map(({ view }) => chosenOf(view, requested.fields)), page_info });
}

function isWanted({ row, status, view }: Shown, filters: Filters): boolean {
  const { creation_filter_start_time: from = 0, creation_filter_end_time: to = Number.POSITIVE_INFINITY } = filters;
  const isOneOf = (wanted: readonly string[] | undefined, field: string) =>
    wanted?.includes(String(view[field])) ?? true;
  // A filter by name matches any part of it.
  const isNamed = (part: string | undefined, field: string) =>
    String(view[field] ?? "")
      .toLowerCase()
      .includes(part?.toLowerCase() ?? "");
  return (
    isAmong(status, filters.primary_status) &&
    (filters.secondary_status ?? status) === status &&
    row.created_at >= from &&
    row.created_at <= to &&
    isOneOf(filters.campaign_ids, "campaign_id") &&
    isOneOf(filters.adgroup_ids, "adgroup_id") &&
    isOneOf(filters.ad_ids, "ad_id") &&
    isNamed(filters.campaign_name, "campaign_name") &&
    isNamed(filters.adgroup_name, "adgroup_name") &&
    isNamed(filters.ad_name, "ad_name") &&
    (filters.objective_type === undefined || view.objective_type === filters.objective_type)
  );
}
