// Edges that list the objects of an ad account, campaign or ad set, with filters, paging and a read delay.

import { z } from "zod";
import type { Sandbox } from "../../sandbox";
import { badParameter, missingObject } from "../errors";
import type { JsonObject } from "../fields";
import { pageOf } from "../paging";
import { type GraphContext, nested, parse, text } from "../params";
import { type AdsWorld, reading } from "./access";
import { COMMON, Paging } from "./input";
import { settleFor } from "./nodes";
import { EFFECTIVE_STATUSES } from "./status";
import { type AdObject, adSets, ads, campaigns, creatives, kindOf } from "./store";
import { shown, viewOf } from "./views";

export const GRAPH = "https://graph.facebook.com";

const Statuses = nested(z.array(z.enum(EFFECTIVE_STATUSES)));
const one = z.union([z.string(), z.number().transform(String)]);
const Filter = z.object({
  field: text,
  operator: z.enum(["EQUAL", "NOT_EQUAL", "CONTAIN", "NOT_CONTAIN", "IN", "NOT_IN"]),
  value: z.union([one.transform((value) => [value]), z.array(one)]),
});
type Filter = z.infer<typeof Filter>;

const Listing = z.object({
  ...COMMON,
  ...Paging,
  effective_status: Statuses.optional(),
  filtering: nested(z.array(Filter)).optional(),
});

const KINDS = { campaigns, adsets: adSets, adcreatives: creatives, ads } as const;
export type Edge = keyof typeof KINDS;

/** The objects of one kind in an ad account, newest first. */
export async function listOfAccount(world: AdsWorld, c: GraphContext, act: string, edge: Edge): Promise<JsonObject> {
  const { account } = await reading(world, c, act);
  return page(world, c, edge, KINDS[edge].list(world.sandbox, "account_id", account.id));
}

/** The objects below a campaign or an ad set. */
export async function listOfParent(world: AdsWorld, c: GraphContext, id: string, edge: Edge): Promise<JsonObject> {
  const parent = kindOf(world.sandbox, id);
  if (!parent) throw missingObject(id);
  await reading(world, c, parent.accountId);
  if (parent.kind === "ad" && edge === "adcreatives") {
    const creativeId = ads.get(world.sandbox, id).content.creative_id;
    return page(world, c, edge, [creatives.get(world.sandbox, creativeId)]);
  }
  const isBelow =
    parent.kind === "campaign" ? edge === "adsets" || edge === "ads" : parent.kind === "adset" && edge === "ads";
  if (!isBelow) throw badParameter(`Tried accessing nonexisting field (${edge}) on node type (${parent.kind})`);
  const by = parent.kind === "campaign" ? "campaign_id" : "adset_id";
  return page(world, c, edge, KINDS[edge].list(world.sandbox, by, id));
}

function page({ sandbox, app }: AdsWorld, c: GraphContext, edge: Edge, rows: readonly AdObject[]): JsonObject {
  const { fields, locale: _, effective_status, filtering = [], ...paging } = parse(c, Listing);
  const { ads_filtering, ads_listing_lag_ms } = sandbox.settings.all;
  const { kind } = KINDS[edge];
  if (filtering.length > 0 && ads_filtering === "refused") throw badParameter("Filtering field is not supported");
  const filters = ads_filtering === "heeded" ? filtering : [];
  const statuses = effective_status ?? filters.find(({ field }) => field === "effective_status")?.value;
  const items = rows.filter(
    (row) =>
      row.created_at + ads_listing_lag_ms <= sandbox.now() &&
      filters.every((filter) => passes(sandbox, row, filter)) &&
      isListed(sandbox, row, statuses),
  );
  const view = (row: AdObject) => {
    settleFor(sandbox, kind, row.id);
    return shown(sandbox, kind, row.id, fields);
  };
  return pageOf(c, { items, keyOf: ({ id }) => id, view, origin: GRAPH, isShort: app.isShort() }, paging);
}

/** Deleted and archived objects are listed only on request. */
function isListed(sandbox: Sandbox, row: AdObject, statuses: readonly string[] | undefined): boolean {
  if (!statuses) return row.status !== "DELETED" && row.status !== "ARCHIVED";
  return statuses.includes(effectiveStatus(sandbox, row));
}

function effectiveStatus(sandbox: Sandbox, { kind, id }: AdObject): string {
  const view = viewOf(sandbox, kind, id);
  return String(view?.effective_status ?? view?.status);
}

function columnOf(sandbox: Sandbox, row: AdObject, { field, operator }: Filter): string {
  switch (field) {
    case "id":
    case "name":
    case "status":
      return row[field];
    case "campaign.id":
    case "campaign_id":
      return row.campaign_id ?? row.id;
    case "adset.id":
    case "adset_id":
      return row.adset_id ?? row.id;
    case "effective_status":
      return effectiveStatus(sandbox, row);
    default:
      throw badParameter(`Filtering field ${field} with operation ${operator} is not supported`);
  }
}

function passes(sandbox: Sandbox, row: AdObject, filter: Filter): boolean {
  const found = columnOf(sandbox, row, filter);
  const { value } = filter;
  const [first = ""] = value;
  switch (filter.operator) {
    case "EQUAL":
      return found === first;
    case "NOT_EQUAL":
      return found !== first;
    case "CONTAIN":
      return found.toLowerCase().includes(first.toLowerCase());
    case "NOT_CONTAIN":
      return !found.toLowerCase().includes(first.toLowerCase());
    case "IN":
      return value.includes(found);
    case "NOT_IN":
      return !value.includes(found);
  }
}
